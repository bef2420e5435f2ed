"""Attempts are kept as they are made, under all that they depend on."""

import pytest

from benchmarks.attribution.attempts import FULL, QUICK, AttemptLog, digest_of, read_attempts
from ossia.errors import UserError
from tests.benchmarks.attribution.support import single


def test_an_attempt_is_kept_and_found_again(tmp_path):
    path = tmp_path / "folder" / "log.jsonl"
    with AttemptLog(path) as log:
        log.add(single("single|wake|a"))
    with AttemptLog(path) as log:
        assert log.find("single|wake|a") == single("single|wake|a")
        assert log.find("single|wake|b") is None
        log.add(single("single|wake|0"))
        assert [each.key for each in log] == ["single|wake|0", "single|wake|a"]


def test_a_line_that_was_cut_off_is_made_again(tmp_path):
    path = tmp_path / "log.jsonl"
    with AttemptLog(path) as log:
        log.add(single("a"))
        log.add(single("b"))
    path.write_text(path.read_text()[:-30])
    with AttemptLog(path) as log:
        assert log.find("b") is None
        log.add(single("b"))
    assert [each.key for each in read_attempts(path)] == ["a", "b"]


def test_a_damaged_log_is_refused_with_its_line(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"version": 0}\n' + single("a").model_dump_json() + "\n")
    with pytest.raises(UserError, match="line 1"):
        AttemptLog(path)


def test_attempts_belong_to_all_that_they_depend_on():
    assert digest_of(FULL, 0, [b"a"]) == digest_of(FULL, 0, [b"a"])
    others = [digest_of(QUICK, 0, [b"a"]), digest_of(FULL, 1, [b"a"]), digest_of(FULL, 0, [b"b"])]
    assert len({digest_of(FULL, 0, [b"a"]), *others}) == 4


def test_half_of_a_protocol_has_something_of_every_kind():
    assert (FULL.half.per_type, FULL.half.triples, FULL.half.tasks) == (6, 26, FULL.tasks)
    assert QUICK.half.per_type == 1
