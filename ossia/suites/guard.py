"""What another distribution's suite costs when it errs: one sentence that names it.

Its functions are called from everywhere, and may raise anything. Around each of them stands a guard
that says which suite has failed, in what, and where; the log has the trace, on the level DEBUG.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from os.path import sep
from pathlib import Path
from traceback import extract_tb
from typing import Any, Final

import orjson
from pydantic import ValidationError
from typer import Abort, Exit
from typer.exceptions import TyperException

from ossia.errors import UserError
from ossia.suite import Suite
from ossia_dataset.tasks import Task, TaskError
from ossia_servers.gateway import Completion, ModelCall, ModelFailure
from ossia_servers.trace import Trace

__all__ = ["GuardedGrader", "GuardedPlayer", "calling", "guarded"]

_LOG: Final = logging.getLogger(__name__)

_GUARDED: Final = (
    *("team", "team_key", "limits", "budget", "grade", "domains", "catalogue", "release"),
    *("user", "history", "knowledge", "offline", "workflow", "examples"),
    *("contracts", "checked", "describe", "report", "check", "related"),
)
"""Functions of a suite that are guarded as they are."""


def guarded(suite: Suite[Any]) -> Suite[Any]:
    """Return a suite whose errors are one sentence each.

    Args:
        suite: a suite of another distribution.

    Raises:
        UserError: something that has to be a function is none, or `data` is no path.
    """
    name = suite.name
    for field in (*_GUARDED, "tasks", "grader", "metrics", "facts"):
        made = getattr(suite, field)
        if made is not None and not callable(made):
            raise UserError(f"the suite '{name}' is not usable: its `{field}` is not a function")
    if suite.data is not None and not isinstance(suite.data, Path):
        raise UserError(f"the suite '{name}' is not usable: its `data` is not a pathlib.Path")
    around: dict[str, Any] = {
        field: _around(name, field, getattr(suite, field))
        for field in _GUARDED
        if getattr(suite, field) is not None
    }
    made = _around(name, "grader", suite.grader)
    return replace(
        suite,
        **around,
        tasks=_around(name, "tasks", lambda source: tuple(map(_told, suite.tasks(source)))),
        metrics=_around(name, "metrics", lambda: [_read(name, one) for one in suite.metrics()]),
        facts=_around(
            name,
            "facts",
            lambda tasks: {str(key): str(told) for key, told in suite.facts(tasks).items()},
        ),
        grader=lambda domains: GuardedGrader(name, made(domains), around["grade"]),
        paraphrases={
            paraphrase: _around(name, f"paraphrases['{paraphrase}']", made)
            for paraphrase, made in suite.paraphrases.items()
        },
        players={player: _player(name, player, made) for player, made in suite.players.items()},
    )


class GuardedGrader:
    """A grader whose errors cost the task or the episode alone."""

    def __init__(self, suite: str, grader: Any, kind: Callable[[], Any]) -> None:
        """Put a guard around a grader.

        Args:
            suite: the suite's name.
            grader: what is guarded.
            kind: returns the type of the suite's grades.
        """
        self._suite, self._grader, self._kind = suite, grader, kind

    def check(self, task: Any) -> None:
        """Make sure that a task can be graded.

        Raises:
            TaskError: it cannot.
        """
        try:
            self._grader.check(task)
        except TaskError:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001
            _LOG.debug("check of %s", task.id, exc_info=True)
            raise TaskError(f"the suite '{self._suite}' refuses it: {_said(error)}") from None

    def score(self, task: Any, trace: Trace) -> Any:
        """Grade an episode; one that the grader cannot grade is invalid."""
        kind = self._kind()
        try:
            grade = self._grader.score(task, trace)
            if isinstance(grade, kind):
                return grade
            said = f"it returns {type(grade).__name__}, not {kind.__name__}"
        except (Exception, SystemExit) as error:  # noqa: BLE001
            _LOG.debug("grade of %s", task.id, exc_info=True)
            said = _said(error)
        reason = f"the grader of the suite '{self._suite}' failed: {said}"
        with _one_sentence(self._suite, "grade"):
            return kind(verdict="invalid", reason=reason)


class GuardedPlayer:
    """A player whose errors make the episode invalid, and are told as its reason."""

    def __init__(self, suite: str, name: str, player: Any) -> None:
        """Put a guard around a player.

        Args:
            suite: the suite's name.
            name: the player's name in it.
            player: what is guarded.
        """
        self.name = name
        self._suite, self._player = suite, player

    async def complete(self, call: ModelCall) -> Completion:
        """Answer one request.

        Raises:
            ModelFailure: the player failed, or what it gave is no answer.
        """
        try:
            made = await self._player.complete(call)
            if isinstance(made, Completion):
                # What cannot be written must not count as an answer.
                orjson.dumps(made.message)
                return made
            said = f"it returns {type(made).__name__}, not Completion"
        except ModelFailure:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001
            _LOG.debug("player %s of %s", self.name, self._suite, exc_info=True)
            said = _said(error)
        raise ModelFailure(f"the player '{self.name}' of the suite '{self._suite}' failed: {said}")


def _player(suite: str, name: str, made: Callable[[Any], Any]) -> Callable[[Any], GuardedPlayer]:
    guarded = _around(suite, f"player {name}", made)
    return lambda tasks: GuardedPlayer(suite, name, guarded(tasks))


@contextmanager
def calling(suite: str, what: str) -> Iterator[None]:
    """Guard the call of a command or an importer; what ends a command in order passes.

    Raises:
        UserError: it failed; where, in one sentence.
    """
    try:
        yield
    except (UserError, TaskError, OSError, Abort, Exit, TyperException):
        raise
    except Exception as error:  # noqa: BLE001
        _LOG.debug("%s of %s", what, suite, exc_info=True)
        raise UserError(f"{what} of the suite '{suite}' failed: {_said(error)}") from None


def _around(suite: str, what: str, made: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(made)
    def call(*given: Any, **named: Any) -> Any:
        with _one_sentence(suite, what):
            found = made(*given, **named)
            return list(found) if isinstance(found, Iterator) else found

    return call


@contextmanager
def _one_sentence(suite: str, what: str) -> Iterator[None]:
    try:
        yield
    except (UserError, TaskError):
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001
        _LOG.debug("%s of %s", what, suite, exc_info=True)
        raise UserError(f"the suite '{suite}' fails in its `{what}`: {_said(error)}") from None


def _said(error: BaseException) -> str:
    """An error on one line, with its place in the suite's code."""
    frames = extract_tb(error.__traceback__) if error.__traceback__ else []
    # What checks a value raises deep inside; who gave the value is to be told, and not this file.
    own = (f"{sep}pydantic{sep}", __file__)
    told = [frame for frame in frames if not any(part in frame.filename for part in own)]
    place = f" ({Path(told[-1].filename).name}:{told[-1].lineno})" if told else ""
    text = str(error.errors()[0]["msg"]) if isinstance(error, ValidationError) else str(error)
    return f"{': '.join(filter(None, (type(error).__name__, ' '.join(text.split()))))}{place}"


def _told(task: Task) -> Task:
    """A task whose groups and domains can be told: else every table would fail, at the end."""
    for kind, group in task.groups.items():
        if not (isinstance(kind, str) and isinstance(group, str)):
            raise TaskError(f"task {task.id}: its groups are not strings: {kind!r}, {group!r}")
    frozenset(task.domains)
    return task


def _read(suite: str, metric: Any) -> Any:
    """A metric whose functions are guarded."""
    functions: Mapping[str, Callable[..., Any]] = {
        name: _around(suite, f"metric {metric.name}", made)
        for name in ("read", "tell")
        if (made := getattr(metric, name)) is not None
    }
    return metric.model_copy(update=functions)
