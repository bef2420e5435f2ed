"""Recipes are found by dish, ingredient and kind."""

import pytest

from .support import check_gold, ok, rows, tasks_of, world


def _titles(**params):
    return [row["title"] for row in rows(world(), "cooking", intent="cooking_recipe", **params)]


@pytest.mark.parametrize(
    ("food", "title"),
    [
        ("pancakes", "Pancakes"),
        ("thai fried rice", "Fried Rice"),
        ("a whole turkey", "Roast Turkey"),
        ("biriyani meal", "Chicken Biryani"),
        ("recipe for chili", "Chili"),
        ("avocados", "Guacamole"),
    ],
)
def test_a_dish_is_found_by_name_or_ingredient(food, title):
    assert _titles(food_type=food)[0] == title


def test_a_descriptor_chooses_among_the_dishes():
    assert _titles(food_type="soup", descriptor="easy") == ["Tomato Soup"]
    assert _titles(descriptor="romantic dinner for two") == ["Steak", "Baked Salmon"]
    assert set(_titles(descriptor="quick vegan")) <= {
        "Pasta with Tomato Sauce",
        "Vegetable Stir Fry",
        "Guacamole",
    }
    assert _titles(food_type="lasagna", descriptor="best") == ["Vegetable Lasagna"]


def test_a_form_of_the_recipe_is_kept():
    told = rows(
        world(), "cooking", intent="cooking_recipe", food_type="pizza", media_type="a video"
    )
    assert told[0]["media"] == "video"


def test_without_anything_one_idea_is_told():
    assert len(_titles()) == 1


def test_a_dish_that_is_nearly_there_is_offered_as_such():
    pair = world()
    done = ok(pair, "cooking", intent="cooking_recipe", food_type="lobster soup")
    assert {"Tomato Soup", "Chicken Noodle Soup"} == {row["title"] for row in done.record.result}
    assert done.record.response.startswith("There is no recipe for lobster soup")


def test_an_unknown_dish_is_admitted_and_named():
    pair = world()
    done = ok(pair, "cooking", intent="cooking_recipe", food_type="lutefisk recipe")
    assert done.record.result == [{"title": None, "asked": ["lutefisk"]}]
    assert "no recipe" in done.record.response


@pytest.mark.parametrize("task", tasks_of("cooking"), ids=lambda task: task.id)
def test_the_gold_run_of_each_task(task):
    check_gold(task)
