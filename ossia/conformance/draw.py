"""All that a check draws: from one seed, so that it can be made again and nobody can guess it."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from random import Random

from ossia.runner.opaque import OpaqueNames

__all__ = ["Draw"]

_STARTS = ("br", "qu", "dr", "kr", "v", "z", "gl", "pl", "thr", "sm", "y", "j", "cr", "w", "h", "n")
_VOWELS = "aeiou"
_MIDDLES = ("lv", "xt", "rm", "ndr", "zz", "bb", "st", "gg", "rv", "lm", "pp", "nd", "ck", "dd")
_ENDS = ("k", "x", "nd", "rth", "lm", "sk", "zz", "ft", "mp", "rg", "v", "b")
_THINGS = ("lantern", "heron", "rooster", "barrel", "choir", "orchard", "ladder", "kettle", "ferry")
_DEEDS = ("stood", "waited", "slept", "turned", "rested", "sang", "leaned", "shone", "rang")
_PLACES = ("jetty", "bridge", "cellar", "meadow", "tower", "harbor", "attic", "valley", "roof")
_LIKE = ("copper", "amber", "ninth", "quiet", "silver", "narrow", "wooden", "distant", "smallest")


class Draw:
    """Draws names, words and choices; what is drawn for one thing says nothing of another.

    Attributes:
        seed: What all is drawn from; another check with it draws the same.
    """

    def __init__(self, seed: str = "") -> None:
        """Prepare.

        Args:
            seed: The seed; a new secret when left out.
        """
        self.seed = seed or secrets.token_hex(8)

    def of(self, what: str) -> Random:
        """Return the random numbers of one thing.

        Args:
            what: The thing; another one has other numbers.
        """
        return Random(f"{self.seed} {what}")

    def names(self, episode: str) -> OpaqueNames:
        """Return the names by which a worker knows an episode, made like those of a run.

        Args:
            episode: The episode's own name.
        """
        return OpaqueNames.new(self.of(f"names of {episode}").randbytes)

    def words(self, what: str, number: int) -> tuple[str, ...]:
        """Return different words that mean nothing, none of them a part of another.

        Args:
            what: What they are for.
            number: How many.
        """
        random, found = self.of(what), list[str]()
        while len(found) < number:
            parts = (_STARTS, _VOWELS, _MIDDLES, _VOWELS, _ENDS)
            word = "".join(random.choice(part) for part in parts)
            if len(word) > 5 and not any(word in each or each in word for each in found):
                found.append(word)
        return tuple(found)

    def sentences(self, what: str, names: Sequence[str]) -> dict[str, str]:
        """Return for each name a sentence of its own that nobody could think of.

        Args:
            what: What they are for.
            names: The names.
        """
        random = self.of(what)
        numbers = random.sample(range(10_000, 100_000), len(names))
        return {
            name: f"The {random.choice(_LIKE)} {random.choice(_THINGS)} {random.choice(_DEEDS)} at"
            f" the {random.choice(_LIKE)} {random.choice(_PLACES)}, {number}."
            for name, number in zip(names, numbers, strict=True)
        }
