"""The parser of recorded actions against what Python does with the same texts."""

import string
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ossia_evaluation.workbench.actions import (
    Action,
    escaped,
    foreign,
    signatures,
    tool_name,
    write_action,
    writing_tools,
)
from ossia_evaluation.workbench.reading import read_actions


def python(text: str) -> list[tuple[str, dict[str, Any]]]:
    """What the published evaluator's way of running a text calls before it raises."""
    called: list[tuple[str, dict[str, Any]]] = []

    def recorder(name: str, names: tuple[str, ...]) -> Any:
        source = f"def func({', '.join(f'{n}=None' for n in names)}):\n    note(dict(locals()))"
        scope: dict[str, Any] = {"note": lambda given: called.append((name, given))}
        exec(source, scope)
        return SimpleNamespace(func=scope["func"])

    kits: dict[str, SimpleNamespace] = {}
    for name, names in signatures().items():
        kit, _, tool = name.partition(".")
        setattr(kits.setdefault(kit, SimpleNamespace()), tool, recorder(name, names))
    try:
        eval(escaped(text), {"__builtins__": {}}, dict(kits))
    except Exception:  # noqa: BLE001
        return called
    return called


def expected(text: str) -> tuple[Action, ...]:
    """The actions that Python carries out, in our terms."""
    found = []
    for name, bound in python(text):
        toolkit, _, tool = name.partition(".")
        told = {
            key: value if isinstance(value, str) else foreign(value) if value else ""
            for key, value in bound.items()
            if value is not None
        }
        found.append(Action(toolkit, tool, told))
    return tuple(found)


def ours(text: str) -> tuple[Action, ...]:
    return read_actions(text).actions


NAMES = st.sampled_from(sorted(signatures()))
VALUES = st.one_of(
    st.text(max_size=20),
    st.integers(-5, 5),
    st.none(),
    st.booleans(),
    st.lists(st.text(max_size=3), max_size=2),
)
KEYS = st.sampled_from(
    sorted({name for names in signatures().values() for name in names} | {"self", "extra"})
)


@given(NAMES, st.dictionaries(KEYS, st.text(max_size=30), max_size=4))
@example("email.send_email", {"recipient": "a@b.c", "subject": 'say "hi"', "body": "x"})
@example("email.send_email", {"recipient": "a@b.c", "subject": 'a", body="b', "body": "x\ny"})
@example("calendar.search_events", {"query": "\\"})
@example("calendar.search_events", {"query": '" "'})
@example("calendar.search_events", {"query": "\x00"})
@example("calendar.search_events", {"query": "\r"})
def test_recorded_notation_is_read_as_python_reads_it(name, arguments):
    text = write_action(name, arguments)
    assert ours(text) == expected(text)


@given(NAMES, st.lists(VALUES, max_size=4), st.dictionaries(KEYS, VALUES, max_size=3))
def test_literals_are_bound_as_python_binds_them(name, positional, named):
    told = [repr(value) for value in positional]
    told += [f"{key}={value!r}" for key, value in named.items()]
    text = f"{name}.func({', '.join(told)})"
    assert ours(text) == expected(text)


@given(NAMES, st.text(alphabet=string.printable, max_size=30))
@example("email.delete_email", '(email_id="1"')
@example("email.delete_email", ")(")
def test_broken_texts_are_skipped_where_python_raises(name, rest):
    text = f"{name}.func({rest})"
    wanted = expected(text)
    found = ours(text)
    # Python works out more than literals; what is not read is skipped, never misread.
    assert found in ((), wanted)


@given(st.text(max_size=60))
def test_no_text_breaks_the_parser(text):
    ours(text)
    tool_name(text)


@pytest.mark.parametrize(
    "text",
    [
        'email.delete_email.func(**{"email_id": "1"})',
        'email.delete_email.func(*["1"])',
        'email.delete_email.func("1")',
        ' \temail.delete_email.func(email_id="1")',
        'email.delete_email.func(email_id="a" "b")',
        'email.delete_email.func(email_id="a" + "b")',
        'email.delete_email.func(email_id="" or "b")',
        'email.delete_email.func(email_id="a" and "")',
        'email.delete_email.func(email_id="a", )',
        "email.delete_email.func()",
        'email.delete_email.func(email_id="1", email_id="2")',
        'email.delete_email.func("1", email_id="2")',
        'email.delete_email.func("1", "2")',
        'email.delete_email.func(email_id="1") ; 1',
        'email.delete_email(email_id="1")',
        'email.remove_email.func(email_id="1")',
        'crm.delete_customer.func(customer_id="1")',
        'os.system.func("true")',
        '__import__("os").system("true")',
        "email.delete_email.func(email_id=secret)",
        'email.delete_email.func(email_id="\\d")',
        'email.delete_email.func(email_id="\\x")',
        'email.delete_email.func(email_id=f"1")[0]',
    ],
)
def test_odd_calls(text):
    assert ours(text) == expected(text)


def test_fourteen_tools_write():
    assert len(writing_tools()) == 14
    assert len(signatures()) == 27
