"""Recorded cases with what the published code made of them: are ours equal?"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter

from ossia_evaluation.flowbench.measures.files import (
    FlowBenchError,
    Given,
    SampleRow,
    Text,
    read_line,
    read_lines,
)
from ossia_evaluation.flowbench.measures.judging import Crash, Question
from ossia_evaluation.flowbench.measures.loop import dialog_of, simulate
from ossia_evaluation.flowbench.measures.published_sessions import (
    Session,
    actions_of,
    same_call,
    score_session,
    shares,
)
from ossia_evaluation.flowbench.measures.published_turns import score_turns
from ossia_evaluation.flowbench.measures.scripts import SCRIPTS, Played
from ossia_evaluation.words import shortened

__all__ = [
    "Case",
    "CaseResult",
    "EqualityCase",
    "JudgeCall",
    "Outcome",
    "SessionCase",
    "TurnCase",
    "check_case",
    "check_oracle",
]

Outcome = Literal["equal", "different", "refused"]

_ABSENT: Final = object()
_CUT: Final = 176
"""The errors of simulations are recorded up to here."""
_SHOWN: Final = 60


class JudgeCall(Given):
    """What the judge was asked and said."""

    user: str
    reply: Text


@dataclass
class _Recorded:
    """The judge is replaced by recorded replies; what it is asked is kept.

    A question is kept in the recorded words where these are about the same.
    """

    replies: Sequence[str]
    words: Sequence[str] = ()
    asked: list[dict[str, str]] = field(default_factory=list)

    @classmethod
    def of(cls, calls: Sequence[JudgeCall]) -> _Recorded:
        return cls([call.reply for call in calls], [call.user for call in calls])

    def __call__(self, question: Question | str) -> str:
        number = len(self.asked)
        if number == len(self.replies):
            raise FlowBenchError(f"the judge is asked more often than {number} times")
        text = question if isinstance(question, str) else question.text
        if self.words and isinstance(question, Question) and question.is_in(self.words[number]):
            text = self.words[number]
        self.asked.append({"user": text, "reply": self.replies[number]})
        return self.replies[number]


class _TurnOut(BaseModel):
    """All that is recorded is compared, also what is not named here."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)

    judge_calls: list[JudgeCall]


class TurnCase(Given):
    """Turns of one file."""

    kind: Literal["turn"]
    case: Text
    samples: list[SampleRow]
    out: _TurnOut

    def differences(self) -> Iterator[str]:
        """Yield what ours differs in."""
        judge = _Recorded.of(self.out.judge_calls)
        found = score_turns([row.sample() for row in self.samples], judge)
        figures = found.figures
        ours = {
            "counters": {name: asdict(count) for name, count in found.counters.items()},
            **{
                name: getattr(figures, name, None)
                for name in ("call_pre", "call_rec", "param_pre", "param_rec")
            },
            "parsed_actions": [turn.action for turn in found.turns],
            "parsed_inputs": [turn.action_input for turn in found.turns],
            "right_api": [turn.right_api for turn in found.turns],
            "right_apiname": [turn.right_apiname for turn in found.turns],
            "crash": found.crash,
            "judge_calls": judge.asked,
        }
        if figures is not None:
            ours |= {"call_f1_derived": figures.call_f1, "param_f1_derived": figures.param_f1}
        yield from _differences(ours, self.out.model_dump())


class EqualityCase(Given):
    """Two calls of a session."""

    kind: Literal["equal_actions"]
    case: Text
    pred: Text
    gold: Text
    system_prompt: Text
    judge_calls: list[JudgeCall]
    as_shipped: bool
    with_names_bound: bool

    def differences(self) -> Iterator[str]:
        """Yield what ours differs in."""
        judge = _Recorded.of(self.judge_calls)

        def equal(*, names_bound: bool) -> bool:
            return same_call(
                self.gold, self.pred, self.system_prompt, judge, names_bound=names_bound
            )

        ours = {
            "as_shipped": equal(names_bound=False),
            "with_names_bound": equal(names_bound=True),
            "judge_calls": judge.asked,
        }
        yield from _differences(ours, self.model_dump(include=set(ours)))


class SessionCase(Given):
    """A dialog with its gold calls."""

    kind: Literal["session_eval"]
    case: Text
    dialog: Text
    gt_actions_string: Text
    judge_replies: list[Text]
    as_shipped: dict[str, JsonValue]
    with_names_bound: dict[str, JsonValue]

    def differences(self) -> Iterator[str]:
        """Yield what ours differs in."""
        for names_bound, theirs in ((False, self.as_shipped), (True, self.with_names_bound)):
            judge = _Recorded(self.judge_replies)
            found: Session | None = None
            crash = None
            try:
                found = score_session(
                    self.dialog, self.gt_actions_string, "", judge, names_bound=names_bound
                )
            except Crash as error:
                crash = str(error)
            none = dict.fromkeys(name for name in theirs)
            ours = none if found is None else asdict(found)
            yield from _differences(ours | {"crash": crash, "n_judge": len(judge.asked)}, theirs)


class LoopCase(Given):
    """A simulation, of which the recording holds the name and the outcome."""

    kind: Literal["session_loop"]
    case: Text
    out: dict[str, JsonValue]

    def differences(self) -> Iterator[str]:
        """Yield what ours differs in."""
        if self.case not in SCRIPTS:
            raise FlowBenchError("what is said in it is not recorded, and no script has its name")
        played = Played(SCRIPTS[self.case])
        ours: dict[str, Any] = {"crash": None, "calls": played.calls}
        try:
            messages = simulate(played.players())
        except Crash as error:
            # The recording cut long messages.
            ours |= {"crash": str(error)[:_CUT], "n_msgs": 0, "roles": ""}
            ours |= dict.fromkeys(("nodes", "intents", "actions"))
        else:
            dialog = dialog_of(messages)
            ours |= {
                "n_msgs": len(messages),
                "roles": "".join(each["role"][0].upper() for each in messages),
                "nodes": re.findall(r"current_node=([^.]+)\.", dialog),
                "intents": re.findall(r"intent=([^,]+),", dialog),
                "actions": actions_of(dialog),
            }
        yield from _differences(ours, self.out)


class _Row(Given):
    success_gpt: Text
    progress_gpt: float
    right_api_num: int
    all_api_num_gt: int
    all_api_num_pre: int


class SharesCase(Given):
    """Scored sessions by file."""

    kind: Literal["session_metrics"]
    case: Text
    files: dict[str, list[_Row]]
    out: list[dict[str, JsonValue]]

    def differences(self) -> Iterator[str]:
        """Yield what ours differs in; files come in the order in which the recording has them."""
        order = [name for row in self.out if (name := row.get("scenarios")) in self.files]
        rows = {
            str(name): [Session(**row.model_dump()) for row in self.files[str(name)]]
            for name in (*order, *(name for name in self.files if name not in order))
        }
        try:
            ours: list[Any] = [asdict(row) for row in shares(rows)]
        except Crash as error:
            ours = [str(error)]
        yield from _differences({"out": ours}, {"out": self.out})


Case = Annotated[
    TurnCase | EqualityCase | SessionCase | LoopCase | SharesCase, Field(discriminator="kind")
]
"""A recorded case; each says what ours differs in."""

_CASE: Final[TypeAdapter[Any]] = TypeAdapter(Case)


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What became of one recorded case.

    Attributes:
        name: Its kind and its name, or its line.
        outcome: Whether it is equal; a case that cannot be read is refused.
        reason: What differs, or why it was refused.
        case: The case; None of a refused one.
    """

    name: str
    outcome: Outcome
    reason: str = ""
    case: Case | None = None


def check_oracle(path: Path) -> Iterator[CaseResult]:
    """Yield what became of every case of a JSON Lines file; one that is there twice is refused.

    Raises:
        FlowBenchError: the file cannot be read, or holds no case.
    """
    names = set()
    for number, line in read_lines(path):
        result = check_case(line, f"line {number}")
        if result.name in names:
            result = CaseResult(f"line {number}", "refused", f"{result.name} occurs twice")
        names.add(result.name)
        yield result


def check_case(line: bytes, name: str) -> CaseResult:
    """Compute a recorded case and compare.

    Args:
        line: The case as JSON.
        name: What to call it where it has no name.
    """
    try:
        case: Case = read_line(line, _CASE)
        name = f"{case.kind} {case.case}"
        differences = list(case.differences())
    except FlowBenchError as error:
        return CaseResult(name, "refused", str(error))
    return CaseResult(name, "different" if differences else "equal", "; ".join(differences), case)


def _differences(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> Iterator[str]:
    """Values are equal where their JSON is: 1 is not 1.0, and -0.0 not 0.0."""
    for name in sorted(ours.keys() | theirs.keys()):
        one, other = (_json(side.get(name, _ABSENT)) for side in (ours, theirs))
        if one != other:
            yield f"{name}: {shortened(one, _SHOWN)}, recorded is {shortened(other, _SHOWN)}"


def _json(value: object) -> str:
    return "nothing" if value is _ABSENT else json.dumps(value, sort_keys=True)
