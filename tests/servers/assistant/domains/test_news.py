"""News are found by topic, source and day; subscriptions are made and ended."""

import pytest

from .support import asked_back, check_gold, ok, refused, rows, tasks_of, world


def _news(**params):
    return rows(world(), "news", intent="news_query", **params)


def test_the_latest_five_articles_come_without_a_question():
    found = _news()
    moments = [(row["date"], row["time"]) for row in found]
    assert len(found) == 5
    assert moments == sorted(moments, reverse=True)
    assert _news(descriptor="latest") == _news(news_topic="top stories") == found


@pytest.mark.parametrize(
    ("params", "column", "value"),
    [
        ({"news_topic": "tech news"}, "topic", "technology"),
        ({"descriptor": "international"}, "topic", "world"),
        ({"media_type": "the bbc"}, "source", "BBC"),
        ({"date": "2026-03-12"}, "date", "2026-03-12"),
    ],
)
def test_articles_are_filtered(params, column, value):
    found = _news(**params)
    assert found
    assert {row[column] for row in found} == {value}


def test_special_words_find_their_headline():
    (row,) = _news(news_topic="the railway bill")
    assert row["topic"] == "politics"


def test_any_topic_source_and_day_has_news():
    plane = _news(news_topic="the plane crash")
    assert plane == _news(news_topic="the plane crash story")
    assert all("plane crash" in row["headline"].casefold() for row in plane)
    assert {row["source"] for row in _news(media_type="msn")} == {"MSN"}
    old = _news(news_topic="sports", date="2026-01-15")
    assert {row["date"] for row in old} == {"2026-01-15"}
    assert all(row["time"] <= "10:00" for row in plane)


def test_there_is_no_news_of_tomorrow():
    assert _news(date="2026-03-14") == []


def test_news_of_a_place_name_it():
    for row in _news(place_name="Houston, Texas", news_topic="flooding"):
        assert "flooding in houston" in row["headline"].casefold()
    assert all("Houston" in row["headline"] for row in _news(place_name="Houston, Texas"))
    given = {"news_topic": "flooding", "place_name": "Houston, Texas"}
    (row,) = rows(world(), "news", intent="news_subscription", **given)
    assert row["topic"] == "flooding in Houston"


def test_the_world_is_no_place_among_others():
    assert _news(place_name="World") == _news(news_topic="world news")
    assert _news(place_name="World", news_topic="sports") == _news(news_topic="sports")


def test_a_time_prefers_the_news_of_then():
    assert {row["time"] >= "06:00" for row in _news(date="2026-03-13", time="06:00..12:00")} == {
        True
    }
    # The evening is still to come: the newest news there is are told.
    assert _news(date="2026-03-13", time="18:00..23:59") == _news(date="2026-03-13")


def test_a_subscription_is_made_once_and_ended():
    pair = world()
    given = {"intent": "news_subscription", "news_topic": "the volcano"}
    (row,) = rows(pair, "news", **given, media_type="cnn")
    assert row["source"] == "CNN"
    changes = pair[1].diff().changes
    assert rows(pair, "news", intent="news_subscription", news_topic="volcano", media_type="CNN")
    assert pair[1].diff().changes == changes
    ok(pair, "news", **given, descriptor="unsubscribe")
    assert not pair[1].diff()
    assert refused(pair, "news", **given, descriptor="stop") == "NOT_FOUND"


def test_a_subscription_needs_a_topic_or_a_source():
    for nothing in ({}, {"descriptor": "latest"}, {"descriptor": "stop"}):
        missing = asked_back(world(), "news", intent="news_subscription", **nothing)
        assert missing == ("news_topic", "media_type")
    (row,) = rows(world(), "news", intent="news_subscription", descriptor="local crime")
    assert row["topic"] == "local crime"


@pytest.mark.parametrize("task", tasks_of("news"), ids=lambda task: task.id)
def test_the_gold_run_of_each_task(task):
    check_gold(task)


def test_an_article_before_the_topic_makes_no_difference():
    assert _news(news_topic="the flooding") == _news(news_topic="flooding")
    assert _news(media_type="the new york times") == _news(media_type="new york times")
    assert {row["source"] for row in _news(media_type="new york times")} == {"New York Times"}
