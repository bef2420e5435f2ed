"""Training of the models from a corpus, and their cross-validation."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from ossia_servers.assistant.offline.understanding.artefact import Artefact
from ossia_servers.assistant.offline.understanding.corpus import Corpus, augment, value_pool
from ossia_servers.assistant.offline.understanding.features import (
    gazetteer_matches,
    intent_features,
    slot_features,
    styled,
)
from ossia_servers.assistant.offline.understanding.frames import CHAT_DOMAIN, Understander, slots_of
from ossia_servers.assistant.offline.understanding.gazetteer import build_gazetteer
from ossia_servers.assistant.offline.understanding.learning import (
    Said,
    Tagged,
    marks_of,
    train_classifier,
    train_tagger,
)
from ossia_servers.assistant.offline.understanding.markup import Example
from ossia_servers.assistant.offline.understanding.published import STYLE
from ossia_servers.assistant.offline.understanding.text import tokenise
from ossia_servers.assistant.offline.understanding.vectors import Vectors, load_vectors


@dataclass(frozen=True, slots=True)
class Settings:
    """How much work to put into training.

    Attributes:
        copies: Variations made of each utterance.
        intent_epochs: Passes over them for the classifier.
        slot_epochs: Passes over them for the tagger.
        seed: Of all choices.
    """

    copies: int = 2
    intent_epochs: int = 6
    slot_epochs: int = 5
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How well the models read utterances that they were not trained on.

    Attributes:
        examples: How many utterances were read.
        intent: Share with the right intent.
        slots: Share with all slots right, whatever the intent.
        frame: Share with intent and all slots right.
    """

    examples: int
    intent: float
    slots: float
    frame: float


def domain_slots(examples: Sequence[Example]) -> dict[str, frozenset[str]]:
    """Return the slots that the utterances of each domain hold."""
    found: dict[str, set[str]] = {}
    for example in examples:
        found.setdefault(example.domain, set()).update(span.slot for span in example.spans)
    return {domain: frozenset(slots) for domain, slots in found.items()}


def train(
    corpus: Corpus,
    settings: Settings,
    published: Sequence[Example] = (),
    vectors: Vectors | None = None,
) -> Artefact:
    """Train the models.

    Args:
        corpus: The utterances and gazetteers.
        settings: How much work to put into it.
        published: More utterances, annotated in the published style; the models then answer in
            that style.
        vectors: The word vectors, or None for those of the package.

    Returns:
        The models; the same for the same corpus and settings.
    """
    vectors = vectors or load_vectors()
    gazetteer = build_gazetteer(corpus.gazetteers)
    both = (*corpus.examples, *published)
    pool = value_pool(corpus, both)
    slots = domain_slots(both)
    said: list[Said] = []
    tagged: list[Tagged] = []
    for examples, style in ((corpus.examples, ""), (published, STYLE)):
        for example in augment(examples, pool, settings.copies, settings.seed):
            tokens = tokenise(example.text)
            marks = gazetteer_matches(tokens, gazetteer)
            features = styled(intent_features(tokens, marks), style)
            said.append(Said(features, vectors.meaning(tokens), example.intent))
            if example.domain != CHAT_DOMAIN:
                rows = slot_features(tokens, marks, example.intent, example.domain, style)
                tagged.append(Tagged(rows, marks_of(tokens, example.spans), slots[example.domain]))
    classifier = train_classifier(said, epochs=settings.intent_epochs, seed=settings.seed)
    tagger = train_tagger(tagged, epochs=settings.slot_epochs, seed=settings.seed)
    return Artefact(
        classifier,
        tagger,
        {example.intent: example.domain for example in both},
        slots,
        corpus.gazetteers,
        digest(corpus, published),
        vectors.digest,
        STYLE if published else "",
    )


def digest(corpus: Corpus, published: Sequence[Example]) -> str:
    """Return the digest of all that models were trained on."""
    if not published:
        return corpus.digest
    return Corpus((*corpus.examples, *published), corpus.gazetteers).digest


def right_slots(example: Example, allowed: frozenset[str]) -> dict[str, str]:
    """Return the slots that an example is marked with, as the models would give them."""
    tokens = tokenise(example.text)
    return slots_of(example.text, tokens, marks_of(tokens, example.spans), allowed)


def measure(models: Artefact, examples: Sequence[Example]) -> Accuracy:
    """Read examples with the models and count what is right.

    Args:
        models: The models.
        examples: At least one example.

    Returns:
        The shares.
    """
    understander = Understander(models)
    intents = slots = frames = 0
    for example in examples:
        frame = understander.understand(example.text)
        same_intent = frame.intent == example.intent
        allowed = models.slots.get(example.domain, frozenset())
        same_slots = dict(frame.slots) == right_slots(example, allowed)
        intents += same_intent
        slots += same_slots
        frames += same_intent and same_slots
    total = len(examples)
    return Accuracy(total, intents / total, slots / total, frames / total)


def cross_validate(
    corpus: Corpus,
    settings: Settings,
    folds: int,
    only: int | None = None,
    published: Sequence[Example] = (),
) -> Accuracy:
    """Measure the models on utterances held back from their training.

    Utterances that differ in slot values alone are held back together.

    Args:
        corpus: The utterances and gazetteers.
        settings: How much work to put into each training.
        folds: In how many parts to cut the utterances.
        only: How many of the parts to hold back in turn, or None for all.
        published: Utterances in the published style; if there are any, parts of these are held
            back, and all of our own are learnt from.

    Returns:
        The shares over all utterances held back.
    """
    results = []
    for part in _parts(published or corpus.examples, folds, settings.seed)[: only or folds]:
        held = set(map(id, part))
        own = tuple(example for example in corpus.examples if id(example) not in held)
        more = tuple(example for example in published if id(example) not in held)
        results.append(measure(train(Corpus(own, corpus.gazetteers), settings, more), part))
    total = sum(result.examples for result in results)
    return Accuracy(
        total,
        sum(result.intent * result.examples for result in results) / total,
        sum(result.slots * result.examples for result in results) / total,
        sum(result.frame * result.examples for result in results) / total,
    )


def _parts(examples: Sequence[Example], folds: int, seed: int) -> list[list[Example]]:
    """Cut examples into parts of about one size, keeping those of one sentence together."""
    groups: dict[str, list[Example]] = {}
    for example in examples:
        groups.setdefault(_sentence(example), []).append(example)
    keys = sorted(groups)
    random.Random(seed).shuffle(keys)
    return [[e for key in keys[fold::folds] for e in groups[key]] for fold in range(folds)]


def _sentence(example: Example) -> str:
    """Return an utterance without its slot values."""
    pieces, position = [], 0
    for span in example.spans:
        pieces += [example.text[position : span.start], f"[{span.slot}]"]
        position = span.end
    return "".join([*pieces, example.text[position:]]).casefold()


__all__ = [
    "Accuracy",
    "Settings",
    "cross_validate",
    "digest",
    "domain_slots",
    "measure",
    "right_slots",
    "train",
]
