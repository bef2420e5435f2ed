"""Which gold requests leave so much open that the assistant asks back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ossia_dataset.normalise import spoken_number
from ossia_dataset.tasks import Request

_POINTING: Final = frozenset("this that these those it".split())

# For each intent the parameters of which one has to be there.
_NEEDED: Final[Mapping[str, frozenset[str]]] = {
    intent: frozenset(names.split())
    for intent, names in {
        "alarm_set": "time from_time to_time",
        "alarm_change": "time to_time date",
        "audio_volume_other": "change_to change_amount setting",
        "calendar_set": "date time from_time to_time",
        "email_addcontact": "person to_person relation to_relation email_address",
        "iot_hue_lightchange": "color_type change_to change_amount setting item_name",
        "iot_hue_lightother": "color_type change_to change_amount setting item_name",
        "lists_createoradd": "list_name item_name",
        "lists_remove": "list_name item_name descriptor date",
        "playlists_createoradd": "playlist_name song_name artist_name music_genre",
        "social_post": "content",
        "takeaway_order": "food_type business_name business_type",
        "transport_ticket": "to_place_name place_name business_name business_type",
        "qa_definition": "definition_word content query",
    }.items()
}
_WANTING_MORE: Final = frozenset("plus minus times by over of and".split())
_RECEIVERS: Final = frozenset("person to_person relation to_relation email_address".split())
_PHONES: Final = frozenset({"to_person", "device_type"})
_ANSWERING: Final = frozenset("reply respond answer back".split())


def is_named(text: str) -> bool:
    """Say whether words name somebody or something rather than point at it.

    Args:
        text: Words of a user.

    Returns:
        False if they point, such as "this person".
    """
    return _POINTING.isdisjoint(text.casefold().split())


def asks_back(request: Request) -> bool:
    """Say whether a request lacks what the assistant needs to act on it.

    Args:
        request: A gold request.

    Returns:
        True if the right answer to it is a question.
    """
    intent, params = request.params["intent"], request.params
    needed = _NEEDED.get(intent)
    if needed is not None and needed.isdisjoint(params):
        return True
    if intent == "alarm_set":
        # An alarm rings at one time.
        return all(
            ".." in params[name] for name in ("time", "from_time", "to_time") if name in params
        )
    if intent == "qa_maths":
        # Without a single number there is nothing to work out, nor with half a sum.
        said = f"{params.get('content', '')} {params.get('query', '')}".casefold().split()
        if said and said[-1] in _WANTING_MORE:
            return True
        return all(spoken_number(word) is None for word in said if word not in ("a", "an"))
    if intent in ("calendar_remove", "lists_remove"):
        return params.keys() == {"intent", "descriptor"} and not is_named(params["descriptor"])
    if intent == "phone_text":
        return not (params.keys() & {"text", "event_name"} and params.keys() & _PHONES)
    if intent == "email_sendemail":
        to = [params[name] for name in _RECEIVERS if name in params]
        answers = not _ANSWERING.isdisjoint(params.get("setting", "").casefold().split())
        return not answers and not any(map(is_named, to))
    return False
