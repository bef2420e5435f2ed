"""The same wish in other words, or in another parameter, has the same outcome."""

import pytest

from .support import ask, world

CASES = [
    ("email", "email_querycontact", {"relation": "sister", "personal_info": "birthday"},
     {"relation": "my sister", "personal_info": "date of birth"}),
    ("email", "email_query", {"from_person": "amazon"}, {"content": "amazon"}),
    ("email", "email_query", {"query": "last"}, {"query": "most recent email"}),
    ("email", "email_remove", {"email_folder": "spam"},
     {"email_folder": "junk mail", "query": "all emails"}),
    ("iot", "iot_hue_lightother", {"change_to": "thirty percent"}, {"change_amount": "30%"}),
    ("iot", "iot_cleaning", {"device_type": "mop"}, {"device_type": "mop", "setting": "mop"}),
    ("iot", "iot_hue_lightchange", {"change_to": "cozy"}, {"color_type": "cosy"}),
    ("iot", "iot_wemo_off", {"device_type": "tv"}, {"device_type": "telly socket"}),
    ("lists", "lists_remove", {"list_name": "movies", "descriptor": "last item"},
     {"list_name": "films", "item_name": "last item"}),
    ("lists", "lists_query", {"list_name": "to do"}, {"list_name": "my todo list"}),
    ("music", "play_music", {"playlist_name": "workout", "player_setting": "shuffle"},
     {"playlist_name": "workout", "descriptor": "shuffled"}),
    ("music", "play_music", {"playlist_name": "road trip", "index": "3"},
     {"playlist_name": "road trip", "song_name": "track three"}),
    ("music", "play_music", {"music_genre": "jazz"}, {"descriptor": "jazz"}),
    ("music", "music_dislikeness", {"music_genre": "country"}, {"music_genre": "country music"}),
    ("music", "music_query", {"playlist_name": "nineties"}, {"playlist_name": "90s"}),
    ("news", "news_query", {"news_topic": "education"},
     {"news_topic": "education", "media_type": "newspapers"}),
    ("news", "news_query", {"media_type": "bbc"}, {"media_type": "bbc news"}),
    ("phone", "phone_notification", {"event_name": "missed calls"},
     {"event_name": "missed phone calls"}),
    ("phone", "phone_notification", {"event_name": "download"},
     {"event_name": "the download is finished"}),
    ("podcasts", "play_podcasts", {"player_setting": "thirty seconds ahead"},
     {"player_setting": "skip ahead thirty seconds"}),
    ("podcasts", "play_podcasts", {"podcast_descriptor": "comedy"},
     {"podcast_descriptor": "something funny"}),
    ("radio", "radio_likeness", {}, {"radio_name": "this station"}),
    ("radio", "play_radio", {"radio_name": "bbc radio one"}, {"radio_name": "BBC Radio 1"}),
    ("recommendation", "recommendation_events", {"descriptor": "free"},
     {"event_name": "free events"}),
    ("recommendation", "recommendation_movies", {"descriptor": "newest"}, {"descriptor": "new"}),
    ("recommendation", "recommendation_locations", {"food_type": "steak"},
     {"business_type": "steak restaurant"}),
    ("social", "social_query", {"descriptor": "mentions"}, {"descriptor": "who tagged me"}),
    ("takeaway", "takeaway_order", {"food_type": "cheeseburgers", "count": "two"},
     {"food_type": "cheeseburger", "count": "2"}),
    ("takeaway", "takeaway_order", {"food_type": "curry and naan"}, {"food_type": "curry, naan"}),
    ("takeaway", "takeaway_order", {"food_type": "large pizza"},
     {"food_type": "pizza", "descriptor": "large"}),
    ("transport", "transport_taxi", {"to_place_name": "airport"},
     {"to_place_name": "the airport", "transport_type": "minicab"}),
    ("transport", "transport_query", {"to_place_name": "Newark", "transport_type": "train"},
     {"to_place_name": "Newark", "transport_type": "railway"}),
    ("datetime", "datetime_convert", {"place_name": "Berlin", "time": "09:00"},
     {"place_name": "Berlin", "time_zone": "berlin", "time": "09:00"}),
]  # fmt: skip


@pytest.mark.parametrize(("domain", "intent", "first", "second"), CASES)
def test_other_words_for_one_wish(domain, intent, first, second):
    one, other = world(), world()
    said = ask(one, domain, intent=intent, **first).record
    again = ask(other, domain, intent=intent, **second).record
    assert said.code == again.code == "SUCCESS", again.response
    assert said.result == again.result
    assert one[1].diff() == other[1].diff()
    assert "into account" not in again.response
