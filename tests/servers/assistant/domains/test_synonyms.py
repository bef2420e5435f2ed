"""Words that mean the same find the same, in every field."""

import pytest

from ossia_servers.worlds.lookup import meanings, same_name, words

from .support import refused, rows, world


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("comedies", "comedy"),
        ("recipes", "recipe"),
        ("sandwiches", "sandwich"),
        ("potatoes", "potato"),
        ("movies", "movie"),
        ("buses", "bus"),
        ("headaches", "headache"),
        ("peaches", "peach"),
        ("prizes", "prize"),
    ],
)
def test_a_plural_is_its_singular(first, second):
    assert words(first) == words(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("mum's telly", "my mom's TV"),
        ("children's films", "kid movies"),
        ("the vacuum cleaner", "hoover"),
        ("favourite colours", "favorite color"),
        ("dad", "father"),
        ("the newest photos", "most recent pictures"),
        ("soccer game", "football game"),
    ],
)
def test_words_for_the_same_are_the_same(first, second):
    assert meanings(first) == meanings(second)
    assert same_name(first, second)


def test_other_words_stay_apart():
    assert not same_name("mother", "father")
    assert not same_name("the filmstrip", "the movie strip")


def _changed(intent, **params):
    return [(row["room"], row["name"]) for row in rows(world(), "iot", intent=intent, **params)]


@pytest.mark.parametrize("device", ["tv", "telly", "the television", "living room tv"])
def test_the_television_is_no_speaker(device):
    television = [("living room", "television")]
    assert _changed("audio_volume_up", device_type=device) == television
    assert _changed("audio_volume_mute", device_type=device, house_place="lounge") == television
    assert _changed("iot_wemo_off", device_type=device) == television


@pytest.mark.parametrize("device", ["speaker", "the loudspeakers", "living room speaker"])
def test_a_speaker_is_no_television(device):
    params = {"device_type": device, "house_place": "living room"}
    assert _changed("audio_volume_mute", **params) == [("living room", "speaker")]
    assert _changed("audio_volume_other", change_to="30", **params) == [("living room", "speaker")]
    assert ("living room", "television") not in _changed("audio_volume_up", device_type=device)


def test_sound_of_no_device_is_that_of_all():
    assert len(_changed("audio_volume_down", house_place="living room")) == 2


@pytest.mark.parametrize(
    ("device", "room"),
    [
        ("lounge lights", "living room"),
        ("loo light", "bathroom"),
        ("nursery lamp", "kids room"),
        ("children's room lamps", "kids room"),
        ("lamp in the study", "office"),
    ],
)
def test_a_device_may_name_its_room(device, room):
    assert {place for place, _ in _changed("iot_hue_lighton", device_type=device)} == {room}


def test_a_device_that_the_room_lacks_is_refused():
    params = {"intent": "iot_wemo_on", "device_type": "lounge kettle"}
    assert refused(world(), "iot", **params) == "NOT_FOUND"
    assert refused(world(), "iot", **{**params, "device_type": "zyzzyva"}) == "NOT_FOUND"


@pytest.mark.parametrize(
    ("domain", "intent", "first", "second"),
    [
        ("cooking", "cooking_recipe", {"descriptor": "simple"}, {"descriptor": "easy"}),
        ("cooking", "cooking_recipe", {"descriptor": "fast"}, {"descriptor": "quick recipes"}),
        ("cooking", "cooking_recipe", {"descriptor": "veggie"}, {"descriptor": "vegetarian"}),
        ("cooking", "cooking_recipe", {"food_type": "burgers"}, {"food_type": "hamburger"}),
        (
            "cooking",
            "cooking_recipe",
            {"food_type": "soup", "media_type": "youtube videos"},
            {"food_type": "soups", "media_type": "youtube"},
        ),
        (
            "recommendation",
            "recommendation_movies",
            {"movie_type": "comedies"},
            {"movie_type": "funny films"},
        ),
        (
            "recommendation",
            "recommendation_movies",
            {"movie_type": "science fiction"},
            {"movie_type": "sci-fi"},
        ),
        (
            "recommendation",
            "recommendation_movies",
            {"descriptor": "children's"},
            {"descriptor": "for kids"},
        ),
        (
            "recommendation",
            "recommendation_locations",
            {"business_type": "chemists"},
            {"business_type": "pharmacy"},
        ),
        ("takeaway", "takeaway_query", {"food_type": "hamburgers"}, {"food_type": "burger"}),
        ("news", "news_query", {"news_topic": "tech"}, {"news_topic": "technology"}),
        ("news", "news_query", {"news_topic": "sports news"}, {"news_topic": "sport"}),
    ],
)
def test_words_for_the_same_find_the_same(domain, intent, first, second):
    assert rows(world(), domain, intent=intent, **first) == rows(
        world(), domain, intent=intent, **second
    )


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("noughts and crosses", "Tic Tac Toe"),
        ("draughts", "Checkers"),
        ("patience", "Solitaire"),
        ("four in a row", "Connect Four"),
        ("zyzzyva", "Zyzzyva"),
    ],
)
def test_a_game_has_many_names(said, meant):
    assert rows(world(), "game", intent="play_game", game_name=said)[0]["game"] == meant
