"""Audiobooks go on where they stopped and move between chapters."""

import pytest

from ossia_dataset.world_tasks import WorldTask
from ossia_servers.worlds.schema import Row

from .support import Pair, check_gold, refused, rows, tasks_of, world


@pytest.fixture
def home() -> Pair:
    return world(domains=["audiobook", "music"])


def play(pair: Pair, **params: str) -> Row:
    return rows(pair, "audiobook", intent="play_audiobook", **params)[0]


@pytest.mark.parametrize(
    ("params", "title", "chapter"),
    [
        ({}, "Dune", 7),
        ({"audiobook_name": "my audiobook"}, "Dune", 7),
        ({"audiobook_name": "becoming by michelle obama"}, "Becoming", 3),
        ({"author_name": "jane austen"}, "Pride and Prejudice", 12),
        ({"author_name": "jane austen", "audiobook_name": "emma"}, "Emma", 1),
        ({"descriptor": "mystery"}, "Sherlock Holmes", 5),
        ({"player_setting": "resume", "audiobook_name": "moby dick"}, "Moby Dick", 33),
        ({"player_setting": "next chapter"}, "Dune", 8),
        ({"player_setting": "previous chapter"}, "Dune", 6),
        ({"player_setting": "start over"}, "Dune", 1),
        ({"player_setting": "replay this chapter"}, "Dune", 7),
        ({"descriptor": "chapter twenty", "audiobook_name": "dracula"}, "Dracula", 20),
        ({"audiobook_name": "ready player one"}, "Ready Player One", 1),
    ],
)
def test_what_is_read(home: Pair, params: dict[str, str], title: str, chapter: int) -> None:
    row = play(home, **params)
    assert (row["source"], row["title"]) == ("audiobook", title)
    assert row["collection"] == f"chapter {chapter}"
    assert row == home[1].rows("music.player")[0]


def test_the_place_in_a_book_is_kept(home: Pair) -> None:
    assert play(home, player_setting="rewind")["minute"] == 13
    play(home, player_setting="next chapter")
    play(home, audiobook_name="dracula")
    again = play(home, audiobook_name="dune", house_place="my room", media_type="audiobook")
    assert (again["collection"], again["minute"], again["place"]) == ("chapter 8", 0, "bedroom")
    assert play(home)["title"] == "Dune"


def test_a_book_has_its_chapters_and_no_more(home: Pair) -> None:
    play(home, audiobook_name="the time machine")
    refused(home, "audiobook", intent="play_audiobook", player_setting="next chapter")
    refused(home, "audiobook", intent="play_audiobook", descriptor="chapter ninety nine")


def test_stop_and_go_on(home: Pair) -> None:
    play(home, audiobook_name="emma")
    assert play(home, player_setting="stop")["status"] == "stopped"
    again = play(home, player_setting="keep reading")
    assert (again["title"], again["status"]) == ("Emma", "playing")
    assert play(home, player_setting="pause")["status"] == "paused"


@pytest.mark.parametrize("task", tasks_of("audiobook"), ids=lambda task: str(task.id))
def test_gold_runs(task: WorldTask) -> None:
    check_gold(task)
