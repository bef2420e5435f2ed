"""How alike texts are: embedders behind one interface, each text embedded once."""

from __future__ import annotations

import logging
import os
import re
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from math import log
from pathlib import Path
from typing import Any, Final, Protocol
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ossia_evaluation.worfbench.measures.matching import Matrix

__all__ = [
    "Embedder",
    "EmbedderError",
    "HashedWords",
    "KeptVectors",
    "SentenceModel",
    "Similarities",
    "same_text",
]

Vectors = NDArray[np.float32]

PUBLISHED_MODEL: Final = "all-mpnet-base-v2"

_QUIET: Final = {
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TRANSFORMERS_VERBOSITY": "error",
}
"""Read by the libraries below sentence-transformers when they are imported; without the first they
look a model's name up on the network even where only local files are asked for."""


class EmbedderError(Exception):
    """An embedder is not there, or its vectors cannot be kept; the message says why."""


class Embedder(Protocol):
    """Makes vectors of texts."""

    name: str
    comparable: bool
    """Whether figures with it may stand beside published ones."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a row of length 1 for each text, of 0 for one that says nothing."""
        ...


class KeptVectors:
    """The vectors of one embedder in an SQLite file, which may hold those of others as well."""

    _VERSION: Final = 1
    _PROBES: Final = ("find the mail of today", "then answer it " * 500)
    """What a model makes of these tells it from others of its name; the long one tells where it
    cuts."""

    def __init__(self, path: Path, embedder: Embedder) -> None:
        """Open the file, or make it.

        Raises:
            EmbedderError: it cannot be opened, or is something else.
        """
        probes = embedder.embed(self._PROBES)
        self._path, self._size = path, probes.shape[1]
        self._model = sha256(embedder.name.encode() + b"\0" + probes.tobytes()).digest()
        try:
            if path.exists() and not path.is_file():
                raise sqlite3.OperationalError("is not a file")
            self._file = sqlite3.connect(path)
            version = self._file.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, self._VERSION):
                raise sqlite3.DatabaseError(f"has version {version}, known is {self._VERSION}")
            with self._file:
                self._file.execute(
                    "CREATE TABLE IF NOT EXISTS vectors (model BLOB, text BLOB, vector BLOB,"
                    " PRIMARY KEY (model, text)) WITHOUT ROWID"
                )
                self._file.execute(f"PRAGMA user_version = {self._VERSION}")
        except (sqlite3.Error, OSError) as error:
            raise EmbedderError(f"{path}: no file of embeddings: {error}") from None

    def find(self, texts: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        """Return the vectors of those texts that it has; damaged ones count as not there.

        Raises:
            EmbedderError: the file cannot be read.
        """
        found = {}
        asked = "SELECT vector FROM vectors WHERE model = ? AND text = ?"
        try:
            for text in texts:
                row = self._file.execute(asked, (self._model, self._key(text))).fetchone()
                kept = None if row is None else row[0]
                if isinstance(kept, bytes) and len(kept) == 4 * self._size:
                    vector = np.frombuffer(kept, dtype="<f4")
                    # Rows have length 1; nothing holds of what is no number.
                    if (np.abs(vector) < 1.001).all():
                        found[text] = vector
        except sqlite3.Error as error:
            raise EmbedderError(f"{self._path}: {error}") from None
        return found

    def add(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep vectors: all of them or, where the file cannot be written, none.

        Raises:
            EmbedderError: the file cannot be written.
        """
        rows = [
            (self._model, self._key(text), vector.astype("<f4").tobytes())
            for text, vector in zip(texts, vectors, strict=True)
        ]
        try:
            with self._file:
                self._file.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
        except sqlite3.Error as error:
            raise EmbedderError(f"{self._path}: {error}") from None

    @staticmethod
    def _key(text: str) -> bytes:
        return sha256(text.encode("utf-8", "surrogatepass")).digest()


class Similarities:
    """Similarities of texts by one embedder.

    Attributes:
        embedder: What makes the vectors.
        embedded: How many texts were embedded.
    """

    def __init__(self, embedder: Embedder, kept: KeptVectors | None = None) -> None:
        """Know no text yet.

        Args:
            embedder: What makes the vectors.
            kept: Vectors of earlier runs, to which those of new texts are added.
        """
        self.embedder = embedder
        self.embedded = 0
        self._kept = kept
        self._rows: dict[str, NDArray[np.float32]] = {}

    def learn(self, texts: Sequence[str]) -> None:
        """Embed those that are new, in one batch.

        Raises:
            EmbedderError: the model gives no numbers, or they cannot be kept.
        """
        new = [text for text in dict.fromkeys(texts) if text not in self._rows]
        if self._kept is not None:
            self._rows.update(self._kept.find(new))
            new = [text for text in new if text not in self._rows]
        if not new:
            return
        vectors = self.embedder.embed(new)
        self.embedded += len(new)
        self._rows.update(zip(new, vectors, strict=True))
        if self._kept is not None:
            self._kept.add(new, vectors)

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
        os.environ.update(_QUIET)
        logging.getLogger("sentence_transformers").setLevel(logging.ERROR)
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError:
            raise EmbedderError(
                "sentence-transformers is not installed: pip install 'ossia[embeddings]'"
            ) from None
        try:
            self._model: Any = SentenceTransformer(model, local_files_only=True)
        except Exception as error:  # noqa: BLE001 - what it raises depends on what is broken
            first = " ".join(str(error).split()).split(". ")[0][:200]
            raise EmbedderError(
                f"the model {model} cannot be loaded, and nothing is downloaded: {first}"
            ) from None
        self.name = f"sentence-transformers:{Path(model).name}"
        self.comparable = Path(model).name == PUBLISHED_MODEL

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a row for each text.

        Raises:
            EmbedderError: the model gives something else than numbers.
        """
        # Its tokenizers take no halves of characters, which JSON may hold.
        whole = [text.encode("utf-8", "replace").decode() for text in texts]
        made: Vectors = self._model.encode(
            whole, convert_to_numpy=True, normalize_embeddings=True, show_progress_bar=False
        )
        if not np.isfinite(made).all():
            raise EmbedderError(f"{self.name} gives a value that is not a finite number")
        return made
