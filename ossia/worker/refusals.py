"""The connections that a worker's guard refused, counted within bounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

MOST = 10_000
"""A worker that tells of more is broken."""

MOST_ADDRESSES = 100
_LONGEST = 300


class Refusals:
    """How often each address was refused; of too many addresses the first ones."""

    def __init__(self) -> None:
        """Begin with none."""
        self._by_address: Counter[str] = Counter()
        self._all = 0

    @property
    def by_address(self) -> Mapping[str, int]:
        """The addresses with how often each was refused."""
        return dict(self._by_address)

    def note(self, address: str) -> bool:
        """Count one; returns whether so many are still believed."""
        self._all += 1
        if self._all > MOST:
            return False
        address = address[:_LONGEST]
        if address in self._by_address or len(self._by_address) < MOST_ADDRESSES:
            self._by_address[address] += 1
        return True
