"""The published catalogue: which domain an intent belongs to and which parameters it knows.

It is completed from the data: a domain that knows a date also knows a time and the other way round,
because "tonight" is both, and parameters that the rows use beside the catalogue are in it.
Slot names that the data uses beside the catalogue are mapped to the name that means the same.
"""

from __future__ import annotations

from typing import Final

PARAMETERS: Final = {
    domain: tuple(names.split())
    for domain, names in {
        "alarm": "event_name descriptor date time from_time to_time",
        "audiobook": (
            "player_setting house_place media_type descriptor audiobook_name author_name"
        ),
        "calendar": (
            "event_name descriptor person relation date time from_time to_time place_name"
        ),
        "cooking": "food_type descriptor media_type",
        "currency": "currency currency2 amount date time descriptor",
        "datetime": "place_name descriptor time_zone time_zone2 date time time2",
        "email": (
            "setting person to_person from_person relation to_relation from_relation email_folder "
            "time date email_address app_name query content personal_info"
        ),
        "game": "game_name",
        "general": "",
        "iot": (
            "device_type house_place time date color_type change_to change_amount item_name setting"
        ),
        "lists": "list_name item_name descriptor time date",
        "music": (
            "player_setting descriptor artist_name song_name playlist_name music_genre query index"
        ),
        "news": "news_topic media_type place_name date time descriptor",
        "phone": "device_type event_name text to_person",
        "podcasts": "podcast_name player_setting podcast_descriptor",
        "qa": "content definition_word query",
        "radio": (
            "radio_name app_name person_name music_genre device_type house_place player_setting "
            "descriptor query date time"
        ),
        "recommendation": (
            "business_type food_type movie_type movie_name date time place_name event_name "
            "descriptor"
        ),
        "social": "media_type person business_name content date time descriptor",
        "stock": "business_name symbol date time descriptor",
        "takeaway": (
            "food_type order_type business_type business_name place_name date time descriptor "
            "query count"
        ),
        "transport": (
            "transport_agency transport_type business_type business_name place_name to_place_name "
            "from_place_name query date time descriptor"
        ),
        "weather": "place_name date time weather_descriptor",
    }.items()
}
"""The parameters of each domain."""

_INTENTS: Final = {
    "alarm": "alarm_query ! alarm_set alarm_remove alarm_change",
    "audiobook": "! play_audiobook",
    "calendar": "calendar_query ! calendar_set calendar_remove",
    "cooking": "cooking_recipe",
    "currency": "qa_currency",
    "datetime": "datetime_query datetime_convert",
    "email": (
        "email_query email_querycontact ! email_sendemail email_addcontact email_subscription "
        "email_remove"
    ),
    "game": "! play_game",
    "general": "general_quirky general_joke general_greet",
    "iot": (
        "! iot_coffee iot_cleaning iot_hue_lightcolor iot_hue_lightchange iot_hue_lightother "
        "iot_hue_lighton iot_hue_lightoff iot_hue_lightup iot_hue_lightdim iot_wemo_on "
        "iot_wemo_off audio_volume_up audio_volume_down audio_volume_mute audio_volume_other"
    ),
    "lists": "lists_query ! lists_createoradd lists_remove",
    "music": (
        "music_query ! play_music music_settings music_likeness music_dislikeness "
        "playlists_createoradd"
    ),
    "news": "news_query ! news_subscription",
    "phone": "! phone_text phone_notification",
    "podcasts": "! play_podcasts",
    "qa": "qa_factoid qa_definition qa_maths",
    "radio": "radio_query ! play_radio radio_likeness",
    "recommendation": "recommendation_events recommendation_movies recommendation_locations",
    "social": "social_query ! social_post",
    "stock": "qa_stock",
    "takeaway": "takeaway_query ! takeaway_order",
    "transport": "transport_query transport_traffic ! transport_taxi transport_ticket",
    "weather": "weather_query",
}
# An exclamation mark parts the intents that look something up from those that change something.

DOMAIN_OF: Final = {
    intent: domain
    for domain, intents in _INTENTS.items()
    for intent in intents.split()
    if intent != "!"
}
"""The domain of each intent."""

CHANGING: Final = frozenset(
    intent for intents in _INTENTS.values() for intent in intents.partition("!")[2].split()
)
"""The intents that change the world."""

_SPELLINGS: Final = {
    "amout": "amount",
    "persenal_info": "personal_info",
    "player_settings": "player_setting",
    "playlists_name": "playlist_name",
    "to_person_name": "to_person",
    "currency_name": "currency",
    "currency_name2": "currency2",
    "event": "event_name",
    "day": "date",
    "general_frequency": "date",
    "timeofday": "time",
}
_SPELLINGS_BY_DOMAIN: Final = {
    "calendar": {"meal_type": "event_name", "time2": "to_time"},
    "currency": {"price": "amount"},
    "email": {"descriptor": "query"},
    "iot": {"descriptor": "setting"},
    "music": {"music_tag": "descriptor"},
    "podcasts": {
        "descriptor": "podcast_descriptor",
        "radio_name": "podcast_name",
    },
    "recommendation": {"price": "descriptor"},
    "social": {"section_name": "descriptor"},
    "stock": {"index_name": "business_name"},
    "takeaway": {"meal_type": "business_type"},
}
SLOT_NAMES: Final = frozenset(
    {name for names in PARAMETERS.values() for name in names}
    | set(_SPELLINGS)
    | {name for names in _SPELLINGS_BY_DOMAIN.values() for name in names}
    | {"app_name", "count", "index_name", "item_index", "post_type", "section_name", "symbol"}
)
"""Every slot name that the data is known to use, with the misspelt ones."""


def catalogue_name(domain: str, name: str) -> str | None:
    """Find the catalogue's name of a slot.

    Args:
        domain: The domain of the row.
        name: The slot name in the data.

    Returns:
        The same name if the domain knows it, the name that means the same if there is one, or
        ``None``.
    """
    known = PARAMETERS[domain]
    if name in known:
        return name
    other = _SPELLINGS_BY_DOMAIN.get(domain, {}).get(name) or _SPELLINGS.get(name)
    return other if other in known else None
