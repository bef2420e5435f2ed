"""Audiobooks: play, resume where one stopped, move between chapters.

Audiobooks play on the house's one player (`music.player`, a fact of the same world). A book that is
not in the user's library is streamed under the name that was said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

from ossia_servers.assistant.domains._house import place_name
from ossia_servers.assistant.domains._player import (
    SKIP_MINUTES,
    describe,
    operate,
    pick,
    player,
    read_setting,
    start,
    titled,
)
from ossia_servers.assistant.positions import position
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.lookup import find
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Field, Kind, Match, Refusal, Reply, Row, Table
from ossia_servers.worlds.seeds import SeedContext
from ossia_servers.worlds.synonyms import TOPICS
from ossia_servers.worlds.world import World

BOOKS: Final = "audiobook.books"

_GENERIC = re.compile(
    r"\b(?:audio ?books?|books?|novels?|stor(?:y|ies)|the|a|an|my|called|named|titled|read(?:ing)?"
    r"|listen(?:ing)?|again|please|some|something|current|last|by|from|of|to|version|it|one|i|was)\b"
)
_NUMBERED = re.compile(r"\b(?:chapter|part|section)\b")
_LIBRARY: Final = (
    ("Dune", "Frank Herbert", "science fiction", 22, 7, 14, 1),
    ("Pride and Prejudice", "Jane Austen", "classic romance", 61, 12, 3, 5),
    ("Treasure Island", "Robert Louis Stevenson", "adventure children", 34, 1, 0, 40),
    ("The Hobbit", "J. R. R. Tolkien", "fantasy children", 19, 4, 22, 8),
    ("The Two Towers", "J. R. R. Tolkien", "fantasy", 21, 2, 9, 16),
    ("Sherlock Holmes", "Arthur Conan Doyle", "crime mystery classic", 12, 5, 31, 11),
    ("Dracula", "Bram Stoker", "horror classic", 27, 9, 2, 60),
    ("Moby Dick", "Herman Melville", "classic adventure", 135, 33, 18, 90),
    ("Frankenstein", "Mary Shelley", "horror science fiction classic", 24, 1, 0, 120),
    ("Little Women", "Louisa May Alcott", "classic", 47, 20, 6, 33),
    ("The Time Machine", "H. G. Wells", "science fiction classic", 12, 12, 25, 21),
    ("Becoming", "Michelle Obama", "biography memoir", 24, 3, 11, 3),
    ("Emma", "Jane Austen", "classic romance", 55, 1, 0, 200),
    ("Great Expectations", "Charles Dickens", "classic", 59, 8, 4, 75),
    ("Around the World in Eighty Days", "Jules Verne", "adventure classic", 37, 15, 8, 27),
)


def _seed(context: SeedContext) -> Mapping[str, Sequence[Row]]:
    keys = ("title", "author", "genre", "chapters", "chapter", "minute")
    return {
        BOOKS: [
            {
                **dict(zip(keys, row[:-1], strict=True)),
                "heard": (context.now - timedelta(days=row[-1])).isoformat()[:16],
            }
            for row in _LIBRARY
        ]
    }


def _bare(text: str) -> str:
    return " ".join(_GENERIC.sub(" ", text.casefold()).split())


def _book(world: World, params: Params) -> Row | str:
    """Return the book that a request means, or the title of one that is not in the library.

    Without a title that is a book of the author or kind that was said, or the one heard last.
    """
    rows = sorted(world.rows(BOOKS), key=lambda row: str(row["heard"]), reverse=True)
    title, author = params.text("audiobook_name"), params.text("author_name")
    if title is not None and _bare(title):
        found = pick(rows, title, "title") or pick(rows, _bare(title), "title")
        return found[0] if found else titled(title)
    if author is not None:
        found = find(rows, author, "author")
        return found[0] if found else f"{titled(author)} Audiobook"
    said = params.text("descriptor") or ""
    on = player(world)
    if _bare(said) and (
        kind := find(rows, _bare(said), "genre", same=(TOPICS,)) or find(rows, said, "title")
    ):
        return kind[0]
    if on["source"] == "audiobook":
        own = [row for row in rows if row["title"] == on["title"]]
        return own[0] if own else str(on["title"])
    return rows[0]


def _numbered(said: str) -> int | None:
    """Return the number of the chapter that a text names, such as "third chapter"."""
    number = position(said) if _NUMBERED.search(said) else None
    # The last chapter is mostly the one before.
    return None if number is None or number < 0 else number


def _place_in(book: Row, said: str, actions: Sequence[str]) -> tuple[int, float]:
    """Return the chapter and the minute in it from which to read.

    Raises:
        Refusal: the book has no such chapter.
    """
    chapter, minute = int(book["chapter"]), float(book["minute"])
    if (number := _numbered(said)) is not None:
        chapter, minute = number, 0
    elif "next" in actions or "previous" in actions:
        chapter, minute = chapter + (1 if "next" in actions else -1), 0
    elif "restart" in actions:
        # "Read this chapter again" stays in the chapter; anything else means the whole book.
        chapter, minute = chapter if "chapter" in said else 1, 0
    elif "rewind" in actions:
        minute = max(0, minute - SKIP_MINUTES)
    elif "forward" in actions:
        minute += SKIP_MINUTES
    if not 1 <= chapter <= book["chapters"]:
        raise Refusal.not_found(f"{book['title']} has {book['chapters']} chapters.")
    return chapter, minute


def _play(world: World, params: Params) -> Reply:
    given = (params.text("player_setting"), params.text("descriptor"))
    said = " ".join(text for text in given if text is not None).casefold()
    actions = read_setting(said)
    if {"stop", "pause", "stop after"} & set(actions):
        row = operate(world, actions)
        return Reply(describe(row), [row])
    place = place_name(params.text("house_place"))
    book = _book(world, params)
    if isinstance(book, str):
        author = titled(params.text("author_name") or "")
        first = f"chapter {_numbered(said) or 1}"
        row = start(world, "audiobook", book, creator=author, collection=first, place=place)
        return Reply(describe(row), [row])
    chapter, minute = _place_in(book, said, actions)
    heard = world.now.isoformat()[:16]
    book = world.change(BOOKS, book["id"], chapter=chapter, minute=minute, heard=heard)
    row = start(
        world,
        "audiobook",
        str(book["title"]),
        creator=str(book["author"]),
        collection=f"chapter {chapter}",
        minute=minute,
        place=place,
    )
    return Reply(describe(row), [row])


DOMAIN = Domain(
    name="audiobook",
    description="Audiobooks, on the player of the house.",
    fields=(
        Field("player_setting", Kind.TEXT, "what the player does, such as resume"),
        Field("house_place", Kind.NAME, "room of the house"),
        Field("media_type", Kind.TEXT, "that it is an audiobook", Match.IGNORABLE),
        Field("descriptor", Kind.TEXT, "which book or chapter"),
        Field("audiobook_name", Kind.NAME, "title of the book"),
        Field("author_name", Kind.NAME, "who wrote it"),
    ),
    intents=(Intent("play_audiobook", "Read an audiobook.", _play, writes=True),),
    tables=(
        Table(
            BOOKS,
            "book",
            {
                "title": Match.CASEFOLD,
                "author": Match.CASEFOLD,
                "genre": Match.CASEFOLD,
                "chapters": Match.NUMBER,
                "chapter": Match.NUMBER,
                "minute": Match.NUMBER,
                "heard": Match.EXACT,
            },
        ),
    ),
    seed=_seed,
)
