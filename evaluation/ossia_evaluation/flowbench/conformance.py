"""How an agent's trajectory conforms to the workflows of a session: an optimal alignment of both.

The scenario is a state machine. Its conditions are decided by what the services have answered so
far, and by what the user of this session does at a step. An alignment takes the calls in their
order; the cheapest is found by Dijkstra's algorithm over (place in the trajectory, wish, step, what
the user has done, whether the user has spoken since). It costs 1

* to leave out a step that has a call or facts to tell,
* to make a call that no step wants,
* to follow a way whose condition is not met, or that waits for the user, who has not spoken,
* to make a step's call with other arguments, or so that the service refuses it,
* not to tell a step's facts after its call,

and everything else is free. Of alignments that cost the same the one is taken that deviates most
behind the last answer: what an agent never came to, it left out at the end.

A step without observable effect, such as one that only says something, is skipped; a way whose
condition is not met is taken only to a step that the trajectory shows. A step that was left out and
whose call stands elsewhere is one deviation: the sequence.

After A. Adriansyah, B. F. van Dongen and W. M. P. van der Aalst, "Conformance checking using
cost-based fitness analysis" (EDOC 2011). The kinds are those of the publication's Table 7.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from ossia_dataset.flowbench.sessions import SessionTask
from ossia_evaluation.flowbench.deviations import Cause, Deviation, FailureType, Node
from ossia_evaluation.flowbench.goals import Tells
from ossia_evaluation.flowbench.machine import Entry, Machine, State
from ossia_evaluation.flowbench.trajectory import COMPARED, Trajectory
from ossia_servers.flowbench.walk import Visit
from ossia_workflows.scenario import Scenario

__all__ = ["Alignment", "align"]

_NOTHING: Final = (0, 0)
"""What an alignment costs, and how much of it before the last answer."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """The cheapest alignment.

    Attributes:
        cost: What it costs.
        nodes: Its steps that leave a trace, in order.
        deviations: In the order of the trajectory.
    """

    cost: int
    nodes: tuple[Node, ...]
    deviations: tuple[Deviation, ...]

    @property
    def starts(self) -> Mapping[int, int]:
        """By the number of a wish that was begun, the turn in which its first step was done."""
        turns = [(node.wish, node.turn) for node in self.nodes if node.right]
        return {wish: min(turn for other, turn in turns if other == wish) for wish, _ in turns}


def align(
    session: SessionTask,
    scenarios: Mapping[str, Scenario],
    gold: Sequence[Visit],
    done: Trajectory,
    tells: Tells,
) -> Alignment:
    """Align what an agent did with the workflows of a session.

    Args:
        session: The session.
        scenarios: Its scenarios by name.
        gold: Its gold run, whose results stand in for those of calls that were not made.
        done: What the agent did.
        tells: Whether an answer tells a fact.
    """
    machine = Machine(session, scenarios, gold, done, tells)
    # Where nothing deviates, ways on which something does need not be looked at.
    whole, cost, path = _cheapest(machine, free=True)
    if not whole:
        _, cost, path = _cheapest(machine)
    return _alignment(cost, path, machine.beyond)


def _cheapest(machine: Machine, *, free: bool = False) -> tuple[bool, int, list[Entry]]:
    """Whether there is a way to the end; what the cheapest costs, or the last that was tried; it.

    Args:
        machine: The state machine.
        free: Only ways on which nothing deviates. The one to the end is found without this, too.
    """
    start = State(0, 0, "", 0, False)
    best = {start: _NOTHING}
    came: dict[State, tuple[State, Entry]] = {}
    # Of what costs the same the latest is tried first: it is the farthest.
    order = count(0, -1)
    heap = [(_NOTHING, next(order), start)]
    state = start
    while heap:
        cost, _, state = heapq.heappop(heap)
        if cost > best[state]:
            continue
        if machine.is_end(state):
            break
        for entry in machine.entries(state, free=free):
            more = len(entry.deviations)
            total = cost[0] + more, cost[1] + (0 if machine.is_over(state) else more)
            if entry.state not in best or total < best[entry.state]:
                best[entry.state] = total
                came[entry.state] = state, entry
                heapq.heappush(heap, (total, next(order), entry.state))
    path: list[Entry] = []
    end = state
    while state != start:
        state, entry = came[state]
        path.append(entry)
    return machine.is_end(end), best[end][0], path[::-1]


def _alignment(cost: int, path: Sequence[Entry], beyond: Sequence[Deviation]) -> Alignment:
    found: list[Deviation] = []
    moved = _moved(path)
    for number, entry in enumerate(path):
        one = moved.get(number)
        found += entry.deviations if one is None else () if one in found else (one,)
    nodes = tuple(entry.node for entry in path if entry.node is not None)
    return Alignment(cost + len(beyond), nodes, (*found, *beyond))


def _moved(path: Sequence[Entry]) -> Mapping[int, Deviation]:
    """By number, the steps that were left out and whose call no step wants where it stands."""
    found: dict[int, Deviation] = {}
    for number, entry in enumerate(path):
        call = entry.left_out
        if call is None:
            continue
        for other, passed in enumerate(path):
            made = passed.unwanted
            if other not in found and made is not None and COMPARED.is_right(call, made.call):
                told = f"{call.name} was called at another place"
                found[number] = found[other] = replace(
                    entry.deviations[0],
                    kind=FailureType.INCORRECT_SEQUENCE,
                    turn=made.turn,
                    told=told,
                    cause=Cause.WRONG_TRANSITION,
                )
                break
    return found
