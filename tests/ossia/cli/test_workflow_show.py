"""`ossia workflow show`: a scenario in each format, printed or written to a file."""

import sys
from xml.etree import ElementTree

import pytest

from ossia.cli.workflow import show_command
from ossia.errors import UserError
from ossia_workflows.scenario import FORMS, load_scenario


@pytest.mark.parametrize("form", FORMS)
def test_a_file_holds_what_would_be_printed(tmp_path, capsys, form):
    show_command("ride-booking", form)
    printed = capsys.readouterr().out
    show_command("ride-booking", form, tmp_path / "out")
    assert (tmp_path / "out").read_text("utf-8") == printed
    assert FORMS[form].read(printed.rstrip("\n")) == load_scenario("ride-booking").graph


def test_a_picture_is_svg(tmp_path):
    show_command("ride-booking", "svg", tmp_path / "ride.svg")
    assert ElementTree.parse(tmp_path / "ride.svg").getroot().tag.endswith("}svg")


def test_without_graphviz_it_is_said_what_brings_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    with pytest.raises(UserError, match=r"pip install 'ossia\[svg\]'"):
        show_command("ride-booking", "svg", tmp_path / "ride.svg")
    assert not (tmp_path / "ride.svg").exists()


def test_a_file_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(UserError, match="there is no folder"):
        show_command("ride-booking", "svg", tmp_path / "none" / "ride.svg")
