"""Reading a user's copy of the published data."""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_dataset.tasks import TaskError
from ossia_dataset.workbench.database import COLUMNS
from ossia_dataset.workbench.published import (
    DOMAINS,
    FILES,
    empty_cell,
    find_data,
    read_published,
    text_list,
)

HEAD = ("query", "answer", "base_template", "chosen_template", "domains")


@pytest.fixture
def copy(tmp_path):
    """A copy with one row in each table and one task in each file."""
    for table, file in FILES.items():
        columns = COLUMNS[table]
        lines = [columns] if len(columns) > 1 else []
        write(tmp_path / file, [*lines, [f"{name}-1" for name in columns]])
    for domain in DOMAINS:
        write(truths(tmp_path, domain), [HEAD, ("Do it", "['a.b.func()']", "T", "T", "['crm']")])
    return tmp_path


def truths(folder, domain):
    return folder / f"processed/queries_and_answers/{domain}_queries_and_answers.csv"


def write(file, lines):
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8", newline="") as target:
        csv.writer(target).writerows(lines)


def test_a_copy_is_read(copy):
    found = read_published(copy)
    assert [task.domain for task in found.tasks] == list(DOMAINS)
    assert found.tasks[0].toolkits == ("customer_relationship_manager",)
    assert found.release.startswith("wb-unknown-")
    (row,) = found.database.tables["email.emails"]
    assert row["inbox/outbox"] == "inbox/outbox-1"


def test_the_release_depends_on_everything_but_line_ends(copy):
    before = read_published(copy)
    file = copy / FILES["email.emails"]
    text = file.read_bytes()
    file.write_bytes(text.replace(b"\r\n", b"\n"))
    assert read_published(copy).release == before.release
    file.write_bytes(text.replace(b"body-1", b"body-2"))
    changed = read_published(copy)
    assert changed.release != before.release
    assert changed.database.seed != before.database.seed


def test_the_folder_is_found_from_near_by(copy, tmp_path_factory):
    assert find_data(copy / "processed") == copy
    assert find_data(copy) == copy
    with pytest.raises(TaskError, match="contains no WorkBench data"):
        find_data(tmp_path_factory.mktemp("empty"))


def test_empty_cells_are_no_values(copy):
    columns = COLUMNS["project_management.tasks"]
    write(copy / FILES["project_management.tasks"], [columns, ["1", "", "NaN", "None", "x", "y"]])
    (row,) = read_published(copy).database.tables["project_management.tasks"]
    assert list(row.values()) == ["1", None, None, None, "x", "y"]


@pytest.mark.parametrize(
    ("file", "lines", "said"),
    [
        (FILES["calendar.events"], [("a", "b")], "the columns are not event_id"),
        (FILES["calendar.events"], [COLUMNS["calendar.events"], ("1",)], "row 2 has 1 cells"),
        ("email", [HEAD, ("q", "oops", "t", "t", "[]")], "task 0"),
        ("email", [HEAD, ("q",)], "task 0 has 1 cells"),
        ("email", [("query",)], "the columns are not query"),
    ],
)
def test_a_damaged_file_is_named(copy, file, lines, said):
    path = truths(copy, file) if file in DOMAINS else copy / file
    write(path, lines)
    with pytest.raises(TaskError, match=said) as raised:
        read_published(copy)
    assert str(path) in str(raised.value)


def test_a_missing_file_is_named(copy):
    truths(copy, "calendar").unlink()
    with pytest.raises(TaskError, match=r"calendar_queries_and_answers\.csv: no such file"):
        read_published(copy)


@given(st.lists(st.text()))
def test_lists_of_texts_are_read_as_they_were_written(texts):
    assert text_list(repr(texts)) == tuple(texts)


@given(st.text())
def test_any_other_cell_is_refused(cell):
    try:
        found = text_list(cell)
    except ValueError:
        return
    assert all(isinstance(item, str) for item in found)


@pytest.mark.parametrize("cell", ["", "nan", "None", "NULL"])
def test_what_counts_as_empty(cell):
    assert empty_cell(cell)
    assert not empty_cell(f"{cell} x")
