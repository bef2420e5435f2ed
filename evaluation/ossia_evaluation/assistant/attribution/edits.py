"""Edits: the difference between what a role should have said and what it said.

An edit is kept when an earlier step is repaired: the role then errs in the same way about its new
input, as far as it still can.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, urlencode

from ossia_evaluation.urls import read_url


@dataclass(frozen=True, slots=True)
class ValuesEdit:
    """How a mapping of slots or parameters differs from the right one.

    Attributes:
        right: the right mapping that the edit was taken from.
        said: the mapping as it was said.
        changed: names with another value.
        stale: names whose value is the user's words in place of the normal form.
        dropped: names left out.
        added: names that should not be there.
        renamed: the wrong name of a value, by its right name.
    """

    right: Mapping[str, str]
    said: Mapping[str, str]
    changed: frozenset[str] = frozenset()
    stale: frozenset[str] = frozenset()
    dropped: frozenset[str] = frozenset()
    added: frozenset[str] = frozenset()
    renamed: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether anything differs."""
        return bool(self.changed or self.stale or self.dropped or self.added or self.renamed)

    def apply(self, right: Mapping[str, str], words: Mapping[str, str]) -> dict[str, str]:
        """Return a right mapping with this edit applied.

        Args:
            right: what the role should say now.
            words: the user's words by slot, as they are passed on now.
        """
        found: dict[str, str] = {}
        for new, value in right.items():
            name = self._known_as(new, value, right)
            if name in self.dropped:
                continue
            if name != new and name in self.changed:
                found[new] = self.said[name]
            elif name in self.renamed:
                found[self.renamed[name]] = value
            elif new in self.stale and new in words:
                found[new] = words[new]
            elif new in self.changed or self.right.get(new) == value:
                # The same value is said in the same form as before.
                found[new] = self.said.get(new, value)
            else:
                found[new] = value
        for name in self.said:
            if name in self.added:
                stale = name in self.stale and name in words
                found[name] = words[name] if stale else self.said[name]
        return found

    def _known_as(self, name: str, value: str, right: Mapping[str, str]) -> str:
        """Return the name under which a value was wrong when it had another name."""
        if name in self.right:
            return name
        gone = (old for old in self.changed | self.dropped if old not in right)
        return min((old for old in gone if self.right[old] == value), default=name)


def values_edit(
    right: Mapping[str, str],
    said: Mapping[str, str],
    differing: Iterable[str],
    words: Mapping[str, str],
) -> ValuesEdit:
    """Return the edit that leads from a right mapping to the one that was said.

    Args:
        right: what should have been said.
        said: what was said.
        differing: names whose values are not the same.
        words: the user's words by slot, as the role received them.
    """
    names = tuple(dict.fromkeys(differing))
    dropped = [name for name in names if name in right and name not in said]
    added = [name for name in names if name not in right and name in said]
    both = [name for name in names if name in right and name in said]
    renamed: dict[str, str] = {}
    for gone in dropped:
        for new in added:
            if said[new] == right[gone] and new not in renamed.values():
                renamed[gone] = new
                break
    stale = {name for name in (*both, *added) if words.get(name) == said[name]}
    return ValuesEdit(
        right=dict(right),
        said=dict(said),
        changed=frozenset(both) - stale,
        stale=frozenset(stale) - set(renamed.values()),
        dropped=frozenset(dropped) - renamed.keys(),
        added=frozenset(added) - set(renamed.values()),
        renamed=renamed,
    )


@dataclass(frozen=True, slots=True)
class AddressEdit:
    """How an address differs from the right one.

    Attributes:
        domain: the wrong domain, or None where it is right.
        values: how the parameters differ, the intent among them.
        absolute: what stands before the path, where the address is no path.
        slashes: the slashes at the path's end, or None where they are as they should be; a path
            with one too many is not served.
        repeated: names that are said again, with what is said of them then.
    """

    domain: str | None
    values: ValuesEdit
    absolute: str = ""
    slashes: str | None = None
    repeated: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        """Whether anything differs."""
        kept = self.domain is None and self.slashes is None
        return not kept or bool(self.values or self.absolute or self.repeated)

    def apply(self, right: str, words: Mapping[str, str]) -> str:
        """Return a right address with this edit applied.

        Args:
            right: the address that should be said now.
            words: the user's words by slot, as they are passed on now.
        """
        domain, params = read_url(right)
        wrong = self.domain if self.domain is not None else domain
        end = slashes_after(right) if self.slashes is None else self.slashes
        path, mark, query = address(wrong, self.values.apply(params, words)).partition("?")
        again = "&" + urlencode(self.repeated, errors="replace") if self.repeated else ""
        return self.absolute + path + end + mark + query + again


def address(domain: str, params: Mapping[str, str]) -> str:
    """Return path and query of a request to a domain server."""
    query = urlencode(params, errors="replace")
    return f"/{quote(domain, safe='', errors='replace')}?{query}"


def repeated_names(url: str) -> tuple[tuple[str, str], ...]:
    """Return the parameters of an address whose names have stood in it before, in order."""
    pairs = parse_qsl(url.strip().partition("?")[2], keep_blank_values=True)
    seen, found = set[str](), []
    for name, value in pairs:
        if name in seen:
            found.append((name, value))
        seen.add(name)
    return tuple(found)


def first_values(url: str) -> dict[str, str]:
    """Return the parameters of an address, each as it stands in it first."""
    return dict(reversed(parse_qsl(url.strip().partition("?")[2], keep_blank_values=True)))


def slashes_after(url: str) -> str:
    """Return the slashes at the end of an address's path."""
    path = url.strip().partition("?")[0]
    return path[len(path.rstrip("/")) :]


def asked_alike(url: str, given: str, asked: str) -> str:
    """Return an address as it is asked by somebody who wrote another one in other bytes.

    Args:
        url: the address that is given now.
        given: the address that was given.
        asked: how that was asked; it means the same.

    Returns:
        The address with what was appended, or with the path as it was written.
    """
    if asked.startswith(given):
        return url + asked[len(given) :]
    path, _, _ = asked.partition("?")
    before, _, _ = given.partition("?")
    now, mark, query = url.partition("?")
    return path + mark + query if path != before and now == before else url
