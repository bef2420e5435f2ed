"""The check of what requests say that nobody gave: hints, examples and rules of the adapter's own.

A request may hold the role's prompt, the task, names and descriptions, what roles and servers said
before, and the framework's own fixed words. The same episode is played as it is and in nonsense.
Whatever is left of a request when all that was given is taken away must then be the same in both,
speak of nothing from the real team's contracts, and not stand in the adapter's own sources.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ossia.adapters import AdapterInfo
from ossia.conformance.findings import Finding, words_of
from ossia.conformance.leading import unsaid
from ossia.conformance.scenes import Scenes
from ossia.conformance.stage import Played
from ossia_servers.gateway import Exchange

__all__ = ["added_text", "own_answer", "own_text", "source_files"]

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_IDENTIFIER = re.compile(r"[a-z]+(?:_[a-z]+)+")
_SPAN = 3
"""So many words in a row that stand in a given text are given."""
_SHORTEST = 3
"""Fewer letters are no word that could tell anything."""
_NAMES_IN_A_HINT = 3
_REACH = 12
"""Names that stand so close together are a list or an order of roles."""
_SHOWN = 12

Words = tuple[str, ...]


@dataclass(frozen=True)
class _Left:
    """What a request holds that nobody gave.

    Attributes:
        role: The role that was asked.
        words: The words, in their order; an empty one where something given stood between them.
    """

    role: str
    words: Words


async def added_text(scenes: Scenes) -> Finding:
    """Take all that was given from the requests and judge what is left."""
    happy, masked = await scenes.happy(), await scenes.masked()
    real, blank = _all_left(scenes.info, happy), _all_left(scenes.info, masked)
    for problem in (
        _only_for_the_real_team(real, blank),
        _of_the_contracts(happy, blank),
        _of_the_adapter(scenes.info, [*real, *blank]),
    ):
        if problem is not None:
            return Finding(False, problem, trace=(happy, masked))
    own = scenes.info.own_words
    declared = f"; declared as the adapter's own: {len(own)} texts" if own else ""
    return Finding(True, f"only what was given and the framework's own words{declared}")


def own_text(info: AdapterInfo, played: Played) -> str | None:
    """Return what an adapter says in an episode's requests and has not declared; None for nothing.

    Args:
        info: The adapter.
        played: The episode.
    """
    return _of_the_adapter(info, _all_left(info, played))


def own_answer(info: AdapterInfo, played: Played) -> str | None:
    """Return what an adapter itself says in an episode's answer; None for nothing.

    Args:
        info: The adapter.
        played: The episode.
    """
    return _of_the_adapter(info, [_Left("the user", tuple(_split(unsaid(played))))])


def _all_left(info: AdapterInfo, played: Played) -> list[_Left]:
    tools = (info.sdk / "ossia_adapter" / "tools.py").read_text("utf-8")
    return [_left(played, exchange, tools) for exchange in played.gateway.exchanges]


def _only_for_the_real_team(real: list[_Left], blank: list[_Left]) -> str | None:
    """Return what requests say to the real team and not to one in nonsense."""
    common = {word for left in blank for word in left.words}
    for left in real:
        strange = [word for word in left.words if _tells(word) and word not in common]
        if strange:
            return f"{left.role} is told words that were not given: {' '.join(strange[:_SHOWN])!r}"
    return None


def _of_the_contracts(happy: Played, blank: list[_Left]) -> str | None:
    """Return what requests of a team in nonsense say of the real one's contracts or names."""
    prompts = "\n".join(role.prompt for role in happy.team.roles)
    contracts = {tuple(_split(each)) for each in _IDENTIFIER.findall(prompts)}
    names = {role.name for role in happy.team.members}
    for left in blank:
        pairs = set(zip(left.words, left.words[1:], strict=False)) & contracts
        named = _close_together(left.words, names)
        if pairs:
            told = ", ".join("_".join(pair) for pair in sorted(pairs))
            return (
                f"{left.role} is told of {told}, which belongs to the real team and was not given"
            )
        if len(named) >= _NAMES_IN_A_HINT:
            return f"{left.role} is told of {', '.join(sorted(named))}, which was not given"
    return None


def _close_together(words: Words, names: set[str]) -> set[str]:
    """Return the most names that stand within a few words of each other."""
    windows = (set(words[n : n + _REACH]) & names for n in range(max(1, len(words) - _REACH + 1)))
    return max(windows, key=len, default=set())


def _of_the_adapter(info: AdapterInfo, left: list[_Left]) -> str | None:
    """Return the first text of the adapter's sources in a request that it has not declared."""
    declared = [tuple(_split(text)) for text in info.own_words]
    texts = {each.words: each.role for each in left}
    for words in sorted(set(_own_words(info)), key=len, reverse=True):
        if any(_holds(each, words) for each in declared):
            continue
        for held, role in texts.items():
            if _holds(held, words):
                return (
                    f"{role} is told the adapter's own words {' '.join(words[:_SHOWN])!r}; if the"
                    " framework needs these, list them in own_words"
                )
    return None


def _tells(word: str) -> bool:
    return word.isalpha() and len(word) >= _SHORTEST


def _split(text: str) -> list[str]:
    """Return the words of a text, and of the names in it, in small letters."""
    return [word.casefold() for word in _WORD.findall(text.replace("\\n", " "))]


def _left(played: Played, exchange: Exchange, tools: str) -> _Left:
    """Return what is left of a request when all that was given before it is taken away."""
    spans: set[Words] = set()
    for text in _given(played, exchange, tools):
        words = _split(text)
        # A short text is given as a whole, a longer one in parts as well.
        size = min(_SPAN, len(words))
        spans |= {tuple(words[n : n + size]) for n in range(len(words) - size + 1) if size}
    left: list[str] = []
    for text in _texts(exchange.request):
        left += _uncovered(_split(text), spans)
        left.append("")
    return _Left(exchange.role, tuple(left))


def _uncovered(words: list[str], spans: set[Words]) -> Iterator[str]:
    covered = [False] * len(words)
    for size in range(1, _SPAN + 1):
        for start in range(len(words) - size + 1):
            if tuple(words[start : start + size]) in spans:
                covered[start : start + size] = [True] * size
    gap = False
    for word, is_given in zip(words, covered, strict=True):
        if not is_given:
            yield word
        elif not gap:
            yield ""
        gap = is_given


def _given(played: Played, exchange: Exchange, tools: str) -> Iterator[str]:
    team = played.team
    yield from (team.name, team.goal, tools, f"The user says: {played.part.utterance}")
    yield played.part.utterance
    for role in team.roles:
        yield from (role.name, role.description, role.prompt, *role.tools)
    for earlier in played.gateway.exchanges:
        if earlier.seq < exchange.seq and earlier.response is not None:
            yield words_of(earlier.response)
    for asked in played.asked:
        yield asked.answer


def _texts(request: Mapping[str, Any]) -> Iterator[str]:
    """Yield all that a request tells a model in words."""
    for message in request.get("messages") or ():
        yield words_of(message)
    for tool in request.get("tools") or ():
        yield from _described(tool)
    yield from _described(request.get("response_format"))


def _described(schema: Any) -> Iterator[str]:
    """Yield the descriptions in a schema, which a model reads like a prompt."""
    if isinstance(schema, Mapping):
        for key, value in schema.items():
            if key == "description" and isinstance(value, str):
                yield value
            else:
                yield from _described(value)
    elif isinstance(schema, list):
        for each in schema:
            yield from _described(each)


def source_files(info: AdapterInfo) -> Iterator[Path]:
    """Yield the files of an adapter's project, but for hidden and compiled ones."""
    for path in sorted(info.project.rglob("*")):
        parts = path.relative_to(info.project).parts
        if not any(part.startswith(".") or part == "__pycache__" for part in parts):
            yield path


def _own_words(info: AdapterInfo) -> Iterator[Words]:
    """Yield the texts in an adapter's sources that are long enough to be known again."""
    for path in source_files(info):
        if path.suffix == ".py":
            texts = _literals(path.read_text("utf-8"))
        elif path.suffix in {".txt", ".jinja", ".j2", ".json", ".yaml", ".yml", ".prompt"}:
            texts = iter([path.read_text("utf-8", errors="replace")])
        else:
            continue
        for text in texts:
            yield from _sentences(text)


def _literals(source: str) -> Iterator[str]:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _sentences(text: str) -> Iterator[Words]:
    for line in re.split(r"\n|\{[^{}]*\}|(?<=[.!?:])\s", text):
        words = tuple(_split(line))
        if len(words) >= _SPAN or (len(words) > 1 and line.rstrip().endswith((".", "!", ":"))):
            yield words


def _holds(text: Words, words: Words) -> bool:
    """Say whether words stand in a text in a row."""
    size = len(words)
    starts: Iterable[int] = (n for n, word in enumerate(text) if word == words[0])
    return any(text[n : n + size] == words for n in starts)
