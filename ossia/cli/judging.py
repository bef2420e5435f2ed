"""What commands share that ask a language model for a second opinion on a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Final

import typer
import uvloop
from rich.text import Text

from ossia.cli import options
from ossia.cli.interrupt import end_undisturbed, stopped_in_order
from ossia.cli.told import make_console, say
from ossia.cli.upstream_options import given_here
from ossia.errors import INTERRUPTED, UserError
from ossia.judging import Judge, Marks, Question, give_marks
from ossia.run_plan import UPSTREAM_SECONDS
from ossia.runner.store import RunStore
from ossia.session import Means
from ossia.storage.place import Place
from ossia_evaluation.judged import MOST, Agreement
from ossia_evaluation.report.word_table import word_table
from ossia_evaluation.words import counted

_COLUMNS: Final = ("judged", "unscored", "mark", "by rules", "apart", "rank correlation")


@dataclass(frozen=True)
class JudgeOptions:
    """Which model is asked, and within which limits."""

    judge: Annotated[
        str | None,
        typer.Option(
            help="Ask a model such as openai/gpt-4o for a mark of 0 to 10 for each response, too:"
            " kept beside the run, and in none of its figures."
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
    jobs: Annotated[int, typer.Option(min=1, help="Questions to the judge at once.")] = 8

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
        try:
            with RunStore(place, write=True):
                asking = give_marks(judge, questions, place.folder, means)
                return uvloop.run(stopped_in_order(asking))
        except KeyboardInterrupt:
            end_undisturbed()
            raise typer.Exit(INTERRUPTED) from None
        except OSError as error:
            raise UserError(f"{place.folder} cannot be read or written: {error.strerror}") from None


def show_agreement(judge: Judge, marks: Marks, lines: Mapping[str, Agreement]) -> None:
    """Print how far a judge's marks agree with the scores by rules, and what they cost.

    Args:
        judge: The judge.
        marks: What it made of the episodes.
        lines: The agreement by what a line of the table is called.
    """
    table = word_table("framework", *_COLUMNS)
    for name, found in lines.items():
        figures = (found.mean, found.rules, found.apart, found.rank)
        cells = ("-" if each is None else f"{each:.2f}" for each in figures)
        counts = (str(found.judged), str(found.unscored))
        table.add_row(*map(Text, (name, *counts, *cells)))
    console = make_console()
    console.print(Text(f"\nA second opinion: marks of 0 to {MOST} by {judge.model}"))
    console.print(table)
    say(
        f"by rules: the score as it is, times {MOST}; apart: the mean distance of the two;"
        " unscored: no mark could be read, in no mean"
    )
    spent = marks.spent
    price = "an unknown price" if spent.price_usd is None else f"{spent.price_usd:.4f} USD"
    say(
        f"asked now: {counted(marks.asked_now, 'time')}; all these marks took"
        f" {counted(spent.calls, 'call')}, {spent.tokens:,} tokens and {price}, which is in no"
        " figure of the run"
    )
    for episode, why in list(marks.unanswered.items())[:1]:
        many = counted(len(marks.unanswered), "response")
        say(f"{many} not judged, {episode} because {why}; the same command asks again")
