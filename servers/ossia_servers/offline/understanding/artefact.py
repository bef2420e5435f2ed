"""The trained models as one file: writing, reading."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from ossia_servers.offline.understanding.linear import Classifier, Rows, Tagger

FORMAT = 2
FILE_NAME = "model.json"
_SCALE = 100
"""Weights are stored as whole hundredths: a third of the size, and no change in any answer."""


class ArtefactError(ValueError):
    """The model file is of another format or damaged."""


@dataclass(frozen=True, slots=True)
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


def _pack(rows: Rows) -> dict[str, list[int]]:
    packed: dict[str, list[int]] = {}
    for feature in sorted(rows):
        pairs = []
        for label, weight in sorted(rows[feature].items()):
            scaled = round(weight * _SCALE)
            if scaled:
                pairs += [label, scaled]
        if pairs:
            packed[feature] = pairs
    return packed


def _unpack(packed: Mapping[str, list[int]]) -> Rows:
    # The weights stay in hundredths: only their order matters, and this loads much faster.
    return {
        feature: dict(zip(pairs[::2], pairs[1::2], strict=True))
        for feature, pairs in packed.items()
    }


def dump(artefact: Artefact) -> str:
    """Return the artefact as compact JSON text, the same text for the same models."""
    tagger, classifier = artefact.tagger, artefact.classifier
    steps = [[a, b, round(w * _SCALE)] for (a, b), w in sorted(tagger.steps.items())]
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
        "intent_columns": [[round(w * _SCALE) for w in column] for column in classifier.columns],
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


def load() -> Artefact:
    """Read the model file of the installed package.

    Raises:
        ArtefactError: If it is damaged.
        FileNotFoundError: If the package was built without it.
    """
    return parse(resources.files("ossia_servers.offline").joinpath(FILE_NAME).read_bytes())
