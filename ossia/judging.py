"""A language model's marks for the episodes of a run: asked once each, kept in a file beside it.

Nothing else of the run changes, and none of its figures holds them or what they cost.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final, TextIO

import orjson
from pydantic import ValidationError

from ossia.endpoints import options_by_model, read_base_urls
from ossia.errors import RunStopped, UserError
from ossia.loop import run_in_order
from ossia.opening import require_prices
from ossia.run_plan import UPSTREAM_SECONDS
from ossia.runner.services import MachineClock
from ossia.runner.store import RunStore
from ossia.session import Means
from ossia.storage.place import Place
from ossia.wanted import wanted_parameters
from ossia_evaluation.attribution import Spent
from ossia_evaluation.judged import Judgement, read_mark
from ossia_servers.gateway import (
    Asker,
    Budget,
    Gateway,
    Message,
    Model,
    Paces,
    Purse,
    Specification,
    Unanswered,
    UpstreamOptions,
    is_priced,
    jittered,
    open_model,
    read_specification,
)

__all__ = ["JUDGED", "Judge", "Marks", "Question", "give_marks", "judge_run", "open_judge"]

JUDGED: Final = "judged.jsonl"
"""The marks of a run are kept under this name in its folder."""

_ROLE: Final = "judge"
"""Who asks, as records and rules name it."""

_ONE_QUESTION: Final = Budget(calls=1, tokens=10_000_000, seconds=86_400.0)
_LONGEST_REPLY: Final = 2_000


@dataclass(frozen=True)
class Question:
    """What a judge is asked of an episode; without messages there is nothing to judge."""

    episode: str
    messages: tuple[Message, ...]


@dataclass(frozen=True)
class Judge:
    """A model that gives marks, as the user named it."""

    model: str
    base_urls: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    price_model: str | None = None
    call_seconds: float = UPSTREAM_SECONDS
    """Longest attempt at an answer."""

    def key(self, question: Question) -> str:
        """Return a hash of a question with all that decides on the answer."""
        asked = [self.model, self.base_urls, self.parameters, question.messages]
        return hashlib.sha256(orjson.dumps(asked)).hexdigest()[:32]

    @property
    def specification(self) -> Specification:
        """The model.

        Raises:
            UserError: it cannot be read, or cannot judge.
        """
        try:
            found = read_specification(self.model, ()).resolved()
        except ValueError as error:
            raise UserError(f"--judge: {error}") from None
        if not self.model.strip() or found.default.kind == "offline":
            raise UserError(f"--judge {self.model}: this model cannot judge")
        return found


def open_judge(judge: Judge, means: Means) -> Model:
    """Return a judge's model; nothing is sent yet.

    Raises:
        UserError: it cannot be reached as given, or no price holds the limit of cost.
    """
    spec = judge.specification
    if judge.price_model is not None and not is_priced(judge.price_model):
        raise UserError(f"no price is known for the model '{judge.price_model}'")
    if means.max_cost is not None:
        require_prices([spec], judge.price_model)
    shared = UpstreamOptions(
        timeout_s=judge.call_seconds,
        concurrency=means.jobs,
        jitter=jittered(Random()),
        purse=Purse(means.max_cost),
        paces=Paces(means.rpm, means.tpm, clock=MachineClock()),
        price_model=judge.price_model,
    )
    urls = read_base_urls(judge.base_urls, [spec])
    parameters = wanted_parameters(judge.parameters, [spec])
    try:
        options = options_by_model(urls, means.key_variables, [spec], shared)
        return open_model(spec, options, parameters=parameters)
    except ValueError as error:
        raise UserError(str(error)) from None


@dataclass(frozen=True)
class Marks:
    """What a judge has made of questions.

    Attributes:
        by_episode: Its judgements.
        asked_now: How many of them are of now.
        unanswered: Why there is none, by the episode.
    """

    by_episode: Mapping[str, Judgement]
    asked_now: int
    unanswered: Mapping[str, str]

    @property
    def spent(self) -> Spent:
        """What all of its judgements took, earlier ones too."""
        made = self.by_episode.values()
        known = [each.price_usd for each in made if each.price_usd is not None]
        return Spent(
            calls=sum(each.calls for each in made),
            tokens=sum(each.tokens for each in made),
            price_usd=sum(known) if len(known) == len(made) else None,
        )


def judge_run(judge: Judge, questions: Sequence[Question], place: Place, means: Means) -> Marks:
    """Ask a judge what it has not been asked yet of a stored run.

    Args:
        judge: the judge.
        questions: one for each episode.
        place: the run.
        means: what may be used for it.

    Raises:
        UserError: the judge's model cannot be asked as given, or the run is in use or cannot be
            read or written.
        RunStopped: the endpoint answers no more; the judgements so far are kept.
        KeyboardInterrupt: it was stopped; likewise.
    """
    try:
        with RunStore(place, write=True):
            return run_in_order(give_marks(judge, questions, place.folder, means))
    except OSError as error:
        raise UserError(f"{place.folder} cannot be read or written: {error.strerror}") from None


async def give_marks(
    judge: Judge, questions: Sequence[Question], folder: Path, means: Means
) -> Marks:
    """Ask a judge what it has not been asked yet, and keep each answer as it comes.

    Args:
        judge: the judge.
        questions: one for each episode.
        folder: the run's folder, which nobody else may be writing to.
        means: what may be used for it.

    Raises:
        UserError: the judge's model cannot be asked as given.
        RunStopped: the endpoint answers no more; the judgements so far are kept.
        OSError: the file of judgements cannot be read or written.
    """
    path = folder / JUDGED
    keys = {question.episode: judge.key(question) for question in questions}
    lines = path.read_bytes().split(b"\n") if path.exists() else []
    found = {each.episode: each for each in _read(lines) if keys.get(each.episode) == each.question}
    todo = [question for question in questions if question.episode not in found]
    unanswered: dict[str, str] = {}
    if not todo:
        return Marks(found, 0, unanswered)
    asking = _Asking(judge, open_judge(judge, means))
    with path.open("a", encoding="utf-8") as file:
        # What a kill has torn stays a line of its own.
        file.write("\n" if lines and lines[-1] else "")

        def note(question: Question, made: Judgement | str) -> None:
            if isinstance(made, str):
                unanswered[question.episode] = made
            else:
                found[question.episode] = made
                _write(file, made)

        await asking.all(todo, means.jobs, note)
    return Marks(found, len(todo) - len(unanswered), unanswered)


class _Asking:
    """Asks through a gateway of its own, with an account for each question."""

    def __init__(self, judge: Judge, model: Model) -> None:
        self._judge = judge
        self._gateway = Gateway(model, clock=MachineClock(), price_model=judge.price_model)

    async def all(
        self,
        questions: Sequence[Question],
        jobs: int,
        note: Callable[[Question, Judgement | str], None],
    ) -> None:
        """Ask all, `jobs` at once; `note` is told each judgement, or why there is none."""
        queue: Iterator[Question] = iter(questions)

        async def work() -> None:
            for question in queue:
                if self._gateway.closed_because is not None:
                    return
                note(question, await self._judged(question))

        try:
            await asyncio.gather(*(work() for _ in range(jobs)))
        finally:
            await self._gateway.aclose()
        if self._gateway.closed_because is not None:
            raise RunStopped(
                f"the judge has stopped: {self._gateway.closed_because}; fix the cause, then run"
                " the same command again"
            )

    async def _judged(self, question: Question) -> Judgement | str:
        account = secrets.token_urlsafe(24)
        if not question.messages:
            return self._judgement(question, mark=0)
        self._gateway.open(question.episode, account, _ONE_QUESTION, roles=(_ROLE,))
        try:
            reply = await Asker(self._gateway, account, _ROLE)(question.messages)
        except Unanswered as error:
            return str(error)
        finally:
            record = self._gateway.close(account)
        return self._judgement(
            question,
            mark=read_mark(reply),
            reply=reply[:_LONGEST_REPLY],
            calls=record.calls,
            tokens=record.total_tokens,
            price_usd=record.price_usd,
        )

    def _judgement(
        self,
        question: Question,
        *,
        mark: int | None,
        reply: str = "",
        calls: int = 0,
        tokens: int = 0,
        price_usd: float | None = 0.0,
    ) -> Judgement:
        return Judgement(
            episode=question.episode,
            judge=self._judge.model,
            question=self._judge.key(question),
            mark=mark,
            reply=reply,
            calls=calls,
            tokens=tokens,
            price_usd=price_usd,
        )


def _read(lines: Sequence[bytes]) -> Iterator[Judgement]:
    """Yield the judgements in a file; what cannot be read is asked again."""
    for line in lines:
        try:
            yield Judgement.model_validate_json(line)
        except ValidationError:
            continue


def _write(file: TextIO, made: Judgement) -> None:
    file.write(made.model_dump_json() + "\n")
    file.flush()
