"""One game is played at a time."""

import pytest

from ossia_dataset.world_tasks import WorldTask
from ossia_servers.worlds.schema import Row

from .support import Pair, check_gold, refused, rows, tasks_of, world


@pytest.fixture
def home() -> Pair:
    return world(domains=["game"])


def play(pair: Pair, **params: str) -> Row:
    return rows(pair, "game", intent="play_game", **params)[0]


@pytest.mark.parametrize(
    ("said", "game"),
    [
        ("chess app", "Chess"),
        ("i spy with me", "I Spy"),
        ("the game tic tac toe", "Tic Tac Toe"),
        ("a card game", "Solitaire"),
        ("game", "Hangman"),
        ("game of thrones", "Game of Thrones"),
        ("lemonade stand game", "Lemonade Stand"),
    ],
)
def test_games_are_found(home: Pair, said: str, game: str) -> None:
    assert play(home, game_name=said)["game"] == game


def test_the_game_before_ends(home: Pair) -> None:
    first = play(home, game_name="tetris")
    assert (first["date"], first["time"], first["status"]) == ("2026-03-13", "10:00", "playing")
    play(home, game_name="trivia")
    open_games = [row for row in home[1].rows("game.sessions") if row["status"] == "playing"]
    assert [row["game"] for row in open_games] == ["Trivia"]
    assert play(home)["game"] == "Trivia"


def test_nonsense_is_refused(home: Pair) -> None:
    refused(home, "game", intent="play_game", game_name=" ")
    refused(home, "game", intent="stop_game")


@pytest.mark.parametrize("task", tasks_of("game"), ids=lambda task: str(task.id))
def test_gold_runs(task: WorldTask) -> None:
    check_gold(task)
