"""Two faults that depend on each other, for the structures that chance seldom makes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random

from benchmarks.attribution.cases import Clean, Structure
from benchmarks.attribution.fault_records import draw_faults
from benchmarks.attribution.injection import InjectedFault, drawn
from ossia_servers.assistant.offline.faults import FaultMaker, FaultType, Scene
from ossia_workflows.assistant import TIME_SLOTS

_HIDING = (("intent", "manager"), ("time", "manager"), ("time", "request"), ("location", "manager"))
"""Pairs of roles of which one's fault often makes the other's work unseen."""

_AFTER_INTENT = 1
_SEEDS = 1000


def has_room(structure: Structure, clean: Clean, fault_maker: FaultMaker) -> bool:
    """Say whether an episode has a place for two faults that may depend on each other in a way.

    Args:
        structure: the way, `JOINT` or `MASKING`.
        clean: the episode.
        fault_maker: makes wrong outputs.
    """
    if structure is not Structure.JOINT:
        return bool(_hiding(clean))
    # The moment at which time would be due, once a time has been invented.
    passes = ("manager", _AFTER_INTENT, FaultType.MANAGER_SKIP) in clean.possible_faults()
    invented = _invented(clean, fault_maker)
    return passes and not clean.task.gold.time and any(map(_names_time, invented))


def aimed(
    structure: Structure, clean: Clean, fault_maker: FaultMaker, draw: Random
) -> tuple[InjectedFault, ...]:
    """Draw two faults that are likely to depend on each other in a way.

    Joint is an invented time and a manager that passes by the time role. Alone, the time role
    converts the one, and the other is right where the user names no time: only both together bring
    raw words to the server. What two faults really do is seen only when they are put in.

    Args:
        structure: the way, `JOINT` or `MASKING`.
        clean: the episode; it has room for them.
        fault_maker: makes wrong outputs.
        draw: decides on the faults.
    """
    if structure is not Structure.JOINT:
        return draw_faults(clean, draw.choice(_hiding(clean)), draw)
    options = _invented(clean, fault_maker)
    seeds = draw.sample(range(_SEEDS), _SEEDS)
    invented = (InjectedFault("intent", FaultType.INTENT_EXTRA_SLOT, 0, seed) for seed in seeds)
    passing = InjectedFault("manager", FaultType.MANAGER_SKIP, _AFTER_INTENT, seeds[0])
    return next(fault for fault in invented if _names_time(drawn(fault, options))), passing


def _hiding(clean: Clean) -> Sequence[tuple[str, str]]:
    able = {role for role, _, _ in clean.possible_faults()}
    return [pair for pair in _HIDING if able.issuperset(pair)]


def _invented(clean: Clean, fault_maker: FaultMaker) -> Sequence[str]:
    """Return what an intent role that invents a slot can say; in a clean episode it is right."""
    gold = clean.task.gold
    right = {"domain": gold.domain, "intent": gold.intent, "slots": gold.slots}
    scene = Scene(clean.task.utterance)
    return fault_maker.options(FaultType.INTENT_EXTRA_SLOT, json.dumps(right), scene)


def _names_time(intent: str) -> bool:
    return not TIME_SLOTS.isdisjoint(json.loads(intent)["slots"])
