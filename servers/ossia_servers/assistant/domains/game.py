"""Games: start one; the game before it ends.

A game that is not among the user's own is started under the name that was said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

from ossia_servers.assistant.domains._player import pick, titled
from ossia_servers.worlds import synonyms
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Field, Kind, Match, Reply, Row, Table
from ossia_servers.worlds.seeds import SeedContext
from ossia_servers.worlds.world import World

GAMES: Final = "game.games"
SESSIONS: Final = "game.sessions"

_GENERIC = re.compile(
    r"\b(?:games?|apps?|a|an|the|my|me|with|us|you|some|any|something|please|of|called|named|round"
    r"|match|play|video|computer|board)\b"
)
_EDGES = re.compile(r"^(?:the |a )?(?:(?:game |app )?(?:called |named ))?| (?:game|app)$")
_GAMES: Final = (
    ("Chess", "board game", "Your move: you have white."),
    ("Checkers", "board game", "You have the red pieces."),
    ("Scrabble", "word game", "Your letters are on the table."),
    ("Hangman", "word game", "My word has seven letters."),
    ("Twenty Questions", "guessing game", "I have thought of something."),
    ("I Spy", "guessing game", "I spy something blue."),
    ("Trivia", "quiz", "Here comes the first question."),
    ("Tic Tac Toe", "board game", "You begin with a cross."),
    ("Solitaire", "card game", "The cards are dealt."),
    ("Blackjack", "card game", "You hold a nine and a five."),
    ("Sudoku", "puzzle", "The grid is ready."),
    ("Crossword", "word game", "One across has five letters."),
    ("Temple Run", "action game", "Run!"),
    ("Angry Birds", "action game", "The first bird is loaded."),
    ("Tetris", "puzzle", "The first block is falling."),
    ("Minecraft", "building game", "Your world is loaded."),
    ("Mario Kart", "racing game", "Start your engine."),
    ("San Andreas", "action game", "Welcome back."),
    ("Pac Man", "arcade game", "Watch out for the ghosts."),
    ("Candy Crush", "puzzle", "You have twenty moves."),
)
_PLAYED: Final = (("Trivia", 6), ("Tetris", 4), ("Sudoku", 2), ("Hangman", 1))


def _seed(context: SeedContext) -> Mapping[str, Sequence[Row]]:
    day = context.now.date()
    return {
        GAMES: [{"name": name, "kind": kind, "opening": opening} for name, kind, opening in _GAMES],
        SESSIONS: [
            {
                "game": name,
                "date": (day - timedelta(days=days_ago)).isoformat(),
                "time": "20:15",
                "status": "ended",
            }
            for name, days_ago in _PLAYED
        ],
    }


def _unknown(said: str) -> str:
    """Return the name of a game that is not among the user's own."""
    return titled(synonyms.GAMES.others().get(said, said))


def _play(world: World, params: Params) -> Reply:
    """Start the game that was named, or the one played last."""
    said = params.text("game_name") or ""
    bare = " ".join(_GENERIC.sub(" ", said.casefold()).split())
    games = world.rows(GAMES)
    sessions = world.rows(SESSIONS)
    found = pick(games, said, "name", same=(synonyms.GAMES,)) or (
        pick(games, bare, "name", "kind", same=(synonyms.GAMES,)) if bare else []
    )
    if not found and not bare:
        found = [row for row in games if row["name"] == sessions[-1]["game"]]
    name = str(found[0]["name"]) if found else _unknown(_EDGES.sub("", said.casefold()) or bare)
    for row in sessions:
        if row["status"] == "playing":
            world.change(SESSIONS, row["id"], status="ended")
    session = world.add(
        SESSIONS,
        game=name,
        date=world.today.isoformat(),
        time=world.now.strftime("%H:%M"),
        status="playing",
    )
    opening = f" {found[0]['opening']}" if found else ""
    return Reply(f"Let us play {name}.{opening}", [session])


DOMAIN = Domain(
    name="game",
    description="Games to play with the assistant.",
    fields=(Field("game_name", Kind.NAME, "name of the game", example="chess"),),
    intents=(Intent("play_game", "Start a game.", _play, writes=True),),
    tables=(
        Table(
            GAMES,
            "game",
            {"name": Match.CASEFOLD, "kind": Match.CASEFOLD, "opening": Match.FREE_TEXT},
        ),
        Table(
            SESSIONS,
            "session",
            {
                "game": Match.CASEFOLD,
                "date": Match.DATETIME,
                "time": Match.DATETIME,
                "status": Match.EXACT,
            },
        ),
    ),
    seed=_seed,
)
