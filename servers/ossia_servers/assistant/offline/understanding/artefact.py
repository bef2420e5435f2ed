"""The trained models as one file: writing, reading."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any

from ossia_servers.assistant.offline.understanding.gazetteer import build_gazetteer
from ossia_servers.assistant.offline.understanding.linear import Classifier, Rows, Tagger

FORMAT = 2
FILE_NAME = "model.json"
_SCALE = 20
"""Weights are stored as whole twentieths: a third of the size, and hardly another answer."""


class ArtefactError(ValueError):
    """The model file is of another format or damaged."""


@dataclass(frozen=True)
class Artefact:
    """Everything that understanding needs.

    Attributes:
        classifier: Tells the intent.
        tagger: Marks the slots.
        domains: Intent to domain.
        slots: Domain to the slots that its utterances may hold.
        gazetteers: Slot to known values.
        corpus: The digest of the corpus that the models were trained on.
        vectors: The digest of the word vectors that they were trained with.
        style: The style of annotation to answer in, as in `features.styled`.
    """

    classifier: Classifier
    tagger: Tagger
    domains: Mapping[str, str]
    slots: Mapping[str, frozenset[str]]
    gazetteers: Mapping[str, tuple[str, ...]]
    corpus: str
    vectors: str
    style: str = ""

    @cached_property
    def gazetteer(self) -> Mapping[tuple[str, ...], tuple[str, ...]]:
        """The known values by their words, as `build_gazetteer` gives them."""
        return build_gazetteer(self.gazetteers)


def _pack(rows: Rows) -> dict[str, str]:
    packed: dict[str, str] = {}
    for feature in sorted(rows):
        pairs = [
            f"{n} {w}" for n, weight in sorted(rows[feature].items()) if (w := _scaled(weight))
        ]
        if pairs:
            packed[feature] = " ".join(pairs)
    return packed


def _scaled(weight: float) -> int:
    return round(weight * _SCALE)


class _PackedRows(Mapping[str, Mapping[int, float]]):
    """Rows of a file, each unpacked when it is first asked for: few of them ever are."""

    def __init__(self, packed: Mapping[str, str]) -> None:
        self._packed = packed
        self._rows: dict[str, dict[int, float]] = {}

    def __getitem__(self, feature: str) -> Mapping[int, float]:
        row = self._rows.get(feature)
        if row is None:
            # The weights stay as scaled, since only their order matters.
            pairs = list(map(int, self._packed[feature].split()))
            row = dict(zip(pairs[::2], pairs[1::2], strict=True))
            self._rows[feature] = row
        return row

    def __contains__(self, feature: object) -> bool:
        return feature in self._packed

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)


def _unpack(packed: object) -> Rows:
    if not isinstance(packed, dict) or not all(isinstance(row, str) for row in packed.values()):
        raise ValueError("rows of weights are no texts")
    return _PackedRows(packed)


def dump(artefact: Artefact) -> str:
    """Return the artefact as compact JSON text, the same text for the same models."""
    tagger, classifier = artefact.tagger, artefact.classifier
    steps = [[a, b, _scaled(w)] for (a, b), w in sorted(tagger.steps.items())]
    content = {
        "format": FORMAT,
        "corpus": artefact.corpus,
        "vectors": artefact.vectors,
        "style": artefact.style,
        "intents": list(classifier.labels),
        "domains": dict(sorted(artefact.domains.items())),
        "slots": {domain: sorted(slots) for domain, slots in sorted(artefact.slots.items())},
        "gazetteers": {s: list(values) for s, values in sorted(artefact.gazetteers.items())},
        "intent_rows": _pack(classifier.rows),
        "intent_columns": [[_scaled(weight) for weight in column] for column in classifier.columns],
        "marks": list(tagger.labels),
        "mark_rows": _pack(tagger.rows),
        "steps": [step for step in steps if step[2]],
    }
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False) + "\n"


def parse(text: str | bytes) -> Artefact:
    """Read an artefact.

    Args:
        text: What `dump` wrote.

    Returns:
        The models.

    Raises:
        ArtefactError: If it is of another format or damaged.
    """
    try:
        content: dict[str, Any] = json.loads(text)
        version = content["format"]
    except (KeyError, TypeError, ValueError) as error:
        raise ArtefactError(f"the model file is damaged: {error!r}") from error
    if version != FORMAT:
        raise ArtefactError(f"the model file has format {version}, not {FORMAT}; train it again")
    try:
        return Artefact(
            Classifier(
                tuple(content["intents"]),
                _unpack(content["intent_rows"]),
                tuple(tuple(column) for column in content["intent_columns"]),
            ),
            Tagger(
                tuple(content["marks"]),
                _unpack(content["mark_rows"]),
                {(a, b): weight for a, b, weight in content["steps"]},
            ),
            content["domains"],
            {domain: frozenset(slots) for domain, slots in content["slots"].items()},
            {slot: tuple(values) for slot, values in content["gazetteers"].items()},
            content["corpus"],
            content["vectors"],
            content["style"],
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ArtefactError(f"the model file is damaged: {error!r}") from error


def default_path() -> Path:
    """Return where the training command writes the model of this package."""
    return Path(__file__).parent.parent / FILE_NAME


@cache
def load() -> Artefact:
    """Read the model file of the installed package, once in a process.

    Raises:
        ArtefactError: If it is damaged.
        FileNotFoundError: If the package was built without it.
    """
    return parse(
        resources.files("ossia_servers.assistant.offline").joinpath(FILE_NAME).read_bytes()
    )
