"""Lists are made, filled, read and emptied, by whatever name the user gives them."""

import pytest
from hypothesis import given, settings

from .support import (
    asked_back,
    check_gold,
    check_session,
    ok,
    refused,
    requests_of,
    rows,
    tasks_of,
    world,
)


def add(pair, **params):
    return rows(pair, "lists", intent="lists_createoradd", **params)


def items(pair, **params):
    return [row["item"] for row in rows(pair, "lists", intent="lists_query", **params)]


def drop(pair, **params):
    return rows(pair, "lists", intent="lists_remove", **params)


def test_a_new_list_is_filled_read_and_removed():
    pair = world()
    assert add(pair, list_name="hardware list")[0]["name"] == "hardware"
    add(pair, list_name="hardware", item_name="nails, glue and tape")
    assert items(pair, list_name="my hardware list") == ["nails", "glue", "tape"]
    drop(pair, list_name="hardware", item_name="the glue")
    assert items(pair, list_name="hardware") == ["nails", "tape"]
    assert len(drop(pair, list_name="hardware")) == 3
    assert not pair[1].diff()


def test_items_go_to_the_list_that_is_meant():
    pair = world()
    assert add(pair, item_name="butter")[0]["list"] == "shopping"
    assert add(pair, item_name="rice", list_name="grocery list")[0]["list"] == "shopping"
    assert add(pair, item_name="mow the lawn", list_name="todo")[0]["list"] == "to do"
    made = add(pair, item_name="tent", list_name="camping")
    assert [row.get("name", row.get("item")) for row in made] == ["camping", "tent"]


def test_an_item_is_put_on_a_list_once():
    pair = world()
    milk = {"intent": "lists_createoradd", "item_name": "Milk", "list_name": "shopping"}
    assert refused(pair, "lists", **milk) == "CONFLICT"
    assert [row["item"] for row in add(pair, item_name="milk and honey")] == ["honey"]


def test_what_is_missing_is_asked_for():
    pair = world()
    make = {"intent": "lists_createoradd"}
    assert asked_back(pair, "lists", **make) == ("list_name",)
    assert asked_back(pair, "lists", **make, list_name="shopping") == ("item_name",)
    assert add(pair, list_name="shopping list for target")[0]["name"] == "shopping for target"
    this = {"intent": "lists_remove", "descriptor": "this"}
    assert asked_back(pair, "lists", **this) == ("list_name", "item_name")
    assert asked_back(pair, "lists", intent="lists_remove") == ("list_name", "item_name")


def test_lists_are_read():
    pair = world()
    everything = rows(pair, "lists", intent="lists_query")
    assert everything == rows(pair, "lists", intent="lists_query", descriptor="all")
    assert len(everything) == 6
    shopping = next(row for row in everything if row["name"] == "shopping")
    assert shopping["items"] == ["milk", "eggs", "bread", "red peppers"]
    newest = rows(pair, "lists", intent="lists_query", descriptor="newest")
    assert [row["name"] for row in newest] == ["shopping"]
    assert items(pair, item_name="sunscreen") == ["sunscreen"]
    assert items(pair, item_name="caviar") == []
    assert items(pair, list_name="unicorns") == []
    assert items(pair, list_name="to do", date="2026-03-13") == ["pay the electricity bill"]
    assert items(pair, date="2026-03-14", time="06:00..12:00") == [
        "wash the car",
        "return the library books",
        "passport",
    ]
    assert items(pair, list_name="movies", descriptor="last item") == ["amelie"]


def test_items_are_taken_off_by_position_or_day():
    pair = world()
    assert drop(pair, list_name="movies", descriptor="item two")[0]["item"] == "arrival"
    assert drop(pair, descriptor="last entry")[0]["item"] == "red peppers"
    assert drop(pair, descriptor="last")[0]["item"] == "bread"
    assert drop(pair, descriptor="two")[0]["item"] == "eggs"
    assert len(drop(pair, list_name="to do", date="2026-03-14")) == 2
    assert len(drop(pair, list_name="packing", descriptor="everything")) == 3
    empty = rows(pair, "lists", intent="lists_query", list_name="packing")
    assert empty == []
    lists = rows(pair, "lists", intent="lists_query")
    assert next(row for row in lists if row["name"] == "packing")["items"] == []


def test_a_list_is_removed_by_the_day_on_which_it_was_made():
    pair = world()
    guest = {"intent": "lists_remove", "list_name": "guest"}
    assert refused(pair, "lists", **guest, date="2026-03-12") == "NOT_FOUND"
    ok(pair, "lists", **guest, date="2026-03-02..2026-03-08")
    assert items(pair, list_name="guest") == []


def test_all_lists_are_removed():
    pair = world()
    drop(pair, descriptor="all")
    assert rows(pair, "lists", intent="lists_query") == []
    assert refused(pair, "lists", intent="lists_remove", descriptor="all") == "NOT_FOUND"
    assert add(pair, item_name="salt")[0]["name"] == "shopping"


def test_removal_of_what_is_not_there_is_refused():
    pair = world()
    remove = {"intent": "lists_remove"}
    assert refused(pair, "lists", **remove, item_name="milk and caviar") == "NOT_FOUND"
    assert refused(pair, "lists", **remove, list_name="unicorns") == "NOT_FOUND"
    assert refused(pair, "lists", **remove, descriptor="purple") == "NOT_FOUND"
    add(pair, item_name="milk", list_name="packing")
    assert asked_back(pair, "lists", **remove, item_name="milk") == ("list_name",)


@pytest.mark.parametrize("task", tasks_of("lists"), ids=lambda task: task.id)
def test_gold_runs(task):
    check_gold(task)


@settings(max_examples=50, deadline=None)
@given(requests_of("lists"))
def test_any_request_is_answered_or_refused(session):
    check_session("lists", session)
