"""The faults that show in failures, counted by type and by who is at fault."""

import io
from types import SimpleNamespace

from rich.console import Console, Group

from ossia.attribution.fault_table import fault_tables
from ossia_evaluation.attribution import Attribution, Cause, Status


def failure(number, *, status=Status.ATTRIBUTED, service=(), **cause):
    causes, families = (), ()
    if cause:
        told = {"necessary": True, "sufficient": True, "said": "", "meant": "", "fault": ""}
        told |= {
            "step": 1,
            "remedy": "",
            "responsibility": 1,
            "role": "time",
            "situation": "time#1",
        }
        causes, families = (Cause(**told | cause),), (("time#1",),)
    return Attribution(
        episode=f"f{number}.t.1",
        task="t",
        framework=f"f{number}",
        domain="d",
        intent="i",
        status=status,
        reason="-",
        families=families,
        causes=causes,
        service=service,
    )


def shown(*found, stressed=True, most=None):
    console = Console(width=80, file=io.StringIO())
    result = SimpleNamespace(attributions=found, stressed=stressed)
    console.print(Group(*fault_tables(result, most)))
    return console.file.getvalue()


def test_who_is_at_fault_stands_beside_each_type():
    text = shown(
        failure(1, sign="empty"),
        failure(2, sign="empty"),
        failure(1, status=Status.ENDPOINT, sign="hang", role="endpoint"),
        failure(1, status=Status.SERVICE, service=("wrong-value",)),
        failure(1, differs="stale"),
    )
    lines = [line.split() for line in text.splitlines()]
    assert ["empty", "time", "time", "2", "2"] in lines
    assert ["hang", "endpoint", "time", "1", "1"] in lines
    assert ["wrong-value", "service", "-", "1", "1"] in lines
    assert ["stale", "*", "time", "time", "1", "1"] in lines


def test_a_difference_is_no_fault_where_there_is_no_plan():
    assert "stale" not in shown(failure(1, differs="stale"), stressed=False)
    assert shown(failure(1), stressed=False).strip() == ""


def test_what_is_left_out_is_counted():
    text = shown(failure(1, sign="empty"), failure(2, sign="cut"), most=1)
    assert "and 1 more line;" in text
