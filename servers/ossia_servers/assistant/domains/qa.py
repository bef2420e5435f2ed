"""Questions about the world: facts, meanings of words, and sums."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any, Final

from ossia_dataset.normalise import normalise_place
from ossia_servers.assistant.domains import _arithmetic as arithmetic
from ossia_servers.assistant.domains import _simulated as simulated
from ossia_servers.assistant.domains import _units as units
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.lookup import meanings
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Ask, Field, Kind, Refusal, Reply
from ossia_servers.worlds.world import World

_ASKED: Final[Mapping[str, frozenset[str]]] = {
    "capital": meanings("capital"),
    "population": meanings("population people inhabitants crowded populated populous residents"),
    "area": meanings("area large big size square"),
    "currency": meanings("currency money"),
    "language": meanings("language speak spoken"),
    "died": meanings("die died death dead passed"),
    "age": meanings("old age"),
    "birthday": meanings("birthday born birth birthdate"),
    "height": meanings("high tall height elevation above altitude"),
    "depth": meanings("deep depth"),
    "length": meanings("long length"),
    "circumference": meanings("circumference"),
    "distance": meanings("far distance"),
    "floors": meanings("floors stories storeys"),
    "built": meanings("built build opened constructed"),
    "continent": meanings("continent"),
    "where": meanings("where located location geography find"),
}
"""What may be asked about a thing, and the words that give it away, most telling first."""

_SMALL_TALK: Final = meanings(
    "what is are was were who whose when which how do does did can could tell know about give find"
    " would it be there has have had much many i you he she they wikipedia search look up"
    " information info fact explain describe please world earth mean meaning definition define word"
    " just let ok hey whats what's human united states american degrees fahrenheit system"
    " solar who's jr currently now today really still number name called take takes"
)


@dataclass(frozen=True, slots=True)
class _Thing:
    """Something that facts are known of."""

    name: str
    whole: frozenset[str]
    """The words of its name."""
    facts: Mapping[str, str]
    short: tuple[frozenset[str], ...] = ()
    """Shorter names, good only where nothing else is named beside them."""

    def named(self, said: frozenset[str]) -> frozenset[str]:
        """Return the words by which a question names this, empty if it does not."""
        if self.whole <= said:
            return self.whole
        return next((name for name in self.short if name and name <= said), frozenset())


@cache
def _things() -> tuple[_Thing, ...]:
    source = simulated.data("facts")
    known: dict[str, list[Mapping[str, str]]] = {}
    for name, (capital, people, area, continent, money, language) in source["countries"].items():
        facts = {
            "capital": capital,
            "population": f"about {people:g} million",
            "area": f"about {area:,} square miles",
            "continent": continent,
            "currency": money,
            "language": language,
            "where": f"in {continent}",
            "about": f"a country in {continent} with the capital {capital}",
        }
        known.setdefault(name, []).append(facts)
    for name, capital in source["capitals"].items():
        facts = {"capital": capital, "where": "in the United States"}
        facts["about"] = f"a state with the capital {capital}"
        known.setdefault(name, []).append(facts)
    for name, (born, died, birthplace, told) in source["people"].items():
        facts = {"birthday": born, "where": birthplace, "about": told}
        known.setdefault(name, []).append({**facts, "died": died} if died else facts)
    for name, facts in source["things"].items():
        known.setdefault(name, []).append(facts)
    return tuple(
        _Thing(name, meanings(name), facts, _short_names(name, facts))
        for name in known
        for facts in known[name]
    )


def _short_names(name: str, facts: Mapping[str, str]) -> tuple[frozenset[str], ...]:
    aliases = simulated.data("facts")["aliases"]
    short = [meanings(alias) for alias, whole in aliases.items() if whole == name]
    if "birthday" in facts:
        short.append(meanings(name.split()[-1]))
    return tuple(short)


@cache
def _plain() -> tuple[tuple[frozenset[str], str], ...]:
    return tuple(
        (meanings(key), answer)
        for keys, answer in simulated.data("facts")["plain"]
        for key in keys.split("|")
    )


@cache
def _definitions() -> Mapping[frozenset[str], tuple[str, str]]:
    return {meanings(word): (word, told) for word, told in simulated.data("definitions").items()}


def _thing(said: frozenset[str], wanted: list[str]) -> tuple[_Thing, frozenset[str]] | None:
    """Return the thing that a question names best, and the words that name it."""
    best: tuple[int, int, _Thing, frozenset[str]] | None = None
    asking = frozenset().union(*(known for known in _ASKED.values() if known & said))
    for thing in _things():
        name = thing.named(said)
        if not name or (name in thing.short and said - name - asking - _SMALL_TALK):
            continue
        # Of a state and a city of one name, the one that can answer is meant.
        answers = sum(1 for asked in wanted if asked in thing.facts or asked == "age")
        if best is None or (len(name), answers) > best[:2]:
            best = (len(name), answers, thing, name)
    return None if best is None else best[2:]


def _age(thing: _Thing, today: date) -> str | None:
    if "birthday" not in thing.facts:
        return thing.facts.get("age")
    born = date.fromisoformat(thing.facts["birthday"])
    last = date.fromisoformat(thing.facts["died"]) if "died" in thing.facts else today
    return str(last.year - born.year - ((last.month, last.day) < (born.month, born.day)))


def _fact(world: World, said: frozenset[str]) -> dict[str, Any] | None:
    wanted = [name for name, known in _ASKED.items() if said & known]
    if {"age", "died"} <= set(wanted):
        # "How old was he when he died" asks for the age.
        wanted = ["age"]
    if "where" in said:
        # "Where was he born" does not ask for the day.
        wanted = ["where", *wanted]
    # "Is the pacific the largest ocean" names the answer beside the question.
    plain = [
        (key, answer)
        for key, answer in _plain()
        if key <= said <= key | _SMALL_TALK | meanings(answer)
    ]
    if plain:
        key, answer = max(plain, key=lambda item: len(item[0]))
        return {"about": " ".join(sorted(key)), "asked": "fact", "answer": answer}
    found = _thing(said, wanted)
    if found is None:
        return None
    thing, name = found
    for asked in wanted:
        known = _age(thing, world.today) if asked == "age" else thing.facts.get(asked)
        if known is not None:
            return {"about": thing.name, "asked": asked, "answer": known}
    asking = frozenset().union(*(_ASKED[asked] for asked in ("where", "area", "died")))
    if said - name - asking - _SMALL_TALK:
        # Something else is asked of a known thing, such as a country's prime minister.
        return None
    return {"about": thing.name, "asked": "about", "answer": thing.facts["about"]}


_PHRASES: Final = {
    "about": "{about}: {answer}.",
    "where": "{about}: {answer}.",
    "floors": "{about} has {answer} floors.",
    "built": "{about} was built in {answer}.",
    "spelling": "{about} is spelled {answer}.",
    "fact": "The answer is: {answer}.",
}


def _phrase(fact: Mapping[str, Any]) -> str:
    about, asked, answer = fact["about"], fact["asked"], fact["answer"]
    if asked in ("birthday", "died"):
        day = date.fromisoformat(answer)
        verb = "was born on" if asked == "birthday" else "died on"
        return f"{about} {verb} {day.strftime('%B')} {day.day}, {day.year}."
    if asked in _PHRASES:
        return _PHRASES[asked].format(about=about, answer=answer)
    return f"The {asked} of {about} is {answer}."


def _definition(said: frozenset[str]) -> dict[str, Any] | None:
    known = _definitions()
    inside = [key for key in known if key <= said]
    if not inside:
        return None
    word, told = known[max(inside, key=lambda key: (len(key), sorted(key)))]
    return {"about": word, "asked": "definition", "answer": told}


def _unknown(said: frozenset[str]) -> Reply:
    asked = sorted(said - _SMALL_TALK) or sorted(said)
    return Reply(
        "I do not know that.", [{"about": " ".join(asked), "asked": "unknown", "answer": None}]
    )


def _location(text: str) -> dict[str, Any] | None:
    """Return in which state or country a town is that "where is ..." asks for."""
    said = [word for word in simulated.key(text).split() if meanings(word)]
    asking = _ASKED["where"] | _SMALL_TALK
    name = " ".join(word for word in said if not meanings(word) <= asking)
    town, _, region = normalise_place(name, "").partition(", ")
    if "where" not in said or not region:
        return None
    return {"about": town, "asked": "where", "answer": f"in {region}"}


def _spelling(text: str) -> dict[str, Any] | None:
    said = simulated.key(text).split()
    if not {"spell", "spelled", "spelling"} & set(said[:-1]):
        return None
    return {"about": said[-1], "asked": "spelling", "answer": "-".join(said[-1].upper())}


def _in_units(text: str) -> dict[str, Any] | None:
    amount = units.converted(text)
    return None if amount is None else {"about": amount, "asked": "fact", "answer": amount}


_QUESTION: Final = ("content", "definition_word", "query")
_WHICH_WORD: Final = Ask("Which word shall I explain?", _QUESTION, missing=("definition_word",))
_WHICH_SUM: Final = Ask("What shall I work out?", ("content",), unless=("query", "definition_word"))


def _question(params: Params) -> str:
    """Return everything that was said of the question, whichever parameter holds it."""
    texts = [params.text(name) for name in ("definition_word", "query", "content")]
    return " ".join(text for text in texts if text)


def _factoid(world: World, params: Params) -> Reply:
    text = _question(params)
    said = meanings(text)
    if not said:
        return Reply.ask("What do you want to know?", "content")
    fact = _spelling(text) or _in_units(text) or _fact(world, said) or _location(text)
    if fact is not None:
        return Reply(_phrase(fact), [fact])
    meaning = _definition(said)
    return _meaning(meaning) if meaning is not None else _unknown(said)


def _meaning(meaning: dict[str, Any]) -> Reply:
    return Reply(f"{simulated.title(meaning['about'])}: {meaning['answer']}.", [meaning])


def _define(world: World, params: Params) -> Reply:
    said = meanings(_question(params))
    if not said:
        return _WHICH_WORD.reply()
    meaning = _definition(said)
    if meaning is not None:
        return _meaning(meaning)
    fact = _fact(world, said)
    return Reply(_phrase(fact), [fact]) if fact is not None else _unknown(said)


def _maths(world: World, params: Params) -> Reply:
    texts = [params.text(name) for name in ("content", "query", "definition_word")]
    for text in filter(None, texts):
        try:
            value = arithmetic.shown(arithmetic.evaluate(text))
        except arithmetic.NotASum:
            continue
        except arithmetic.CannotCompute as error:
            raise Refusal(str(error)) from None
        return Reply(f"That is {value}.", [{"asked": "maths", "answer": value}])
    said = meanings(_question(params))
    fact = _in_units(_question(params)) or (_fact(world, said) if said else None)
    if fact is not None:
        return Reply(_phrase(fact), [fact])
    return _WHICH_SUM.reply()


DOMAIN = Domain(
    name="qa",
    description="Facts, meanings of words and sums.",
    fields=(
        Field("content", Kind.TEXT, "the question or the sum", example="the capital of china"),
        Field("definition_word", Kind.NAME, "word to explain", example="fjord"),
        Field("query", Kind.TEXT, "what is asked about the content, such as birthday"),
    ),
    intents=(
        Intent(
            "qa_factoid",
            "Answer a question of general knowledge.",
            _factoid,
            writes=False,
            required=(_QUESTION,),
        ),
        Intent(
            "qa_definition",
            "Tell what a word means.",
            _define,
            writes=False,
            asks=(_WHICH_WORD,),
        ),
        Intent("qa_maths", "Work out a sum.", _maths, writes=False, asks=(_WHICH_SUM,)),
    ),
)
