"""Reading plain mappings strictly: every key known, every value of its kind."""

from collections.abc import Collection, Mapping
from typing import Any

__all__ = ["WireError", "decimal", "items", "keys", "mapping", "text", "truth", "whole"]


class WireError(ValueError):
    """A value on the wire is not what the protocol says."""


def mapping(value: object, where: str) -> Mapping[str, Any]:
    """Return ``value`` when it is a mapping with text keys.

    Args:
        value: What came over the wire.
        where: What the value is, for the error's sentence.

    Raises:
        WireError: It is something else.
    """
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise WireError(f"{where} must be an object")
    return value


def keys(value: Mapping[str, Any], expected: Collection[str], where: str) -> None:
    """Check that a mapping has exactly the expected keys.

    Args:
        value: The mapping.
        expected: The keys it must have, all of them and no others.
        where: What the value is, for the error's sentence.

    Raises:
        WireError: A key is missing or unknown.
    """
    unknown = sorted(set(value) - set(expected))
    if unknown:
        raise WireError(f"{where} has unknown keys: {', '.join(unknown)}")
    missing = sorted(set(expected) - set(value))
    if missing:
        raise WireError(f"{where} lacks keys: {', '.join(missing)}")


def text(value: Mapping[str, Any], key: str, where: str, *, empty: bool = True) -> str:
    """Return the text under ``key``.

    Args:
        value: The mapping.
        key: The key, known to be present.
        where: What the mapping is, for the error's sentence.
        empty: Whether the empty text is allowed.

    Raises:
        WireError: It is not a text, or is empty where that is not allowed.
    """
    found = value[key]
    if not isinstance(found, str):
        raise WireError(f"{where}.{key} must be text")
    if not found and not empty:
        raise WireError(f"{where}.{key} must not be empty")
    return found


def items(value: Mapping[str, Any], key: str, where: str) -> list[Any]:
    """Return the list under ``key``.

    Raises:
        WireError: It is not a list.
    """
    found = value[key]
    if not isinstance(found, list | tuple):
        raise WireError(f"{where}.{key} must be a list")
    return list(found)


def whole(value: Mapping[str, Any], key: str, where: str) -> int:
    """Return the positive whole number under ``key``.

    Raises:
        WireError: It is not a whole number of at least 1.
    """
    found = value[key]
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise WireError(f"{where}.{key} must be a whole number of at least 1")
    return found


def decimal(value: Mapping[str, Any], key: str, where: str) -> float:
    """Return the positive finite number under ``key``.

    Raises:
        WireError: It is not a number above 0.
    """
    found = value[key]
    if not isinstance(found, int | float) or isinstance(found, bool):
        raise WireError(f"{where}.{key} must be a number")
    if not 0 < found < float("inf"):
        raise WireError(f"{where}.{key} must be a finite number above 0")
    return float(found)


def truth(value: Mapping[str, Any], key: str, where: str) -> bool:
    """Return whether what is under ``key`` holds.

    Raises:
        WireError: It is neither true nor false.
    """
    found = value[key]
    if not isinstance(found, bool):
        raise WireError(f"{where}.{key} must be true or false")
    return found
