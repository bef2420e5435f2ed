"""What of a request its server could make nothing of, so that the answer can say so.

A server that ignores words answers as if nothing had been said. Whether it did is found out by
trying the request without them: where the outcome is the same, and the words are none that any
server knows, they were not taken into account.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ossia_dataset.normalise import spoken_number
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.lookup import listing, meanings
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Refusal, Reply, Row
from ossia_servers.worlds.synonyms import FOOD, TOPICS
from ossia_servers.worlds.world import World

SELECTING: Final = (
    "descriptor",
    "podcast_descriptor",
    "weather_descriptor",
    "query",
    "setting",
    "player_setting",
    "personal_info",
    "order_type",
    "transport_type",
    "change_to",
    "change_amount",
)
"""Parameters whose words pick something out. Others name what is stored, or the thing itself."""

_LONGEST: Final = 60
"""How many characters of ignored words are said back."""

_TABLES: Final = (FOOD, TOPICS)

_WORDS: Final = (
    # what is meant where nothing is said, or what every answer tells
    "all every everything any each both whole full complete entire anything something some more"
    " most usual regular normal default general standard current currently now right today tonight"
    " present actual live up date latest recent recently new fresh last past previous next"
    " upcoming coming future scheduled planned first second third earliest early soonest soon"
    " late later oldest old begin start end final open opened closed available left remaining"
    " active set existing saved booked reserved ordered pending missing need needed due"
    # praise, which every server takes for its own choice
    " good better best great nice fine decent top main major big important popular trending hot"
    " famous favorite liked rated recommended interesting fun cool special breaking highlight"
    " headline news story update summary brief short quick quickly fast faster fastest cheap"
    " cheaper cheapest low lowest high higher highest price cost fare free affordable expensive"
    " fancy upscale romantic near nearby nearest close closest local around here"
    # what is asked of a thing
    " what when where who whose which how long much many far old is are was do does did can have"
    " has get give tell show list read play find search look check see hear know say call name"
    " title titled called number count amount detail information info status schedule timetable"
    " time timing day date hour minute week weekly month monthly daily yearly event reminder alarm"
    " appointment meeting item entry thing task list email mail message inbox contact person"
    " address phone birthday company job work office home song track music artist singer band album"
    " genre kind type sort style category playlist podcast episode show series chapter part book"
    " audiobook author narrator station radio channel frequency host presenter game movie film"
    " theater showtime place restaurant food takeaway takeout delivery pickup order delivered"
    " arrive arrival eta estimated track way hour opening menu ready progress"
    " train bus flight plane taxi cab ride car drive driver ticket trip travel route direction way"
    " traffic jam delay congestion road condition map booking departure depart leave leaving"
    " stock share market value worth opening closing change percent percentage gain loss point"
    " quote symbol ticker rate exchange currency conversion"
    " weather forecast temperature degree condition climate outlook humidity wind rain snow sun"
    " serving portion definition meaning define difference between convert conversion zone alert"
    " notification railway rail railroad tube subway metro tram ferry boat showing playing"
    " screening happening going taxicab minicab coach"
    " recipe dish meal cook cooking make prepare homemade ingredient step instruction"
    " light lamp brightness color volume sound level speaker device switch turn mode setting"
    # what players, lamps, mails and orders are told to do, which may be so already
    " carry go over again repeat repeating replay restart resume continue keep pause stop skip off"
    " rewind forward back ahead shuffle random mix loop download subscribe scratch start finish"
    " up down little bit lot notch step slight slightly half quarter max maximum min minimum"
    " percent louder softer quieter brighter dimmer darker lighter more less dim bright loud quiet"
    " reply respond answer forwarded forwarding draft save send sent unread unopened subject line"
    " attachment folder deliver delivers bring brought house door takeaway pick collect carryout"
    " out away take still eat dine heavy light moderate bad clear busy accident incident"
    " closure lane slow sing sings sang singing performed performer composer musician recorded made"
    " recurring repeated weekday weekend morning afternoon evening night"
    # the politeness of a request
    " please just really very also only one ones them those these it me my i you your user want"
    " would like help no not none yes ok thanks"
)
_TOLD_ANYWAY: Final = meanings(_WORDS) | meanings(_WORDS, *_TABLES)
"""Words that make no difference, and rightly so."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a request did: the answer, and the rows that are there now."""

    response: str
    result: object
    rows: Mapping[tuple[str, str], Row | None]


class _TakeBack(Exception):
    """Ends a trial, so that its changes are taken back."""


def trials(world: World, domain: Domain, intent: Intent, params: Params) -> dict[str, Outcome]:
    """Try a request without each of the parameters that it may have ignored.

    The world is afterwards as it was.

    Args:
        world: the world that is asked.
        domain: the domain that is asked.
        intent: what is asked.
        params: all parameters of the request.

    Returns:
        The outcomes by the parameter that was left out; mostly there are none.
    """
    if intent.fields is not None:
        # Tools that declare their own parameters take every one of them to the letter.
        return {}
    doubtful = [
        name for name in SELECTING if name in params and _is_new(world, domain, params, name)
    ]
    tried = {name: _trial(world, intent, params.without(name)) for name in doubtful}
    return {name: outcome for name, outcome in tried.items() if outcome is not None}


def with_unheard(world: World, reply: Reply, params: Params, tried: Mapping[str, Outcome]) -> Reply:
    """Return a reply that says which words made no difference to it.

    Args:
        world: the world as the request has left it.
        reply: the answer to the whole request.
        params: the parameters of the request.
        tried: the outcomes without some of them.
    """
    if reply.clarification is not None or not tried:
        return reply
    outcome = Outcome(reply.response, reply.result, world.overlay)
    ignored = [params.raw[name] for name, other in tried.items() if other == outcome]
    return _saying(reply, ignored) if ignored else reply


def _saying(reply: Reply, ignored: Sequence[str]) -> Reply:
    quoted = listing([f"'{_shown(text)}'" for text in ignored])
    return Reply(f"{reply.response} I could not take {quoted} into account.", reply.result)


def _shown(text: str) -> str:
    printable = "".join(character for character in text if character.isprintable())
    return printable if len(printable) <= _LONGEST else f"{printable[:_LONGEST]}..."


def _is_new(world: World, domain: Domain, params: Params, name: str) -> bool:
    """Return whether a parameter has words that nothing else of the request and no server knows."""
    told = meanings(params.text(name) or "", *_TABLES) - _TOLD_ANYWAY
    said = {word for word in told if spoken_number(word) is None}
    elsewhere = " ".join(text for key, text in params.raw.items() if key != name)
    said -= meanings(elsewhere, *_TABLES)
    return bool(said) and not said <= _stored(world, domain)


def _stored(world: World, domain: Domain) -> frozenset[str]:
    """Return the words of all rows of a domain."""
    found: set[str] = set()
    for table in domain.tables:
        for row in world.rows(table.name):
            for value in row.values():
                for text in value if isinstance(value, list) else [value]:
                    if isinstance(text, str):
                        found |= meanings(text, *_TABLES)
    return frozenset(found)


def _trial(world: World, intent: Intent, params: Params) -> Outcome | None:
    """Return the outcome of a request that is taken back, None where it gets no answer."""
    outcome: Outcome | None = None
    try:
        with world.transaction():
            reply = intent.answer(world, params)
            if reply.clarification is None:
                outcome = Outcome(reply.response, reply.result, dict(world.overlay))
            raise _TakeBack
    except (_TakeBack, Refusal):
        return outcome
