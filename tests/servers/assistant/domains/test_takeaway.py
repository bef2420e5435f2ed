"""Food is ordered where it is served, and the order is found again."""

from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .support import ask, asked_back, check_gold, refused, rows, tasks_of, world


def _order(pair=None, **params):
    (row,) = rows(pair or world(), "takeaway", intent="takeaway_order", **params)
    return row


def _found(pair=None, **params):
    return rows(pair or world(), "takeaway", intent="takeaway_query", **params)


@pytest.mark.parametrize(
    ("params", "restaurant", "way"),
    [
        ({"food_type": "a large pepperoni pizza"}, "Mario's Pizzeria", "delivery"),
        ({"food_type": "two burritos", "order_type": "to go"}, "Taqueria Luna", "pickup"),
        ({"food_type": "thai food"}, "Bangkok Garden", "pickup"),
        ({"food_type": "moussaka"}, "Corner Diner", "delivery"),
        ({"business_type": "diner"}, "Corner Diner", "delivery"),
        ({"business_name": "golden dragon"}, "Golden Dragon", "delivery"),
    ],
)
def test_an_order_goes_to_who_serves_it(params, restaurant, way):
    row = _order(**params)
    assert (row["restaurant"], row["type"], row["status"]) == (restaurant, way, "ordered")


def test_an_order_is_found_by_food_and_restaurant():
    pair = world()
    made = _order(pair, food_type="sushi", time="19:00", date="2026-03-14")
    assert (made["date"], made["time"]) == ("2026-03-14", "19:00")
    assert _found(pair, food_type="sushi", descriptor="status") == [made]
    assert _found(pair, business_name="sakura", descriptor="on its way") == [made]
    assert made in _found(pair)
    assert _found(pair, date="2026-03-14") == [made]


def test_portions_are_counted():
    assert _order(food_type="pizza", count="two")["food"] == "2 x pizza"
    assert _order(food_type="pizza", count="2")["food"] == "2 x pizza"


def test_a_query_asks_as_a_descriptor_does():
    pair = world()
    made = _order(pair, food_type="sushi")
    assert _found(pair, food_type="sushi", query="order status") == [made]


def test_the_time_of_an_order_has_defaults():
    ready = _order(food_type="burger")
    assert (ready["date"], ready["time"]) == ("2026-03-13", "10:25")
    assert _order(food_type="burger", time="09:00")["date"] == "2026-03-14"
    running = _order(world(now=datetime(2026, 3, 13, 19, 0)), food_type="pie", time="18:00..22:00")
    assert running["date"] == "2026-03-13"
    assert _order(food_type="burger", date="2026-03-16")["time"] == "18:00"


def test_what_cannot_be_ordered_is_refused_or_asked_back():
    pair = world()
    given = {"intent": "takeaway_order", "food_type": "pasta"}
    delivered = {"business_name": "olive garden", "order_type": "delivery"}
    assert refused(pair, "takeaway", **given, **delivered) == "CONFLICT"
    assert refused(pair, "takeaway", **given, date="2026-03-10") == "CONFLICT"
    assert refused(pair, "takeaway", **given, date="2026-03-13", time="09:00") == "CONFLICT"
    unsaid = {"order_type": "delivery", "place_name": "Boston", "time": "18:30"}
    missing = asked_back(pair, "takeaway", intent="takeaway_order", **unsaid)
    assert missing == ("food_type", "business_name")


def test_restaurants_are_found_by_food_kind_and_way():
    names = [row["name"] for row in _found(food_type="curry")]
    assert names == ["Taj Palace", "Bangkok Garden"]
    assert [row["name"] for row in _found(food_type="curry", order_type="delivery")] == names[:1]
    assert [row["name"] for row in _found(business_type="thai restaurant")] == ["Bangkok Garden"]
    assert _found(business_name="olive garden", order_type="delivers")[0]["delivers"] is False
    ratings = [row["rating"] for row in _found(business_type="restaurants", descriptor="reviews")]
    assert ratings == sorted(ratings, reverse=True)
    assert _found(food_type="zzz") == []


def test_restaurants_of_another_town_are_at_another_address():
    (there,) = _found(business_name="subway", place_name="Dallas")
    (here,) = _found(business_name="subway", place_name="nearby")
    assert there["address"].endswith("Dallas, Texas")
    assert here["address"].endswith("New York, New York")


def test_a_restaurant_that_is_not_listed_has_its_own_entry():
    (row,) = _found(business_name="charley's steakhouse")
    assert row["name"] == "Charley's Steakhouse"
    assert _found(business_name="Charley's Steakhouse", order_type="takeaway") == [row]
    assert _order(business_name="wings n. ale", food_type="wings")["restaurant"] == "Wings N. Ale"


def test_without_a_question_the_open_orders_are_told():
    assert [row["status"] for row in _found()] == ["on its way"]
    assert [row["status"] for row in _found(food_type="dumplings", descriptor="order")] == [
        "collected"
    ]


@given(
    st.text(min_size=1, max_size=30),
    st.sampled_from(["order", "query"]),
    st.sampled_from(["food_type", "order_type", "business_type", "business_name", "descriptor"]),
)
@settings(max_examples=40, deadline=None)
def test_any_words_are_answered_or_refused(text, intent, name):
    given = {"intent": f"takeaway_{intent}", name: text}
    assert ask(world(domains=["takeaway"]), "takeaway", **given)


@pytest.mark.parametrize("task", tasks_of("takeaway"), ids=lambda task: task.id)
def test_the_gold_run_of_each_task(task):
    check_gold(task)
