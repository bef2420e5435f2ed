"""What both measures say of recorded cases, and of predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from ossia_evaluation.flowbench.measures.calls import Comparison, SameText, read_calls, same_words
from ossia_evaluation.flowbench.measures.corrected import (
    Matched,
    match_calls,
    means_yes,
    read_verdict,
    score_dialog,
    score_turn,
)
from ossia_evaluation.flowbench.measures.judging import Question
from ossia_evaluation.flowbench.measures.oracle import (
    Case,
    EqualityCase,
    JudgeCall,
    SessionCase,
    TurnCase,
)
from ossia_evaluation.flowbench.measures.published_turns import FAILED, Sample, Turns, score_turns

__all__ = ["CRASH", "Beside", "Scored", "beside", "percent", "score_predictions"]

CRASH: Final = "crash"
_UNSCORED: Final = "unscored"
_NOTHING: Final = "nothing"
"""Neither wanted nor said, so that there is nothing to score."""


@dataclass(frozen=True, slots=True)
class Beside:
    """One recorded case in both measures, as cells: F1 in %, a word, or empty for no such figure.

    Attributes:
        calls: Of calls, as published.
        true_calls: Of calls, paired one to one.
        in_order: Of calls, paired in the gold order.
        parameters: Of parameters, as published.
        true_parameters: Of parameters of paired calls.
        success: Of sessions, `yes` or `no`.
        true_success: The judge's clear words, or that there are none.
    """

    calls: str
    true_calls: str
    in_order: str = ""
    parameters: str = ""
    true_parameters: str = ""
    success: str = ""
    true_success: str = ""

    @property
    def parts(self) -> bool:
        """Whether the measures part."""
        return (
            self.calls != self.true_calls
            or self.in_order not in ("", self.true_calls)
            or self.parameters != self.true_parameters
            or self.success != self.true_success
        )


def beside(case: Case) -> Beside | None:
    """Return what both measures say of a case, as shipped; None where it has no calls.

    Args:
        case: A case of which ours are equal to what is recorded.
    """
    match case:
        case TurnCase():
            return _turns(case)
        case EqualityCase():
            compared = Comparison(same_text=_judged(case.judge_calls))
            found = match_calls(read_calls(case.gold), read_calls(case.pred), compared)
            return Beside(percent(float(case.as_shipped)), percent(found.calls.f1))
        case SessionCase():
            return _session(case)
    return None


def _turns(case: TurnCase) -> Beside:
    recorded = case.out.model_extra or {}
    crashed = recorded["crash"] is not None
    same_text = _judged(case.out.judge_calls)
    found = _sum([score_turn(row.sample(), same_text) for row in case.samples])
    return Beside(
        CRASH if crashed else percent(recorded["call_f1_derived"]),
        percent(found.calls.f1),
        parameters=CRASH if crashed else percent(recorded["param_f1_derived"]),
        true_parameters=percent(found.parameters.f1),
    )


def _session(case: SessionCase) -> Beside:
    found = score_dialog(case.dialog, case.gt_actions_string)
    verdict = next(filter(None, map(read_verdict, case.judge_replies)), None)
    theirs: Any = case.as_shipped
    published = CRASH
    if theirs["crash"] is None:
        both = theirs["all_api_num_pre"] + theirs["all_api_num_gt"]
        published = percent(2 * theirs["right_api_num"] / both)
    return Beside(
        published,
        percent(found.calls.f1),
        percent(found.in_order.f1),
        success=CRASH if published == CRASH else _word(theirs["success_gpt"] == "1"),
        true_success=_UNSCORED if verdict is None else _word(verdict.success),
    )


def _judged(calls: Sequence[JudgeCall]) -> SameText:
    """Compare texts by the judge's first recorded reply about them, where they differ."""

    def same_text(gold: str, predicted: str) -> bool:
        # Some are asked about in lower case.
        end = f"input_a = {gold} \ninput_b = {predicted} \n".lower()
        replies = (call.reply for call in calls if call.user.lower().endswith(end))
        return same_words(gold, predicted) or means_yes(next(replies, ""))

    return same_text


def _word(success: bool) -> str:
    return "yes" if success else "no"


def percent(share: float | None) -> str:
    """Return a share as a cell; what is published as -0.0 as 0.0."""
    return _NOTHING if share is None else f"{100 * share + 0.0:.1f}"


def _sum(turns: Sequence[Matched | None]) -> Matched:
    return sum(filter(None, turns), Matched())


@dataclass(frozen=True, slots=True)
class Scored:
    """What predictions of single turns get.

    Attributes:
        turns: So many there are.
        failed: So many have an error in the place of words; the published measure passes them
            over.
        bad_gold: The ids of those whose gold call cannot be read, which are not counted in the
            corrected measure.
        strictest: As published where the judge says no to everything.
        mildest: As published where the judge says yes to everything.
        asked: How often it is asked then.
        corrected: All turns in the corrected measure.
    """

    turns: int
    failed: int
    bad_gold: tuple[str, ...]
    strictest: Turns
    mildest: Turns
    asked: int
    corrected: Matched


def score_predictions(samples: Sequence[Sample]) -> Scored:
    """Score predictions of single turns.

    The published measure asks a language model where texts differ. Here it is replaced by the two
    judges between which each other is.
    """
    asked: list[Question | str] = []

    def yes(question: Question | str) -> str:
        asked.append(question)
        return "yes"

    found = [score_turn(sample) for sample in samples]
    return Scored(
        turns=len(samples),
        failed=sum(FAILED in sample.predict for sample in samples),
        bad_gold=tuple(
            sample.id for sample, one in zip(samples, found, strict=True) if one is None
        ),
        strictest=score_turns(samples, lambda question: "no"),
        mildest=score_turns(samples, yes),
        asked=len(asked),
        corrected=_sum(found),
    )
