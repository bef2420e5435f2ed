"""The reading of an utterance: domain, intent and slots."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from ossia_servers.assistant.offline.prompted import Bounds
from ossia_servers.assistant.offline.understanding.artefact import Artefact, ArtefactError, load
from ossia_servers.assistant.offline.understanding.features import (
    gazetteer_matches,
    intent_features,
    slot_features,
    styled,
)
from ossia_servers.assistant.offline.understanding.linear import OUTSIDE
from ossia_servers.assistant.offline.understanding.text import Token, tokenise
from ossia_servers.assistant.offline.understanding.vectors import Vectors, load_vectors

CHAT_DOMAIN = "general"
_SECOND = {"currency": "currency2", "time_zone": "time_zone2", "time": "time2"}
# What is said in several places is several values of these, ...
_SEVERAL = frozenset(("item_name", "food_type", "weather_descriptor"))
# ... one value with a gap of these, and of all others the longer one is meant.
_WHOLE = frozenset(("content", "text", "event_name"))
_CACHED = 4096


@dataclass(frozen=True, slots=True)
class Frame:
    """What an utterance asks for.

    Attributes:
        domain: The domain whose server is meant.
        intent: What it is to do.
        slots: Slot to the user's words, in the order of the utterance.
    """

    domain: str
    intent: str
    slots: Mapping[str, str] = field(default_factory=dict)


class Understander:
    """Reads utterances with the trained models. Safe to share between threads."""

    def __init__(self, artefact: Artefact, vectors: Vectors | None = None) -> None:
        """Prepare the models.

        Args:
            artefact: The trained models.
            vectors: The word vectors that they were trained with; None takes those of the package.

        Raises:
            ArtefactError: If the models were trained with other word vectors.
            VectorsError: If the package's file of word vectors is damaged.
        """
        self._vectors = vectors or load_vectors()
        if artefact.vectors != self._vectors.digest:
            raise ArtefactError(
                "the model file was trained with other word vectors than those here; train it again"
            )
        self._models = artefact
        self._gazetteer = artefact.gazetteer
        self._read: dict[tuple[str, frozenset[str]], Frame] = {}

    @classmethod
    def load(cls) -> Understander:
        """Load the models of the installed package.

        Raises:
            ArtefactError: If the model file is damaged.
            FileNotFoundError: If the package was built without it.
        """
        return cls(load())

    @property
    def intents(self) -> tuple[str, ...]:
        """The intents that are known."""
        return self._models.classifier.labels

    @property
    def domains(self) -> Mapping[str, str]:
        """The domain of every intent that is known."""
        return self._models.domains

    def understand(self, utterance: str, bounds: Bounds | None = None) -> Frame:
        """Read an utterance.

        Args:
            utterance: What the user said.
            bounds: What the frame may be made of, or None for all that is known.

        Returns:
            The likeliest frame.
        """
        intents = bounds.intents if bounds else frozenset()
        key = (utterance, intents)
        frame = self._read.get(key)
        if frame is None:
            frame = self._understand(utterance, intents or None)
            if len(self._read) >= _CACHED:
                self._read.clear()
            self._read[key] = frame
        known = bounds.slots.get(frame.domain) if bounds else None
        if known is None:
            return frame
        kept = {slot: value for slot, value in frame.slots.items() if slot in known}
        return Frame(frame.domain, frame.intent, kept)

    def _understand(self, utterance: str, intents: Collection[str] | None) -> Frame:
        tokens = tokenise(utterance)
        marks = gazetteer_matches(tokens, self._gazetteer)
        style = self._models.style
        features = styled(intent_features(tokens, marks), style)
        meaning = self._vectors.meaning(tokens)
        intent = self._models.classifier.best(features, meaning, intents)
        domain = self._models.domains[intent]
        if domain == CHAT_DOMAIN:
            return Frame(domain, intent)
        allowed = self._models.slots.get(domain, frozenset())
        rows = slot_features(tokens, marks, intent, domain, style)
        labels = self._models.tagger.tag(rows, allowed)
        return Frame(domain, intent, slots_of(utterance, tokens, labels, allowed))


def slots_of(
    utterance: str, tokens: Sequence[Token], labels: Sequence[str], allowed: Collection[str]
) -> dict[str, str]:
    """Cut the slot values out of an utterance.

    Args:
        utterance: The utterance.
        tokens: Its words.
        labels: The mark of each word.
        allowed: The slots of the domain: decides where a second value of a slot goes.

    Returns:
        Slot to words.
    """
    spans: list[tuple[str, int, int]] = []
    for token, label in zip(tokens, labels, strict=True):
        if label == OUTSIDE:
            continue
        if label.startswith("I-") and spans and spans[-1][0] == label[2:]:
            spans[-1] = (label[2:], spans[-1][1], token.end)
        else:
            spans.append((label[2:], token.start, token.end))
    found: dict[str, tuple[int, int]] = {}
    slots: dict[str, str] = {}
    for slot, start, end in spans:
        value, second = utterance[start:end], _SECOND.get(slot)
        if slot not in slots:
            slots[slot] = value
            found[slot] = (start, end)
        elif second is not None and second in allowed and second not in slots:
            slots[second] = value
        elif slot == "time":
            slots[slot] = f"{slots[slot]} in the {value}"
        elif slot in _SEVERAL:
            slots[slot] = f"{slots[slot]} and {value}"
        elif slot in _WHOLE:
            slots[slot] = utterance[found[slot][0] : end]
        elif end - start >= len(slots[slot]):
            slots[slot] = value
    return slots
