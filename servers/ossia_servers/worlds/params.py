"""The checked, typed parameters of one request."""

from __future__ import annotations

from collections.abc import Mapping

from ossia_dataset.normalise.values import DateValue, TimeValue

Value = str | float | DateValue | TimeValue


class Params:
    """The checked parameters of one request.

    The getters return None for a parameter that was not given, and raise `TypeError` for one whose
    declared kind is another (a mistake in the domain, not in the request).
    """

    def __init__(self, values: Mapping[str, Value], raw: Mapping[str, str]) -> None:
        self._values = values
        self.raw = raw
        """The parameters as given, without `intent`."""

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __bool__(self) -> bool:
        return bool(self._values)

    def without(self, name: str) -> Params:
        """Return the same parameters but for one."""
        values = {key: value for key, value in self._values.items() if key != name}
        return Params(values, {key: text for key, text in self.raw.items() if key != name})

    def text(self, name: str) -> str | None:
        """Return a text, name, person or place, stripped."""
        value = self._values.get(name)
        if value is not None and not isinstance(value, str):
            raise TypeError(f"parameter '{name}' is not declared as text")
        return value

    def first(self, *names: str) -> str | None:
        """Return the first of these text parameters that was given."""
        return next((text for name in names if (text := self.text(name)) is not None), None)

    def date(self, name: str = "date") -> DateValue | None:
        """Return a date value."""
        value = self._values.get(name)
        if value is not None and not isinstance(value, DateValue):
            raise TypeError(f"parameter '{name}' is not declared as a date")
        return value

    def time(self, name: str = "time") -> TimeValue | None:
        """Return a time value."""
        value = self._values.get(name)
        if value is not None and not isinstance(value, TimeValue):
            raise TypeError(f"parameter '{name}' is not declared as a time")
        return value

    def number(self, name: str) -> float | None:
        """Return a number."""
        value = self._values.get(name)
        if value is not None and not isinstance(value, float):
            raise TypeError(f"parameter '{name}' is not declared as a number")
        return value

    def query(self) -> dict[str, str | float]:
        """Return the parameters as the server understood them, for the answer's `query`."""
        return {
            name: value if isinstance(value, (str, float)) else str(value)
            for name, value in self._values.items()
        }
