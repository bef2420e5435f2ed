"""The page of what roles see is what they see, and the tables tell successes and tokens."""

from pathlib import Path

from benchmarks.prompts import main, requests_of, table
from benchmarks.record import recorded
from ossia.adapters import named_adapters

from ..adapters.support.environments import installed

PAGE = Path(__file__).parents[2] / "docs" / "prompts.md"


def test_the_page_shows_what_the_control_sends_and_has_a_place_for_every_variant(tmp_path):
    home = installed("control").home
    (tmp_path / "envs").symlink_to(home / "envs")
    page = PAGE.read_text("utf-8")
    found = requests_of(named_adapters("control:all", home), tmp_path)
    assert set(found) == {"control", "control:tools", "control:handoffs", "control:hardened"}
    assert recorded(page, found) == page, "write it: python -m benchmarks.prompts --write"
    every = {info.key: "" for info in named_adapters("all:all", home)}
    assert recorded(page, every) != page


def comparison(**rows):
    frameworks = [
        {"label": label, "success": {"count": won, "of": 4}, "tokens": tokens}
        for label, (won, tokens) in rows.items()
    ]
    return {"facts": {"suite": "assistant"}, "frameworks": frameworks}


def test_a_table_lays_comparisons_side_by_side_also_where_a_variant_is_missing():
    terse = comparison(one=(4, 900.4), two=(0, 1234.5))
    terse["facts"]["prompts"] = "terse"
    lines = table([comparison(one=(4, 1000)), terse]).splitlines()
    assert lines == [
        "| variant | assistant, standard | tokens | assistant, terse | tokens |",
        "| --- | ---: | ---: | ---: | ---: |",
        "| one | 4 of 4 | 1,000 | 4 of 4 | 900 |",
        "| two |  |  | 0 of 4 | 1,234 |",
    ]


def test_what_is_no_comparison_is_told_in_a_line(tmp_path, capsys):
    wrong = tmp_path / "wrong.json"
    for text, said in (("{}", "no comparison"), ("[]", "no comparison"), ("{", "error:")):
        wrong.write_text(text)
        assert main(["--table", str(wrong)]) == 2
        assert capsys.readouterr().err.startswith(said)
    assert main(["--table", str(tmp_path / "none.json")]) == 2
