"""What commands share that ask a language model for a second opinion on a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Annotated

import typer

from ossia.cli import options
from ossia.cli.stopped import resumable
from ossia.cli.told import say
from ossia.cli.upstream_options import given_here
from ossia.errors import UserError
from ossia.judging import Judge, Marks, Question, judge_run
from ossia.run_plan import UPSTREAM_SECONDS
from ossia.session import Means
from ossia.storage.place import Place
from ossia_evaluation.words import counted


@dataclass(frozen=True)
class JudgeOptions:
    """Which model is asked, and within which limits."""

    judge: Annotated[
        str | None,
        typer.Option(
            help="Also ask a model such as openai/gpt-4o for a mark of 0 to 10 for each response;"
            " the marks are stored with the run, but count in none of its figures."
        ),
    ] = None
    base_url: options.BaseUrls = None
    api_key_env: options.KeyVariables = None
    model_param: options.ModelParameters = None
    price_as: options.PriceAs = None
    call_seconds: Annotated[
        float, typer.Option(min=1, help="Most seconds of one attempt at the judge.")
    ] = UPSTREAM_SECONDS
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="Most US dollars that this command may spend.")
    ] = None
    rpm: options.RequestsPerMinute = None
    tpm: options.TokensPerMinute = None
    jobs: Annotated[int, typer.Option(min=1, help="Questions to ask the judge in parallel.")] = 8

    def wanted(self, context: typer.Context) -> Judge | None:
        """Return the judge that is asked for, or None.

        Raises:
            UserError: an option of the command line is for a judge, and none is named.
        """
        if self.judge is None:
            names = [each.name for each in fields(self) if each.name != "judge"]
            for option in given_here(context, names).values():
                raise UserError(f"{option} has no effect without --judge")
            return None
        return Judge(
            self.judge,
            tuple(self.base_url or ()),
            tuple(self.model_param or ()),
            self.price_as,
            self.call_seconds,
        )

    def marks(self, judge: Judge, questions: Sequence[Question], place: Place) -> Marks:
        """Ask the judge what it has not been asked yet.

        Raises:
            UserError: it cannot be asked as given, or the run's folder cannot be written.
            RunStopped: its endpoint answers no more.
        """
        means = Means(self.jobs, tuple(self.api_key_env or ()), self.max_cost, self.rpm, self.tpm)
        say(f"{judge.model}: {counted(len(questions), 'response')} to judge", err=True)
        with resumable():
            return judge_run(judge, questions, place, means)
