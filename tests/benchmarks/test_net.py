"""The net under changes of the code: what differs is named, what may differ is not."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.net import as_now, differences, main, plain
from tests.evaluation.compared import compared, stored_in_version_6

LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=4)
DOCUMENTS = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=10,
)


@given(DOCUMENTS)
def test_a_document_does_not_differ_from_itself(document):
    assert list(differences(document, json.loads(json.dumps(document)))) == []


@given(DOCUMENTS, DOCUMENTS)
def test_two_documents_differ_somewhere_or_are_equal(first, second):
    equal = json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)
    # In Python True equals 1, in JSON it does not.
    if not equal and first != second:
        assert list(differences(first, second))
    if equal:
        assert list(differences(first, second)) == []


def test_a_difference_is_named_with_its_place():
    before = {"frameworks": [{"success": {"count": 4}, "gone": 1}]}
    after = {"frameworks": [{"success": {"count": 3}, "new": 1}]}
    assert list(differences(before, after)) == [
        "/frameworks/0/gone: gone",
        "/frameworks/0/new: new",
        "/frameworks/0/success/count: 4 -> 3",
    ]


def test_timings_and_versions_are_left_out_and_outcomes_are_not():
    document = {
        "run": "a",
        "success": {"count": 4, "of": 4},
        "frameworks": [{"version": "1", "wall_p50_s": 0.1, "cpu_s": 1, "pss_mib": 9, "calls": 7}],
        "attributions": [{"status": "attributed", "families": [["s1"]], "replays": 3}],
    }
    assert plain(document) == {
        "success": {"count": 4, "of": 4},
        "frameworks": [{"calls": 7}],
        "attributions": [{"status": "attributed", "families": [["s1"]], "replays": 3}],
    }


def test_a_comparison_of_the_version_before_differs_in_nothing_but_what_changed():
    kept = stored_in_version_6()
    now = json.loads(compared().model_dump_json())
    for line in now["frameworks"]:
        line["jobs"] = None
    assert list(differences(plain(as_now(kept, now)), plain(now))) == []
    kept["frameworks"][1]["success"]["count"] = 2
    assert list(differences(plain(as_now(kept, now)), plain(now))) == [
        "/frameworks/1/success/count: 2 -> 3"
    ]


def test_a_folder_without_a_net_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["check", str(tmp_path)])
    assert ended.value.code == 2
    assert "holds no net" in capsys.readouterr().err
