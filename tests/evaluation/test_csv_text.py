"""CSV that quotes others: harmless for a terminal, and otherwise as it was."""

import csv
import io
from pathlib import Path

import pytest

from ossia_evaluation.csv_text import csv_text
from ossia_evaluation.report import by_group_csv, episodes_csv

from .compared import compared, read, row

ROOT = Path(__file__).parents[2]
PRODUCT = ("ossia", "servers", "dataset", "workflows", "evaluation")


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("\x1b[2Jgone", "\\u001b[2Jgone"),
        ("a\x00b\u202ec\x9b", "a\\u0000b\\u202ec\\u009b"),
        ('a, "b"; grüße 世界\tc\nd', 'a, "b"; grüße 世界\tc\nd'),
    ],
)
def test_only_what_steers_a_terminal_is_written_out(text, cell):
    written = csv_text((text,), [(text,)])
    assert list(csv.reader(io.StringIO(written))) == [[cell], [cell]]


def test_numbers_and_the_unknown_are_as_they_were():
    assert csv_text("abcd", [(1, 0.5, None, True)]) == "a,b,c,d\n1,0.5,,True\n"


def test_reports_quote_no_control_character():
    hostile = {"domain": "\x1b[31mred", "intent": "\x07bell"}
    rows = [row("one", "alarm-1", "failure", reason="\x1b]0;title\x07", groups=hostile)]
    (line,) = read(episodes_csv(rows))
    assert (line["domain"], line["intent"]) == ("\\u001b[31mred", "\\u0007bell")
    assert line["reason"] == "\\u001b]0;title\\u0007"
    assert "\x1b" not in by_group_csv(compared(rows, ["one"]))


def test_nothing_else_writes_csv():
    files = [file for folder in PRODUCT for file in (ROOT / folder).rglob("*.py")]
    writers = [file.name for file in files if "csv.writer" in file.read_text("utf-8")]
    assert writers == ["csv_text.py"]
