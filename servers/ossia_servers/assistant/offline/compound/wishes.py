"""Cutting a sentence with several wishes into steps, each of which asks one server one thing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

_VERBS = (
    "add announce answer ask arrange book brew bring buy call cancel change check clean clear "
    "close convert create cut decrease define delete dim drop email erase fetch find forward "
    "get give hang hear increase inform invite let list look lower mail make mark message "
    "mute move name note notify open order organize pause pick place plan play post pull put "
    "raise read recommend record refuse remind remove reply reserve resume schedule search "
    "see send set share shuffle shut skip solve speak spell start stop store subscribe "
    "suggest switch take tell text thank track translate turn tweet unmute unsubscribe update "
    "vacuum wake warn wipe work write"
).split()
_QUESTIONS = (
    "what what's whats when when's where where's who who's which how how's is are am do does did "
    "will would can could should has have any anything"
).split()
_COURTESIES = (
    r"(?:(?:please|also|then|just|maybe|next|finally|afterwards|first|kindly|go ahead and|"
    r"(?:can|could|would|will) you(?: please)?|i(?:'d| would) like (?:you )?to|i want (?:you )?to|"
    r"i need (?:you )?to|you (?:can|should|may)|let's|please do|do)[\s,]+)*"
)
_BEGINS = re.compile(rf"{_COURTESIES}(?:{'|'.join(_VERBS)}|{'|'.join(_QUESTIONS)})\b", re.I)
_CONDITION = re.compile(
    r"(?:but |and |only |just |then )*(if not|otherwise|or else|else|unless|in case|if)\b[\s,]*",
    re.I,
)
_CUT = re.compile(
    r"\s*(?P<stop>[.;?!]+)\s+(?:and then |and |then |also )?"
    r"|\s*,?\s+(?:and then|and also|and afterwards|after that|and|then|plus|also|but)\b,?\s+"
    r"|\s*,\s+|\s+(?=(?:otherwise|or else|if not|if so)\b)",
    re.I,
)
_NOT = re.compile(r"not\b[\s,]*", re.I)
_SUFFIX = re.compile(r"[\s,]+(?:but )?(?:only |just )?(unless|in case|if)\s+", re.I)
_INDIRECT = re.compile(
    r"\b(?:check|see|find out|tell me|know|look up|look|ask|wonder|verify|whether|figure out)\s*$",
    re.I,
)
_WHETHER = re.compile(
    r"^(?:please )?(?:can you |could you )?"
    r"(?:check|see|find out|tell me|let me know|look up|look|verify|figure out)"
    r"(?: on my behalf| for me| first)? (?:if|whether)\s+",
    re.I,
)
_ANYWAY = re.compile(r"\b(?:in any case|either way|anyway|regardless|no matter what)\b[\s,]*", re.I)
_NO_VERB_AFTER = frozenset(
    "a an the my your his her our their this that to of on in at for with from no any some i "
    "you we they he she it is are was be not don't will would can new next last".split()
)
_AMBIGUOUS = frozenset(
    "answer call change check clean list look name note open plan place play".split()
)
_ANAPHORA = re.compile(
    r"^(?:so|yes|yeah|not|no|true|that(?:'s| is) (?:the case|so|true)|"
    r"(?:it|that|this|they|there|one|he|she|i)\b.*|any\b.*|none\b.*|nothing\b.*|"
    r"the (?:price|rate|temperature|total|sum|number|result|answer|chance|delay|rating)\b.*)$",
    re.I,
)
_OWN_SUBJECT = re.compile(
    r"\b(?:today|tonight|tomorrow|day|week|weekend|month|morning|noon|afternoon|evening|night|"
    r"\w+day|calendar|schedule|list|alarm|alarms|email|emails|mail|inbox|traffic|rain\w*|snow\w*|"
    r"storm\w*|sunny|windy|cloudy|foggy|cold|hot|warm|freez\w+|concert\w*|stock|shares?|train|news)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to ask a server, perhaps under a condition.

    Attributes:
        text: The words that say it, or the words of a condition that must be looked up.
        under: Which step's answer decides whether it is done, by its place; None without one.
        test: The words of that condition.
        wanted: What the condition must turn out to be.
    """

    text: str
    under: int | None = None
    test: str = ""
    wanted: bool = True


@dataclass(frozen=True, slots=True)
class _Clause:
    text: str
    fresh: bool
    """Whether it begins a sentence of its own."""


@dataclass(slots=True)
class _Scope:
    """The condition in force while the clauses are read, as in `Step`."""

    under: int | None = None
    test: str = ""
    wanted: bool = True


def cut(utterance: str) -> tuple[Step, ...]:
    """Cut a sentence into steps.

    Args:
        utterance: What the user said.

    Returns:
        The steps in the order in which they are to be done; a condition comes before what hangs on
        it. A sentence with one wish is one step.
    """
    steps: list[Step] = []
    scope = _Scope()
    for clause in _clauses(utterance):
        # What a condition governs ends with the sentence, unless an "otherwise" follows.
        own = clause.fresh or _ANYWAY.search(clause.text) is not None
        ended = own and _CONDITION.match(clause.text) is None
        text = _ANYWAY.sub("", clause.text).strip(" ,")
        if text:
            _take(text, steps, scope, ended=ended)
    return tuple(steps) or (Step(utterance),)


def _take(text: str, steps: list[Step], scope: _Scope, *, ended: bool) -> None:
    opening = _CONDITION.match(text)
    if opening is not None:
        word, rest = opening.group(1).lower(), text[opening.end() :]
        if word in ("otherwise", "or else", "else", "if not") and scope.test:
            scope.wanted = not scope.wanted
            _plain(rest, steps, scope)
            return
        if word == "if not":
            word, rest = "if", text[opening.start(1) + len("if") :].strip()
        condition, action = _condition_and_action(rest)
        _enter(condition, word != "unless", steps, scope)
        if action:
            _plain(action, steps, scope)
        return
    if ended:
        scope.under = None
    suffix = next(
        (m for m in _SUFFIX.finditer(text) if not _INDIRECT.search(text[: m.start()])), None
    )
    if suffix is not None and _WHETHER.match(text) is None:
        _enter(text[suffix.end() :], suffix.group(1).lower() != "unless", steps, scope)
        text = text[: suffix.start()]
    _plain(text, steps, scope)


def _plain(text: str, steps: list[Step], scope: _Scope) -> None:
    text = _WHETHER.sub("", text).strip(" ,.;!?") if _WHETHER.match(text) else text.strip(" ,.;!")
    if not text:
        return
    steps.append(
        Step(text, scope.under, scope.test if scope.under is not None else "", scope.wanted)
    )
    if scope.under is None:
        scope.test, scope.wanted = "", True


def _enter(condition: str, wanted: bool, steps: list[Step], scope: _Scope) -> None:
    """Put a condition in force; look it up first, unless the last answer tells it already."""
    condition = condition.strip(" ,.;!?")
    told = bool(steps) and _ANAPHORA.match(condition) and not _OWN_SUBJECT.search(condition)
    if not told:
        steps.append(Step(condition))
    scope.under, scope.test, scope.wanted = len(steps) - 1, condition, wanted


def _condition_and_action(text: str) -> tuple[str, str]:
    """Part "it rains tomorrow cancel my picnic"; without an action the next clause is it."""
    denied = _NOT.match(text)
    if denied is not None and _BEGINS.match(text[denied.end() :]):
        return denied.group().strip(" ,"), text[denied.end() :]
    comma = text.find(",")
    if comma >= 0 and _BEGINS.match(text[comma + 1 :].lstrip()):
        return text[:comma], text[comma + 1 :].strip()
    words = list(re.finditer(r"[\w']+", text))
    for before, word in pairwise(words):
        verb = word.group().lower()
        if verb not in _VERBS or before.group().lower() in _NO_VERB_AFTER:
            continue
        if verb in _AMBIGUOUS and word is words[-1]:
            continue
        courtesy = re.search(rf"\b{_COURTESIES}$", text[: word.start()], re.I)
        start = courtesy.start() if courtesy else word.start()
        if text[:start].strip(" ,"):
            return text[:start], text[start:]
    return text, ""


def _clauses(utterance: str) -> Iterator[_Clause]:
    start, fresh = 0, True
    for match in _CUT.finditer(utterance):
        rest = utterance[match.end() :]
        if match.start() <= start or not (_BEGINS.match(rest) or _CONDITION.match(rest)):
            continue
        if _INDIRECT.search(utterance[start : match.start()]):
            continue
        yield _Clause(utterance[start : match.start()].strip(), fresh)
        start, fresh = match.end(), match.group("stop") is not None
    yield _Clause(utterance[start:].strip(" .!?"), fresh)
