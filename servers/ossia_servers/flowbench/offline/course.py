"""The course of a conversation through the workflows: where it stands, and what comes next.

It is walked anew for each request, from the user's words and what the tools have answered. What a
framework has forgotten is looked up again; a change is not made again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Final

from pydantic import JsonValue

from ossia_servers.flowbench.offline.guess import guessed_workflow
from ossia_servers.flowbench.offline.hearing import (
    act_in,
    is_aside,
    is_lost,
    mentioned,
    nearest,
    refuses,
    slots_in,
    value_in,
)
from ossia_servers.flowbench.offline.known import Known, Tool, Workflow
from ossia_servers.flowbench.reports import Outcome, Wanted, argument_text, outcomes
from ossia_servers.wire.talk import TalkTurn
from ossia_workflows.graph import END, START, Node
from ossia_workflows.scenario import Act, Condition, Otherwise, ResultIs, UserDoes, read_condition
from ossia_workflows.scenario.model import slot_or_fact

__all__ = ["next_wanted"]

_SAYS: Final = re.compile(
    r"\b(?:say|explain|warn) that (.+?)(?:,? and (?:ask|wait|offer) .+)?$", re.IGNORECASE
)
_ASKS: Final = re.compile(r"\bask (whether .+)", re.IGNORECASE)
_MOST_STEPS: Final = 100
_MOST_CALLS: Final = 12
"""Calls in one turn at most; then the turn ends in words."""

_NOT_FOUND: Final = 404

_NO_TOOLS: Final = "I am sorry, I have no tools by which I could do that."
_TOO_MANY: Final = "I am sorry, I do not come to an end with this at the moment."
_ELSE: Final = "Is there anything else?"


class _Waits(Enum):
    """What the user is waited for."""

    WISH = "wish"
    SLOTS = "slots"
    ACT = "act"
    CALL = "call"
    """A call has failed; anything that the user says may be a new try."""


def next_wanted(known: Known, talk: Sequence[TalkTurn], retries: int = 0) -> Wanted:
    """Return what comes next in a conversation.

    Args:
        known: what the prompt tells.
        talk: the conversation; its last turn is under way.
        retries: how often a call is made again that brought no answer.
    """
    if not known.tools and not known.workflows:
        return Wanted(words=_NO_TOOLS)
    made = outcomes(talk[-1]) if talk else []
    if len(made) >= _MOST_CALLS:
        return Wanted(words=_TOO_MANY)
    course = _Course(known, made, begun=any(map(_ends, talk[:-1])), retries=retries)
    wanted = Wanted(words=course.offer())
    # What has come to its end is not walked again.
    ended = [at for at, turn in enumerate(talk[:-1], 1) if _ends(turn)]
    for turn in talk[ended[-1] if ended else 0 : -1]:
        wanted = course.turn(turn.user, outcomes(turn), " ".join(turn.texts))
        if wanted.tool:
            return wanted
    return course.turn(talk[-1].user, [], None) if talk else wanted


def _ends(turn: TalkTurn) -> bool:
    return any(text.rstrip().endswith(_ELSE) for text in turn.texts)


class _Course:
    """Follows one conversation."""

    def __init__(self, known: Known, latest: list[Outcome], *, begun: bool, retries: int) -> None:
        self._known = known
        self._retries = retries
        self._begun = begun
        self._latest = latest
        """Calls of the turn under way: its own, and those that look up what was forgotten."""
        self._made: list[Outcome] = []
        self._answer: str | None = None
        self._workflow: Workflow | None = None
        self._node = ""
        self._waits = _Waits.WISH
        self._asked: tuple[str, ...] = ()
        self._slots: dict[str, JsonValue] = {}
        self._facts: dict[str, JsonValue] = {}
        self._question = ""
        self._refused: list[Outcome] = []
        self._others: list[Workflow] = []
        """What else the user may have meant, the nearest first."""

    def turn(self, words: str, made: list[Outcome], answer: str | None) -> Wanted:
        """Go through one turn of the user's.

        Args:
            words: what the user says.
            made: the calls of it that are still known.
            answer: what was answered; None for the turn under way.
        """
        self._made, self._answer = made, answer
        if not self._hears(words):
            aside = "I can only help you with what I am here for." if is_aside(words) else "Sorry."
            return self._wanted(f"{aside} {self._question or self.offer()}")
        lines: list[str] = []
        for _ in range(_MOST_STEPS):
            wanted = self._step(lines)
            if wanted is not None:
                return wanted
        return self._wanted(_TOO_MANY)

    def offer(self) -> str:
        """Return the question what the user wants."""
        names = ", ".join(each.name for each in self._known.workflows)
        return f"What can I do for you?{f' I can help with {names}.' if names else ''}"

    def _wanted(self, words: str) -> Wanted:
        name = "" if self._workflow is None else self._workflow.name
        told = {**self._slots, **self._facts}
        return Wanted(words=words, scenario=name, step=self._node, known=told)

    # What the user says.

    def _hears(self, words: str) -> bool:
        """Take in what the user says; False where it leads nowhere."""
        if self._waits is _Waits.WISH:
            return self._begins(words)
        workflow = self._workflow
        assert workflow is not None
        told = slots_in(words, workflow.slots, self._asked)
        if self._waits is _Waits.ACT:
            return self._acts(words, told)
        unfit = self._waits is _Waits.SLOTS and self._is_unfit(words)
        if self._is_another(words) or (unfit and not told):
            self._enter(words)
            return True
        self._slots |= told
        return bool(told) or (self._waits is _Waits.CALL and not is_aside(words))

    def _begins(self, words: str) -> bool:
        """Find the scenario of what the user wants, and go to where it begins."""
        if self._begun and refuses(words):
            return False
        self._others = _meant(self._known, words)
        if not self._others:
            return False
        self._enter(words)
        return True

    def _enter(self, words: str) -> None:
        """Go to where the nearest scenario begins."""
        self._begun = True
        self._workflow = self._others.pop(0)
        self._node = next(e.target for e in self._workflow.graph.edges if e.source == START)
        slots = self._workflow.slots
        self._slots, self._facts = {**mentioned(words, slots), **slots_in(words, slots, ())}, {}

    def _is_another(self, words: str) -> bool:
        """Whether the user tells a slot of another scenario by its description; it comes next."""
        labels = {line.partition(": ")[0].casefold() for line in words.splitlines()}

        def named(workflow: Workflow) -> int:
            return len(labels & {slot.about.casefold() for slot in workflow.slots.values()})

        present = 0 if self._workflow is None else named(self._workflow)
        found = max(self._others, key=named, default=None)
        if found is None or named(found) <= present:
            return False
        self._others.remove(found)
        self._others.insert(0, found)
        return True

    def _is_unfit(self, words: str) -> bool:
        """Whether the user cannot tell what the very beginning of the scenario asks for."""
        begun = bool(self._facts) or not self._others
        return not begun and is_lost(words)

    def _acts(self, words: str, told: Mapping[str, JsonValue]) -> bool:
        """Go the way of what the user does."""
        ways = self._ways()
        possible = [way.act for _, way in ways if isinstance(way, UserDoes)]
        act = None if is_aside(words) else act_in(words, possible)
        if told and act is None:
            act = next((each for each in (Act.CHANGES, Act.CHOOSES) if each in possible), None)
        found = [target for target, way in ways if isinstance(way, UserDoes) and way.act is act]
        if act is not None and not found:
            found = [target for target, way in ways if isinstance(way, Otherwise)]
        if not found:
            return False
        self._slots |= told
        self._node = found[0]
        return True

    # The steps.

    def _step(self, lines: list[str]) -> Wanted | None:
        """Do the present step and go on; what is said or called ends this."""
        if self._node == END:
            return self._ask(lines, _Waits.WISH, _ELSE)
        node = self._graph_node()
        needed = (*node.asks, *(name for name in _references(node) if "." not in name))
        missing = tuple(dict.fromkeys(name for name in needed if name not in self._slots))
        if missing:
            asking = " ".join(f"Please tell me {self._about(name)}." for name in missing)
            return self._ask(lines, _Waits.SLOTS, asking, missing)
        if node.tool is not None:
            failed = self._call(node, lines)
            if failed is not None:
                return failed
        lines += self._told(node)
        return self._go_on(node, lines)

    def _go_on(self, node: Node, lines: list[str]) -> Wanted | None:
        ways = self._ways()
        if any(isinstance(way, UserDoes) for _, way in ways):
            asked = _ASKS.search(node.task)
            question = "What would you like to do?"
            if asked is not None:
                question = f"{_sentence(f'The question is {asked[1]}')} {question}"
            return self._ask(lines, _Waits.ACT, question)
        met = [target for target, way in ways if isinstance(way, ResultIs) and self._holds(way)]
        met += [target for target, way in ways if way is None or isinstance(way, Otherwise)]
        self._node = met[0] if met else END
        return None

    def _ask(
        self, lines: Sequence[str], waits: _Waits, question: str, asked: tuple[str, ...] = ()
    ) -> Wanted:
        self._waits, self._asked, self._question = waits, asked, question
        return self._wanted(" ".join(filter(None, (*lines, question))))

    def _call(self, node: Node, lines: list[str]) -> Wanted | None:
        """Take in the result of the step's call; what is to be done where there is none."""
        tool = node.tool or ""
        try:
            given = {name: self._bound(value) for name, value in node.arguments.items()}
        except KeyError as error:
            return self._failed(lines, f"I do not know {error.args[0]}")
        same = {name: argument_text(value) for name, value in given.items()}
        known = self._last_result(tool, same)
        if known is None:
            wanted = self._wanted("")
            return Wanted("", tool, given, wanted.scenario, wanted.step, wanted.known)
        if known.result is None:
            self._refused += [known] if 400 <= known.status < 500 else []
            if self._others and not self._facts and known.status == _NOT_FOUND:
                # What the user has told fits another scenario.
                self._enter("")
                return self._step(lines)
            return self._failed(lines, known.problem)
        self._facts |= {f"{tool}.{field}": value for field, value in known.result.items()}
        described = self._known.tools.get(tool)
        if described is not None and described.changes:
            # A change has to be known later on, also where all but words is forgotten.
            told = {f"{tool}.{field}": value for field, value in known.result.items()}
            lines.append(
                _told_line({name: v for name, v in told.items() if name not in node.tells})
            )
        return None

    def _failed(self, lines: list[str], problem: str) -> Wanted:
        words = f"I am sorry, this did not work: {problem.rstrip('.')}."
        return self._ask([*lines, words], _Waits.CALL, "What would you like to do?")

    def _last_result(self, tool: str, given: Mapping[str, str]) -> Outcome | None:
        """What a call gave at last; None where it has to be made, be it once more."""
        known = self._result(tool, given)
        for _ in range(self._retries):
            if known is None or known.answered:
                break
            known = self._result(tool, given)
        return known

    def _result(self, tool: str, given: Mapping[str, str]) -> Outcome | None:
        """What a call gave, as far as it is known; None where it has to be made."""
        for made in (self._made, self._latest):
            for each in made:
                if each.tool == tool and each.arguments == given:
                    made.remove(each)
                    return each
        for each in self._refused:
            if each.tool == tool and each.arguments == given:
                return each
        described = self._known.tools.get(tool)
        if self._answer is None or described is None or not described.changes:
            return None
        return Outcome(tool, given, 200, dict(_read_told(described, self._answer)))

    def _told(self, node: Node) -> Iterator[str]:
        told = {name: self._facts[name] for name in node.tells if name in self._facts}
        said = _SAYS.search(node.task)
        if told:
            yield _told_line(told)
        elif said is not None:
            yield _sentence(said[1])

    def _graph_node(self) -> Node:
        assert self._workflow is not None
        return self._workflow.graph.by_id[self._node]

    def _ways(self) -> list[tuple[str, Condition | None]]:
        assert self._workflow is not None
        edges = (edge for edge in self._workflow.graph.edges if edge.source == self._node)
        return [(edge.target, _condition(edge.condition)) for edge in edges]

    def _holds(self, condition: ResultIs) -> bool:
        found = self._facts.get(condition.fact)
        try:
            return isinstance(found, bool | int | float | str) and condition.holds(found)
        except TypeError:
            return False

    def _bound(self, value: JsonValue) -> JsonValue:
        name = slot_or_fact(value)
        if name is None:
            return value
        return self._facts[name] if "." in name else self._slots[name]

    def _about(self, slot: str) -> str:
        known = {} if self._workflow is None else self._workflow.slots
        return known[slot].about if slot in known else slot.replace("_", " ")


def _meant(known: Known, words: str) -> list[Workflow]:
    """The workflows that the user may mean, the nearest first."""
    if not known.workflows:
        guessed = guessed_workflow(known.tools, words)
        return [] if guessed is None else [guessed]
    texts = [
        " ".join((each.name, each.name, each.about, *(node.task for node in each.graph.nodes)))
        for each in known.workflows
    ]
    near = nearest(words, texts)
    order = near + [at for at in range(len(texts)) if at not in near]
    return [known.workflows[at] for at in order]


def _condition(text: str | None) -> Condition | None:
    """A condition; what is none is met where no other is."""
    try:
        return None if text is None else read_condition(text)
    except ValueError:
        return Otherwise()


def _references(node: Node) -> Iterator[str]:
    found = map(slot_or_fact, node.arguments.values())
    return (name for name in found if name is not None)


def _told_line(facts: Mapping[str, JsonValue]) -> str:
    told = ", ".join(f"{_field(name)}: {_said(value)}" for name, value in facts.items())
    return f"{told}." if told else ""


def _read_told(tool: Tool, answer: str) -> Iterator[tuple[str, JsonValue]]:
    """The fields of a tool's result that an answer tells, as `_told_line` writes them."""
    names = "|".join(re.escape(_field(name)) for name in tool.gives)
    for name, kind in tool.gives.items():
        pattern = rf"\b{re.escape(_field(name))}: (.+?)(?=, (?:{names}): |\.(?:\s|$)|$)"
        found = re.search(pattern, answer)
        value = None if found is None else value_in(found[1], kind)
        if value is not None:
            yield name, value


def _field(fact: str) -> str:
    return fact.rpartition(".")[2].replace("_", " ")


def _said(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(_said, value)) or "none"
    return str(value)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
