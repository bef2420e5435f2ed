"""Recipes from the user's cookbook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ossia_servers.assistant.domains import _simulated as simulated
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.lookup import find, listing, meanings, same_words
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Field, Kind, Match, Reply, Row, Table
from ossia_servers.worlds.seeds import SeedContext
from ossia_servers.worlds.synonyms import FOOD
from ossia_servers.worlds.world import World

RECIPES: Final = "cooking.recipes"

SHOWN: Final = 3
"""How many recipes are told at once."""

_SURPLUS: Final = meanings(
    "recipe cook make making prepare food dish meal good best great favorite popular simple"
    " delicious tasty new home homemade scratch step instruction ingredient how long what two one"
    " person people night dinner temperature correct need"
)
"""Words of a request that pick no recipe."""


_FORMS: Final = meanings("video clip film article text blog post app site website channel page")
"""Forms of a recipe, which say little beside the name of where it comes from."""


def _seed(context: SeedContext) -> Mapping[str, Sequence[Row]]:
    return {RECIPES: simulated.data("recipes")}


def _telling(text: str | None) -> str:
    """Return the words of a text that can pick a recipe."""
    said = same_words(text or "", FOOD).split()
    return " ".join(word for word in said if not meanings(word) <= _SURPLUS)


def _medium(text: str | None) -> str:
    """Return where a recipe comes from, such as "youtube", or else its form, such as "video"."""
    said = [word for word in simulated.key(text or "").split() if not meanings(word) <= _SURPLUS]
    return " ".join(word for word in said if not meanings(word) <= _FORMS) or same_words(
        " ".join(said)
    )


def _about(rows: Sequence[Row], text: str) -> list[Row]:
    """Return the recipes that a text points at, by name before kind and ingredients."""
    return (
        find(rows, text, "title", same=(FOOD,))
        or find(rows, text, "title", "tags", same=(FOOD,))
        or find(rows, text, "title", "tags", "ingredients", same=(FOOD,))
    )


def _chosen(world: World, food: str, kind: str) -> tuple[list[Row], bool]:
    """Return the recipes that a request means, and whether they are just what was asked for."""
    rows, exact = world.rows(RECIPES), True
    if food:
        found = _about(rows, food)
        # "Thai fried rice" is served by the fried rice of the book.
        rows, exact = found or _most_of(rows, meanings(food, FOOD)), bool(found)
    if kind and rows:
        fitting = _about(rows, kind) or _most_of(rows, meanings(kind, FOOD))
        rows = fitting or (rows if food else [])
    return rows, exact


def _most_of(rows: Sequence[Row], wanted: frozenset[str]) -> list[Row]:
    """Return the recipes that have the most of the wanted words, and at least one."""
    counts = [
        len(wanted & meanings(f"{row['title']} {' '.join(row['tags'])}", FOOD)) for row in rows
    ]
    most = max(counts)
    return [row for row, count in zip(rows, counts, strict=True) if count == most > 0]


def _shown(row: Row, media: str) -> dict[str, Any]:
    shown = dict(row)
    if media:
        shown["media"] = media
    return shown


def _told(row: Row) -> str:
    oven = f", oven at {row['oven']} degrees" if row["oven"] else ""
    return (
        f"{row['title']} (serves {row['serves']}, {row['minutes']} minutes{oven}): take"
        f" {listing(row['ingredients'])}. {' '.join(row['steps'])}"
    )


def _recipe(world: World, params: Params) -> Reply:
    food, kind = _telling(params.text("food_type")), _telling(params.text("descriptor"))
    media = _medium(params.text("media_type"))
    rows, exact = _chosen(world, food, kind)
    if not rows:
        asked = " ".join(filter(None, (kind, food)))
        return Reply(
            f"There is no recipe for {asked} in your cookbook.",
            [{"title": None, "asked": sorted(meanings(asked))}],
        )
    if not food and not kind:
        # "Tell me what to cook" wants one idea, another one each day.
        rows = [world.random("cooking", "idea", world.today).choice(rows)]
    shown = [_shown(row, media) for row in rows[:SHOWN]]
    more = [row["title"] for row in shown[1:]]
    others = f" Also fitting: {listing(more)}." if more else ""
    lead = f"Here is a {media} recipe. " if media else ""
    if not exact:
        lead = f"There is no recipe for {food} in your cookbook, but one that is close. {lead}"
    return Reply(f"{lead}{_told(shown[0])}{others}", shown)


DOMAIN = Domain(
    name="cooking",
    description="Recipes and how to cook.",
    fields=(
        Field("food_type", Kind.NAME, "dish, ingredient or cuisine", example="chicken curry"),
        Field("descriptor", Kind.TEXT, "what kind of recipe, such as easy or for two"),
        Field("media_type", Kind.NAME, "form of the recipe, such as video"),
    ),
    intents=(Intent("cooking_recipe", "Find a recipe.", _recipe, writes=False),),
    tables=(
        Table(
            RECIPES,
            "recipe",
            {
                "title": Match.CASEFOLD,
                "tags": Match.IGNORABLE,
                "minutes": Match.NUMBER,
                "serves": Match.NUMBER,
                "oven": Match.NUMBER,
                "ingredients": Match.FREE_TEXT,
                "steps": Match.FREE_TEXT,
            },
        ),
    ),
    seed=_seed,
)
