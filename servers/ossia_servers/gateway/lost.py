"""The time that an endpoint's trouble, or waiting for a turn at it, takes from an episode."""

from __future__ import annotations


class LostTime:
    """Adds up the time in which any call of an episode was in trouble.

    A call is in trouble from the start of an attempt that failed to the start of the next attempt
    or to the call's end. Calls in trouble at the same time cost the episode that time once.
    """

    def __init__(self) -> None:
        """Begin without trouble."""
        self._over: list[tuple[float, float]] = []
        self._open: dict[int, float] = {}

    @property
    def open(self) -> bool:
        """Whether any call is in trouble."""
        return bool(self._open)

    def holds(self, call: int) -> bool:
        """Return whether a call is in trouble."""
        return call in self._open

    def begin(self, call: int, since: float) -> None:
        """Note that a call is in trouble, unless it is already.

        Args:
            call: The call's number.
            since: When its failed attempt started.
        """
        self._open.setdefault(call, since)

    def end(self, call: int, now: float) -> bool:
        """Note that a call is not in trouble any more.

        Args:
            call: The call's number.
            now: The time.

        Returns:
            Whether it was.
        """
        since = self._open.pop(call, None)
        if since is None:
            return False
        self._over.append((since, now))
        return True

    def total(self, now: float) -> float:
        """Return the seconds lost until now."""
        return _length(self._spans(now))

    def beside(self, other: LostTime, now: float) -> float:
        """Return the seconds lost until now, without those that another has lost as well."""
        both = _length([*self._spans(now), *other._spans(now)])
        return max(0.0, both - other.total(now))

    def _spans(self, now: float) -> list[tuple[float, float]]:
        return [*self._over, *((since, now) for since in self._open.values())]


def _length(spans: list[tuple[float, float]]) -> float:
    """The length of spans that may overlap."""
    length, until = 0.0, float("-inf")
    for since, end in sorted(spans):
        length += max(0.0, end - max(since, until))
        until = max(until, end)
    return length
