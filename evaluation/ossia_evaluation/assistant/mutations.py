"""Mutants of a gold run: each parameter and each intent changed, one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ossia_dataset.tasks import Request
from ossia_dataset.world_tasks import GoldKind, WorldTask
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.schema import Kind

_WRONG_VALUES = {
    Kind.DATE: "2031-07-09",
    Kind.TIME: "03:47",
    Kind.NUMBER: "8642",
    Kind.PLACE: "Ulaanbaatar, Mongolia",
}
_WRONG_WORDS = "zyzzyva quux"
_ALARM = Request(domain="alarm", params={"intent": "alarm_set", "time": "03:47"})
_DATETIME = {"intent": "datetime_query"}

ALIKE = (
    frozenset(
        {
            "iot_hue_lightchange",
            "iot_hue_lightcolor",
            "iot_hue_lightother",
            "iot_hue_lighton",
            "iot_hue_lightup",
            "iot_hue_lightdim",
        }
    ),
    frozenset({"audio_volume_up", "audio_volume_down"}),
)
"""Intents that set the same thing to what the request says: "seventy percent" is no more up than
down. Beside such a one an intent that means something else is tried."""


@dataclass(frozen=True)
class Mutation:
    """One thing that is changed in a gold run, in one way or in several.

    Attributes:
        name: what is changed, such as `time is '03:47'`.
        index: which of the gold requests; None where the whole run is another.
        parameter: the parameter that is changed; None for another intent or request.
        variants: the requests of the runs that result; one of them has to fail.
    """

    name: str
    index: int | None
    parameter: str | None
    variants: tuple[tuple[Request, ...], ...]


def mutations(task: WorldTask, domains: Mapping[str, Domain]) -> Iterator[Mutation]:
    """Yield all mutations of a task's gold run.

    Args:
        task: the task.
        domains: declarations of the domain servers.
    """
    gold = task.gold.gold_requests()
    if task.gold.kind is GoldKind.CHAT:
        yield Mutation("an alarm is set", None, None, ((_ALARM,),))
        return
    for index, request in enumerate(gold):
        before, after = gold[:index], gold[index + 1 :]
        if len(gold) > 1:
            name = f"request {index + 1} is left out"
            yield Mutation(name, None, None, ((*before, *after),))
        domain = domains[request.domain]
        others = _other_intents(domain, request)
        yield Mutation(
            f"{' or '.join(other.params['intent'] for other in others)} is asked",
            index,
            None,
            tuple((*before, other, *after) for other in others),
        )
        for name in request.params:
            declared = domain.field(name)
            if declared is None:
                continue
            wrong = _WRONG_VALUES.get(declared.kind, _WRONG_WORDS)
            variants = (
                _with(request, {**request.params, name: wrong}),
                # Where the server knows nothing of the wrong value, it may take it for none.
                _with(request, {k: v for k, v in request.params.items() if k != name}),
            )
            yield Mutation(
                f"{name} is {wrong!r} or left out",
                index,
                name,
                tuple((*before, changed, *after) for changed in variants),
            )


def _with(request: Request, params: Mapping[str, str]) -> Request:
    return request.model_copy(update={"params": dict(params)})


def _other_intents(domain: Domain, request: Request) -> tuple[Request, ...]:
    """The request with the next intent of its domain; where that is alike, with one that is not.

    Where the domain has no other intent, it is another domain's request.
    """
    own = request.params["intent"]
    names = [intent.name for intent in domain.intents]
    start = names.index(own) + 1
    others = [*names[start:], *names[: start - 1]]
    group = next((group for group in ALIKE if own in group), frozenset())
    unlike = next((name for name in others if name not in group), None)
    chosen = dict.fromkeys(name for name in (*others[:1], unlike) if name is not None)
    if not chosen:
        return (Request(domain="datetime", params=_DATETIME),)
    return tuple(_with(request, {**request.params, "intent": name}) for name in chosen)
