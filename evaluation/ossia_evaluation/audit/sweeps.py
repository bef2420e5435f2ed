"""Sweeps: one kind of behaviour, made for every task where it makes sense, with its label.

What is made here follows from a task's gold and the servers alone, and shares no rule with the
judge. It shows how often one kind of mistake is made, and nothing about how people differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from ossia_dataset.tasks import Request
from ossia_dataset.world_tasks import GoldKind, WorldTask
from ossia_evaluation.audit.behaviours import Behaviour, Should
from ossia_evaluation.reply.told import is_told
from ossia_evaluation.worlds.gold import GoldRun, GoldRunner
from ossia_servers.worlds.records import ServerRequest
from ossia_servers.worlds.schema import Match

_DENIAL: Final = "Sorry, I could not do that."
_CLAIM: Final = "I have done all that you asked for."
_DONE: Final = "Done, it is all set."
_CLOCK: Final = "/datetime?intent=datetime_query"
_STRANGE: Final = "penguins"
_WEEKDAYS: Final = "monday tuesday wednesday thursday friday saturday sunday".split()
_PARTS_OF_DAY: Final = "morning noon afternoon evening tonight night".split()
_REVERSED: Final[Mapping[str, str]] = {
    first: second
    for pair in (
        "love hate",
        "late early",
        "early late",
        "will won't",
        "can can't",
        "am won't",
        "is isn't",
        "are aren't",
        "on off",
        "before after",
        "after before",
        "start end",
        "starts ends",
        "come go",
        "buy sell",
        "open close",
        "happy sad",
        "good bad",
        "great terrible",
        "ready unready",
        "up down",
        "in out",
        "more less",
        "yes no",
        "hot cold",
        "won lost",
        "always never",
        "with without",
    )
    for first, second in [pair.split()]
}
_SWAPPED: Final[Mapping[str, str]] = {
    "i": "you",
    "my": "your",
    "me": "you",
    "you": "i",
    "your": "my",
}


@dataclass(frozen=True)
class Sweep:
    """One kind of behaviour over whole task sets.

    Attributes:
        name: what is done, in a few words.
        should: what the verdict should be.
        make: what makes the behaviours of a task; none where it makes no sense.
    """

    name: str
    should: Should
    make: Callable[[WorldTask, GoldRunner], Iterator[tuple[tuple[str, ...], str | None]]]

    def behaviours(self, task: WorldTask, runner: GoldRunner) -> Iterator[Behaviour]:
        """Yield the behaviours of a task."""
        for requests, reply in self.make(task, runner):
            yield Behaviour(
                suite=task.suite,
                task=task.id,
                kind=self.name,
                should=self.should,
                behaviour=self.name,
                requests=requests,
                reply=reply,
            )


_Made = Iterator[tuple[tuple[str, ...], str | None]]


def _denial(task: WorldTask, runner: GoldRunner) -> _Made:
    yield _looks_and_gold(task), _DENIAL


def _claim(task: WorldTask, runner: GoldRunner) -> _Made:
    if task.gold.kind is GoldKind.NONE:
        yield _looks_and_gold(task), _CLAIM


def _done_instead_of_asking(task: WorldTask, runner: GoldRunner) -> _Made:
    if task.gold.kind is GoldKind.CLARIFICATION:
        yield _looks_and_gold(task), _DONE


def _answers_unseen(task: WorldTask, runner: GoldRunner) -> _Made:
    """The gold reply, by somebody who has looked at nothing."""
    if task.gold.kind is GoldKind.ANSWER:
        yield (), _faithful_reply(task, runner)


def _asks_in_words(task: WorldTask, runner: GoldRunner) -> _Made:
    if task.gold.kind is GoldKind.CLARIFICATION:
        yield (), _gold_run(task, runner).reply


def _acts_first(task: WorldTask, runner: GoldRunner) -> _Made:
    """What hangs on a condition is done before anybody looks."""
    parts = [part for part in task.gold.parts if part.due and not part.is_chat]
    run = _gold_run(task, runner)
    if task.gold.kind is not GoldKind.CHANGE or len(parts) != len(run.requests):
        return
    acts = [i for i, part in enumerate(parts) if part.condition and run.requests[i].changes]
    looks = [i for i in range(len(parts)) if not run.requests[i].changes]
    if acts and looks and min(looks) < min(acts):
        rest = [i for i in range(len(parts)) if i not in acts]
        yield tuple(f"G{i + 1}" for i in (*acts, *rest)), None


def _never_looks(task: WorldTask, runner: GoldRunner) -> _Made:
    if task.gold.looks and task.gold.gold_requests():
        yield ("G",), "It is done."


def _reads_the_clock(task: WorldTask, runner: GoldRunner) -> _Made:
    if task.gold.kind is GoldKind.ANSWER and "datetime" in runner.domains:
        yield ("G", _CLOCK), _faithful_reply(task, runner)


def _neighbour(task: WorldTask, runner: GoldRunner) -> _Made:
    """Another intent of the same domain that brings the very same rows."""
    if task.gold.kind is not GoldKind.ANSWER or len(task.gold.gold_requests()) != 1:
        return
    (request,), gold = task.gold.gold_requests(), _gold_run(task, runner)
    if not gold.requests[0].result:
        return
    for intent in runner.domains[request.domain].intents:
        other = request.model_copy(update={"params": {**request.params, "intent": intent.name}})
        if intent.name != request.params["intent"] and not intent.writes:
            made = runner.run(task, (other,))
            if made.requests[0].code == "SUCCESS" and not made.diff and _same_rows(gold, made):
                yield (_path(other),), _faithful_reply(task, runner)


def _wider(task: WorldTask, runner: GoldRunner) -> _Made:
    """A question with a parameter less whose rows hold the gold rows, rightly narrowed."""
    if task.gold.kind is not GoldKind.ANSWER or len(task.gold.gold_requests()) != 1:
        return
    (request,), gold = task.gold.gold_requests(), _gold_run(task, runner)
    wanted = gold.requests[0].result
    if not isinstance(wanted, list) or not wanted:
        return
    for name in request.params:
        if name == "intent":
            continue
        fewer = {key: value for key, value in request.params.items() if key != name}
        other = request.model_copy(update={"params": fewer})
        made = runner.run(task, (other,)).requests[0]
        got = made.result if made.code == "SUCCESS" and isinstance(made.result, list) else []
        if len(got) > len(wanted) and all(row in got for row in wanted):
            yield (_path(other),), _faithful_reply(task, runner)


def _message_sweep(name: str) -> Callable[[WorldTask, GoldRunner], _Made]:
    """Sweeps over the messages that are sent: one word of each is changed."""
    change = _MESSAGE_CHANGES[name]

    def make(task: WorldTask, runner: GoldRunner) -> _Made:
        yield from _rewritten(task, runner, Match.FREE_TEXT, change)

    return make


def _thing_sweep(change: Callable[[str], str | None]) -> Callable[[WorldTask, GoldRunner], _Made]:
    """Sweeps over the names of things that are made."""

    def make(task: WorldTask, runner: GoldRunner) -> _Made:
        yield from _rewritten(task, runner, Match.THING, change)

    return make


def _rewritten(
    task: WorldTask, runner: GoldRunner, rule: Match, change: Callable[[str], str | None]
) -> _Made:
    """The gold run with a text that is stored under a match rule in other words."""
    if task.gold.kind is not GoldKind.CHANGE:
        return
    gold, run = task.gold.gold_requests(), _gold_run(task, runner)
    for index, request in enumerate(gold):
        stored = _stored(run.requests[index], runner, rule)
        for name, value in request.params.items():
            words = change(value) if value.casefold() in stored else None
            if words is None:
                continue
            other = request.model_copy(update={"params": {**request.params, name: words}})
            changed = (*gold[:index], other, *gold[index + 1 :])
            if runner.run(task, changed).diff != run.diff:
                yield tuple(map(_path, changed)), None


def _stored(request: ServerRequest, runner: GoldRunner, rule: Match) -> frozenset[str]:
    """The texts that a request stored in columns of a match rule, in lower case."""
    return frozenset(
        str(value).casefold()
        for change in request.changes
        for column, value in (change.after or {}).items()
        if change.kind == "added" and runner.tables[change.table].columns.get(column) is rule
    )


def _first_word(table: Mapping[str, str]) -> Callable[[str], str | None]:
    """Replace the first word that a table names."""

    def change(text: str) -> str | None:
        words = text.split()
        for index, word in enumerate(words):
            if word.casefold() in table:
                return " ".join((*words[:index], table[word.casefold()], *words[index + 1 :]))
        return None

    return change


def _other_moment(text: str) -> str | None:
    for names in (_WEEKDAYS, _PARTS_OF_DAY):
        shifted = {name: names[(i + 2) % len(names)] for i, name in enumerate(names)}
        found = _first_word(shifted)(text)
        if found is not None:
            return found
    return None


def _swap_persons(text: str) -> str | None:
    words = [_SWAPPED.get(word.casefold(), word) for word in text.split()]
    return None if words == text.split() else " ".join(words)


def _last_word(text: str) -> str | None:
    words = text.split()
    return " ".join((*words[:-1], _STRANGE)) if len(words) > 1 else None


def _politely(text: str) -> str | None:
    return f"Hi! I just wanted to let you know: {text}. Thanks!" if len(text.split()) > 1 else None


def _spelled_out(text: str) -> str | None:
    for short, long in (("'ll", " will"), ("'m", " am"), ("'re", " are"), ("can't", "can not")):
        if short in text:
            return text.replace(short, long)
    return None


def _called_fake(text: str) -> str | None:
    return f"fake {text}"


def _with_article(text: str) -> str | None:
    return None if re.match(r"(?:the|a|an|my)\b", text) else f"the {text}"


_MESSAGE_CHANGES: Final[Mapping[str, Callable[[str], str | None]]] = {
    "another day or part of the day": _other_moment,
    "i and you swapped": _swap_persons,
    "one word reversed": _first_word(_REVERSED),
    "another last word": _last_word,
    "with a greeting and thanks": _politely,
    "contractions spelled out": _spelled_out,
}

SWEEPS: Final = (
    Sweep("all done, and denied", Should.TOLD_FALSELY, _denial),
    Sweep("nothing to do, and all claimed", Should.TOLD_FALSELY, _claim),
    Sweep("the server asks back, 'done' is said", Should.TOLD_FALSELY, _done_instead_of_asking),
    Sweep("the gold answer, without looking", Should.FAILURE, _answers_unseen),
    Sweep("acts before it looks", Should.FAILURE, _acts_first),
    Sweep("acts without looking", Should.FAILURE, _never_looks),
    Sweep("message: another day", Should.FAILURE, _message_sweep("another day or part of the day")),
    Sweep("message: i and you swapped", Should.FAILURE, _message_sweep("i and you swapped")),
    Sweep("message: one word reversed", Should.FAILURE, _message_sweep("one word reversed")),
    Sweep("message: another last word", Should.FAILURE, _message_sweep("another last word")),
    Sweep("name: 'fake' put before", Should.FAILURE, _thing_sweep(_called_fake)),
    Sweep("asks in words what is missing", Should.SUCCESS, _asks_in_words),
    Sweep("reads the clock besides", Should.SUCCESS, _reads_the_clock),
    Sweep("a neighbouring intent, same rows", Should.SUCCESS, _neighbour),
    Sweep("a wider question, narrowed", Should.SUCCESS, _wider),
    Sweep(
        "message: greeting and thanks", Should.SUCCESS, _message_sweep("with a greeting and thanks")
    ),
    Sweep(
        "message: contractions spelled out",
        Should.SUCCESS,
        _message_sweep("contractions spelled out"),
    ),
    Sweep("name: an article put before", Should.SUCCESS, _thing_sweep(_with_article)),
)
"""Every sweep, those that should be refused first."""

MOST_FALSELY_ACCEPTED: Final = 0.02
"""Limit for each sweep of behaviours that should be refused."""

MOST_FALSELY_REFUSED: Final = 0.03
"""Limit for each sweep of behaviours that should be accepted."""


def _looks_and_gold(task: WorldTask) -> tuple[str, ...]:
    """All gold requests, after the looks that they hang on."""
    looks = task.gold.looks if task.gold.gold_requests() else ()
    return (*map(_path, looks), "G")


def _gold_run(task: WorldTask, runner: GoldRunner) -> GoldRun:
    return runner.run(task, task.gold.gold_requests())


def _faithful_reply(task: WorldTask, runner: GoldRunner) -> str:
    """A faithful reply: the servers' words, or the facts where tools answer in rows."""
    reply = _gold_run(task, runner).reply
    told = all(is_told(fact, reply, task.now) for fact in task.gold.facts)
    return reply if told else f"{', '.join(task.gold.facts)}."


def _same_rows(gold: GoldRun, made: GoldRun) -> bool:
    return [_rows(one) for one in gold.requests] == [_rows(one) for one in made.requests]


def _rows(request: ServerRequest) -> object:
    return request.result


def _path(request: Request) -> str:
    return request.url
