"""The page of a validation holds what the result holds."""

import pytest

from benchmarks.attribution.page import main, page
from tests.benchmarks.attribution.support import case, result_of, single


@pytest.fixture(scope="module")
def result():
    blind = case(told=(("url#1",),))
    return result_of(single("a"), single("b"), single("c", case=blind))


def test_every_section_has_its_table(result):
    text = page(result)
    titles = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert titles[:2] == ["Targets", "The attributor"] and titles[-1] == "Missed"
    assert "| single: agent | 66.7 | 20.8 to 93.9 | >= 99 | missed |" in text
    assert "| single | 3 | 66.7 [21, 94] |" in text
    assert "| time.wrong | 3 |" in text
    assert "1 of 3 cases, by cause:" in text
    assert "| time.wrong | time#1 | url#1 |" in text


def test_rows_have_the_columns_of_their_head(result):
    widths = set()
    for block in page(result).split("\n\n"):
        rows = [line.count(" | ") for line in block.splitlines() if line.startswith("|")]
        assert len(set(rows)) <= 1, block
        widths |= set(rows)
    assert len(widths) > 3


def test_a_stored_result_is_printed_and_anything_else_refused(result, tmp_path, capsys):
    file = tmp_path / "result.json"
    file.write_text(result.model_dump_json(), "utf-8")
    assert main([str(file)]) == 0
    assert capsys.readouterr().out == page(result) + "\n"
    file.write_text("{}", "utf-8")
    assert main([str(file)]) == 2
    assert "holds no result of a validation" in capsys.readouterr().err
