"""How alike texts are: embedders behind one interface, each text embedded once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import log
from pathlib import Path
from typing import Any, Final, Protocol
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ossia_evaluation.worfbench.measures.matching import Matrix

__all__ = ["Embedder", "EmbedderError", "HashedWords", "SentenceModel", "Similarities", "same_text"]

PUBLISHED_MODEL: Final = "all-mpnet-base-v2"

Vectors = NDArray[np.float32]


class EmbedderError(Exception):
    """An embedder is not there; the message says what it takes."""


class Embedder(Protocol):
    """Makes vectors of texts."""

    name: str
    comparable: bool
    """Whether figures with it may stand beside published ones."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a row of length 1 for each text, of 0 for one that says nothing."""
        ...


class Similarities:
    """Similarities of texts by one embedder.

    Attributes:
        embedder: What makes the vectors.
        embedded: How many texts were embedded.
    """

    def __init__(self, embedder: Embedder) -> None:
        """Know no text yet."""
        self.embedder = embedder
        self.embedded = 0
        self._rows: dict[str, NDArray[np.float32]] = {}

    def learn(self, texts: Sequence[str]) -> None:
        """Embed those that are new, in one batch."""
        new = [text for text in dict.fromkeys(texts) if text not in self._rows]
        if not new:
            return
        vectors = self.embedder.embed(new)
        self.embedded += len(new)
        self._rows.update(zip(new, vectors, strict=True))

    def matrix(self, rows: Sequence[str], columns: Sequence[str]) -> Matrix:
        """Return the cosine of each of one side with each of the other, at least 0."""
        self.learn((*rows, *columns))
        if not rows or not columns:
            return np.zeros((len(rows), len(columns)))
        ours = np.stack([self._rows[text] for text in rows])
        theirs = np.stack([self._rows[text] for text in columns])
        # In double precision the same text is as alike everywhere, so that ties are seen as such.
        cosines = ours.astype(np.float64) @ theirs.T.astype(np.float64)
        alike: Matrix = np.maximum(cosines, 0.0)
        return alike


def same_text(rows: Sequence[str], columns: Sequence[str]) -> Matrix:
    """Return 1 where texts are the same and 0 elsewhere: likeness without an embedder."""
    numbers = {text: number for number, text in enumerate(dict.fromkeys((*rows, *columns)))}
    ours = np.array([numbers[text] for text in rows], dtype=np.int64)
    theirs = np.array([numbers[text] for text in columns], dtype=np.int64)
    alike: Matrix = (ours[:, None] == theirs[None, :]).astype(np.float64)
    return alike


class HashedWords:
    """Words and parts of words, hashed into a vector: small, quick, the same everywhere.

    It knows spelling and no meaning, so its figures are no published ones.
    """

    name = "hashed-words"
    comparable = False

    _SIZE: Final = 1024
    _WORD: Final = re.compile(r"\w+")

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a row for each text."""
        # Each word is taken apart once in a batch, however many texts have it.
        words: dict[str, int] = {}
        places: list[int] = []
        weights: list[float] = []
        ends = [0]
        for text in texts:
            counts = Counter(self._WORD.findall(text.casefold()))
            places += [words.setdefault(word, len(words)) for word in counts]
            weights += [1 + log(count) for count in counts.values()]
            ends.append(len(places))
        shape = len(texts), len(words)
        said = csr_array((np.array(weights, dtype=np.float32), places, ends), shape=shape)
        made: Vectors = (said @ self._taken_apart(list(words))).toarray()
        lengths = np.linalg.norm(made, axis=1, keepdims=True)
        np.divide(made, lengths, out=made, where=lengths > 0)
        return made

    def _taken_apart(self, words: Sequence[str]) -> Any:
        """A row for each word: itself, and its parts of four letters."""
        columns: list[int] = []
        weights: list[float] = []
        ends = [0]
        for word in words:
            bounded = f"<{word}>"
            parts = [f" {word}", *(bounded[at : at + 4] for at in range(len(bounded) - 3))]
            codes = [crc32(part.encode("utf-8", "replace")) for part in parts]
            columns += [code % self._SIZE for code in codes]
            # A sign of its own lets parts that fall together cancel out on average.
            weights += [1.0 if code >> 31 else -1.0 for code in codes]
            weights[ends[-1]] *= 2
            ends.append(len(columns))
        values = np.array(weights, dtype=np.float32)
        return csr_array((values, columns, ends), shape=(len(words), self._SIZE))


class SentenceModel:
    """A model of sentence-transformers, which a user has installed with its weights."""

    def __init__(self, model: str = PUBLISHED_MODEL) -> None:
        """Load the model; nothing is downloaded.

        Args:
            model: The name of a model whose weights are on this machine, or their folder.

        Raises:
            EmbedderError: the library or the weights are not there.
        """
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError:
            raise EmbedderError(
                "sentence-transformers is not installed: pip install 'ossia[embeddings]'"
            ) from None
        try:
            self._model: Any = SentenceTransformer(model, local_files_only=True)
        except (OSError, ValueError) as error:
            told = " ".join(str(error).split())[:200]
            raise EmbedderError(f"the weights of {model} are not on this machine: {told}") from None
        self.name = f"sentence-transformers:{Path(model).name}"
        self.comparable = Path(model).name == PUBLISHED_MODEL

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a row for each text."""
        made: Vectors = self._model.encode(
            list(texts), convert_to_numpy=True, normalize_embeddings=True, show_progress_bar=False
        )
        return made
