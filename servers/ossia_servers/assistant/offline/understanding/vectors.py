"""What words mean: a small table of word vectors, so that unseen words count too."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path

from ossia_servers.assistant.offline.understanding.text import Token

FORMAT = 1
FILE_NAME = "vectors.bin"
_SIGN = 128


class VectorsError(ValueError):
    """The file of word vectors is of another format or damaged."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """Words with whole numbers for their meaning.

    Attributes:
        dims: How many numbers a word has.
        index: Word to its place in the table.
        table: The numbers of all words, one byte each, 128 more than they are.
        digest: By which a model says which vectors it was trained with.
    """

    dims: int
    index: Mapping[str, int]
    table: bytes = field(repr=False)
    digest: str

    def meaning(self, tokens: Sequence[Token]) -> list[float]:
        """Return the direction of all words of an utterance taken together.

        Args:
            tokens: The utterance; unknown words say nothing.

        Returns:
            A vector of length one, or of zeros if no word is known.
        """
        dims, table = self.dims, self.table
        rows = []
        for token in tokens:
            place = self.index.get(token.word)
            if place is not None:
                rows.append(table[place * dims : (place + 1) * dims])
        if not rows:
            return [0.0] * dims
        shift = _SIGN * len(rows)
        total = [sum(column) - shift for column in zip(*rows, strict=True)]
        length = math.sqrt(sum(value * value for value in total)) or 1.0
        return [value / length for value in total]


def dump_vectors(vectors: Mapping[str, Sequence[int]], origin: str) -> bytes:
    """Write a table of word vectors.

    Args:
        vectors: Word to whole numbers from -127 to 127, equally many for each.
        origin: One line that says what they were made from, and under which licence.

    Returns:
        The file's content: a line of JSON, a line of words, and one byte for each number.
    """
    words = sorted(vectors)
    dims = len(vectors[words[0]])
    head = {"format": FORMAT, "dims": dims, "words": len(words), "origin": origin}
    body = b"".join(bytes(value + _SIGN for value in vectors[word]) for word in words)
    lines = f"{json.dumps(head)}\n{' '.join(words)}\n"
    return lines.encode() + body


def parse_vectors(content: bytes) -> Vectors:
    """Read a table of word vectors.

    Args:
        content: What `dump_vectors` wrote.

    Returns:
        The vectors.

    Raises:
        VectorsError: If the file is of another format or damaged.
    """
    try:
        first, rest = content.split(b"\n", 1)
        line, table = rest.split(b"\n", 1)
        head = json.loads(first)
        version, dims, count = head["format"], int(head["dims"]), int(head["words"])
        words = line.decode().split(" ")
    except (KeyError, TypeError, ValueError) as error:
        raise VectorsError(f"the file of word vectors is damaged: {error!r}") from error
    if version != FORMAT:
        raise VectorsError(f"the file of word vectors has format {version}, not {FORMAT}")
    if len(words) != count or len(table) != dims * count:
        raise VectorsError("the file of word vectors is damaged: it is of another length")
    digest = hashlib.sha256(content).hexdigest()[:16]
    return Vectors(dims, {word: place for place, word in enumerate(words)}, table, digest)


def default_vectors_path() -> Path:
    """Return where the word vectors of this package are."""
    return Path(__file__).parent.parent / FILE_NAME


@cache
def load_vectors() -> Vectors:
    """Read the word vectors of the installed package, once.

    Raises:
        VectorsError: If the file is damaged.
        FileNotFoundError: If the package was built without it.
    """
    return parse_vectors(
        resources.files("ossia_servers.assistant.offline").joinpath(FILE_NAME).read_bytes()
    )
