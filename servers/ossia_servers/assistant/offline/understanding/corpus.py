"""The training utterances, and variations of them with other values and other manners."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

from ossia_servers.assistant.offline.understanding.markup import (
    Example,
    Span,
    parse_examples,
    parse_gazetteers,
    render_utterance,
)

_FOLDER = ("ossia_dataset", "data", "utterances")
_GAZETTEERS = "gazetteers"
_OPENINGS = (
    "please ", "can you ", "could you ", "olly ", "hey ", "hey olly ", "can you please ",
    "i want you to ", "i would like you to ", "ok ", "alexa ", "um ", "so ", "could you please ",
)  # fmt: skip
_CLOSINGS = (" please", " for me", " thanks", " thank you", " now", " olly", " right now")
# Openings such as "can you" suit requests alone, not questions or small talk.
_ADDRESS = ("olly ", "hey ", "hey olly ", "ok ", "alexa ", "um ", "so ")
_QUESTION_WORDS = frozenset(
    "what what's who who's which when when's where where's how how's is are do does did will am "
    "was has have any can could should would why i i'm it's".split()
)


@dataclass(frozen=True, slots=True)
class Corpus:
    """All that the models learn from.

    Attributes:
        examples: The training utterances.
        gazetteers: Slot to known values.
    """

    examples: tuple[Example, ...]
    gazetteers: Mapping[str, tuple[str, ...]]

    @property
    def digest(self) -> str:
        """A digest of the contents, by which a trained model can be told to be up to date."""
        lines = [
            f"{example.domain} {example.intent} {render_utterance(example.text, example.spans)}"
            for example in self.examples
        ]
        lines += [f"{slot} {value}" for slot, known in self.gazetteers.items() for value in known]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def load_corpus() -> Corpus:
    """Read the training utterances of the installed package.

    Returns:
        The corpus, ordered by domain.

    Raises:
        MarkupError: If a file does not follow the markup.
    """
    folder = resources.files(_FOLDER[0]).joinpath(*_FOLDER[1:])
    examples: list[Example] = []
    gazetteers: dict[str, tuple[str, ...]] = {}
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        stem, _, suffix = file.name.rpartition(".")
        if suffix != "txt":
            continue
        content = file.read_text(encoding="utf-8")
        if stem == _GAZETTEERS:
            gazetteers = parse_gazetteers(content)
        else:
            examples += parse_examples(content, stem)
    return Corpus(tuple(examples), gazetteers)


def value_pool(corpus: Corpus, examples: Sequence[Example]) -> dict[str, tuple[str, ...]]:
    """Collect the values that may stand for each slot: known ones and those of `examples`."""
    pool: dict[str, dict[str, None]] = {
        slot: dict.fromkeys(values) for slot, values in corpus.gazetteers.items()
    }
    for example in examples:
        for span in example.spans:
            pool.setdefault(span.slot, {})[example.text[span.start : span.end]] = None
    for slot, of in (("from_time", "time"), ("to_time", "time"), ("time2", "time")):
        pool[slot] = dict.fromkeys([*pool.get(slot, {}), *pool.get(of, {})])
    for slot in ("from_place_name", "to_place_name"):
        pool[slot] = dict.fromkeys([*pool.get(slot, {}), *pool.get("place_name", {})])
    for slot in ("from_person", "to_person"):
        pool[slot] = dict.fromkeys([*pool.get(slot, {}), *pool.get("person", {})])
    for slot in ("from_relation", "to_relation"):
        pool[slot] = dict.fromkeys([*pool.get(slot, {}), *pool.get("relation", {})])
    pool["currency2"] = dict.fromkeys([*pool.get("currency2", {}), *pool.get("currency", {})])
    pool["time_zone2"] = dict.fromkeys([*pool.get("time_zone2", {}), *pool.get("time_zone", {})])
    return {slot: tuple(values) for slot, values in pool.items()}


# Values of these are tied to the utterance around them.
_FIXED_SLOTS = frozenset({"descriptor", "query", "content", "setting", "text", "player_setting"})


def vary(example: Example, pool: Mapping[str, Sequence[str]], chance: random.Random) -> Example:
    """Make a variation of an utterance: other values, an opening, a closing.

    Args:
        example: The utterance.
        pool: Values for each slot.
        chance: Source of the choices.

    Returns:
        The variation, with its spans where they now stand.
    """
    opening, closing = "", ""
    question = example.text.split(maxsplit=1)[0] in _QUESTION_WORDS
    openings = _ADDRESS if question or example.domain == "general" else _OPENINGS
    if chance.random() < 0.35:
        opening = chance.choice(openings)
    if chance.random() < 0.2 and not question and example.domain != "general":
        closing = chance.choice(_CLOSINGS)
    pieces, spans = [opening], []
    length, position = len(opening), 0
    for span in example.spans:
        before = example.text[position : span.start]
        value = example.text[span.start : span.end]
        if span.slot not in _FIXED_SLOTS and chance.random() < 0.75:
            value = chance.choice(pool[span.slot])
        pieces += [before, value]
        start = length + len(before)
        length = start + len(value)
        spans.append(Span(start, length, span.slot))
        position = span.end
    pieces += [example.text[position:], closing]
    return Example(example.domain, example.intent, "".join(pieces), tuple(spans))


def augment(
    examples: Sequence[Example], pool: Mapping[str, Sequence[str]], copies: int, seed: int
) -> list[Example]:
    """Return the examples with `copies` variations of each, the same for the same seed."""
    chance = random.Random(seed)
    varied = list(examples)
    for _ in range(copies):
        varied += [vary(example, pool, chance) for example in examples]
    return varied
