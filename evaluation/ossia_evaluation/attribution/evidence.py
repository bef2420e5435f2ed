"""Evidence: one sentence a person can check, for each attribution."""

from __future__ import annotations

from collections.abc import Sequence

from ossia_evaluation.attribution.records import Cause
from ossia_evaluation.attribution.search import Found, Status
from ossia_evaluation.words import every


def sentence(
    success: str,
    found: Found,
    causes: Sequence[Cause],
    *,
    ended: str = "",
    assumed: Sequence[str] = (),
) -> str:
    """Return the evidence of an attribution.

    Args:
        success: what is so once the causes are repaired, as a clause.
        found: what the search found.
        causes: the causes of the first family, in the order of the episode.
        ended: what ended the episode from outside, in a sentence.
        assumed: the roles that the repair's success assumes to have answered rightly.
    """
    told = _repairs(success, found, causes, assumed) if found.families else _no_repair(found)
    return f"{ended} {told}".strip()


def _repairs(success: str, found: Found, causes: Sequence[Cause], assumed: Sequence[str]) -> str:
    faults = "; ".join(f"*{cause.role}* {cause.fault}{_looks(cause)}" for cause in causes)
    if len(causes) == 1:
        told = f"{faults}; {causes[0].remedy} {success}"
    else:
        told = f"{faults}; only with {every(len(causes))} repaired {success}"
    if assumed:
        names = [f"*{role}*" for role in assumed]
        listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
        told += f", assuming that {listed} would then have answered rightly"
    others = len(found.families) - 1
    if not others:
        return f"{told}."
    return f"{told}. {others} other repair{'s' if others > 1 else ''} would also help."


def _looks(cause: Cause) -> str:
    return f" (looks like `{cause.sign}`)" if cause.sign else ""


def _no_repair(found: Found) -> str:
    if found.status is Status.UNREPAIRED:
        return _unrepaired(found)
    if found.status in (Status.LIMIT, Status.REFUSED, Status.ENDPOINT):
        return "" if found.all_helps is None else _ENDED[found.all_helps]
    return _WITHOUT_CAUSE[found.status]


def _unrepaired(found: Found) -> str:
    """What was tried in vain: a search that was cut short must not claim more."""
    if found.astray:
        return (
            "Played again the episode took another course, asked what had not been recorded, and"
            " succeeded: nothing is known of the recorded one."
        )
    if found.spent:
        repairs = "The one repair" if found.tried == 1 else f"None of the {found.tried} repairs"
        helps = "does not help" if found.tried == 1 else "helps"
        rest = ", though repairing all steps does" if found.all_helps else ""
        return f"{repairs} that could be tried with the replays allowed {helps}{rest}."
    if found.halved:
        return "Repairing all steps that deviate does not help, though repairing every step does."
    return (
        "No repair of recorded steps is sufficient, though the task succeeds with every step right."
    )


_ENDED = {
    True: "With every step as its contract demands the episode succeeds, but no repair of recorded"
    " steps was found that is enough.",
    False: "Even with every step as its contract demands the episode fails.",
}
_WITHOUT_CAUSE = {
    Status.SUSPECT: "Even with every step as its contract demands the episode fails:"
    " look at the task and the servers.",
    Status.FLAKY: "The same answers, played again twice, succeed: the framework does not repeat"
    " itself.",
    Status.FRAMEWORK: "With every step as its contract demands the framework breaks off.",
    Status.UNSUPPORTED: "The task has several requests, so its roles have no single oracle.",
}
