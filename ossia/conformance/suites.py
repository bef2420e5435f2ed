"""The check of the suites: a few tasks of each, scored like those of any comparison."""

from __future__ import annotations

from functools import cache

from ossia.conformance.draw import Draw
from ossia.conformance.findings import Finding, asked_and_answered, ending, quoted
from ossia.conformance.given import misgiven
from ossia.conformance.leading import answered_by, unsaid
from ossia.conformance.manners import asked_again
from ossia.conformance.offers import unseen
from ossia.conformance.places import checked_suites, suite_domains, suite_tasks
from ossia.conformance.scenes import Scenes
from ossia.conformance.stage import Part, Played
from ossia.conformance.texts import own_text
from ossia.suites import find_suite
from ossia_dataset.tasks import Task
from ossia_evaluation.grade import Verdict
from ossia_evaluation.grader import Grader
from ossia_servers.trace import Ending, EpisodeKey, EpisodeTiming, Trace
from ossia_servers.worlds.diff import Diff

__all__ = ["drawn_tasks", "suites"]

_GOLD = "gold"
_DRAWN = 3
"""So many tasks of each suite."""


async def suites(scenes: Scenes) -> Finding:
    """Play a few tasks of each suite and score them."""
    seen, episodes = [], []
    passed, noted = True, False
    for name in checked_suites():
        tasks = drawn_tasks(name, scenes.draw)
        for task in tasks:
            played = await _play(scenes, name, task)
            problem = _problem(name, task, played) or own_text(scenes.info, played)
            if problem is not None:
                episodes.append(played)
                break
        if problem is None:
            seen.append(f"{name} {len(tasks)} of {len(tasks)}")
        elif find_suite(name).offline is None and _is_led_in_unknown_form(played):
            noted = True
            seen.append(f"{name}: the gold player does not know this form of routing")
        else:
            passed = False
            seen.insert(0, f"{name}, {task.id}: {problem}")
    return Finding(passed, "; ".join(seen), passed and noted, tuple(episodes))


def _is_led_in_unknown_form(played: Played) -> bool:
    """Say whether the manager had tools for all members, and the player called none of them."""
    if misgiven(played) is not None:
        return False
    asked = played.of_role(played.team.manager)
    return bool(asked) and not any(
        not exchange.request.get("tools") or (exchange.response or {}).get("tool_calls")
        for exchange in asked
    )


def drawn_tasks(name: str, draw: Draw) -> tuple[Task, ...]:
    """Return the tasks of a suite that a check plays.

    Args:
        name: The suite.
        draw: What they are drawn from.
    """
    known, checked = suite_tasks(name), find_suite(name).checked
    usable = [] if checked is None else list(checked(tuple(known.values())))
    return tuple(draw.of(f"tasks of {name}").sample(usable, min(_DRAWN, len(usable))))


@cache
def _grader(name: str) -> Grader:
    suite = find_suite(name)
    return suite.grader(suite_domains(name))


async def _play(scenes: Scenes, name: str, task: Task) -> Played:
    suite = find_suite(name)
    # The offline model reads more forms of requests than a player, and shows what an agent sees.
    gold = None if suite.offline is not None else suite.players.get(_GOLD)
    part = Part(
        task.utterance,
        team=suite.team(task, suite_domains(name)),
        limits=suite.limits(),
        model=None if gold is None else gold({task.id: task}),
        place=name,
        task=task,
    )
    # The gold player finds its task in the episode's name.
    return await scenes.play_part(part, episode=f"check.{task.id}.1")


def _problem(name: str, task: Task, played: Played) -> str | None:
    """Return what an episode did not do; `None` for nothing."""
    asked = played.of_role(played.team.manager)
    came = f"; {asked_and_answered(asked[-1])}" if asked else "; the manager was not asked"
    if played.result is None or played.error is not None:
        return ending(played) + came
    strange = unsaid(played, answered_by(played))
    if strange:
        return f"no role said {quoted(strange)} of the answer {quoted(played.answer)}"
    wrong, cut = asked_again(played) or misgiven(played), unseen(played)
    if wrong is not None:
        return wrong
    if cut is not None:
        return f"a server's answer was not shown as it is, which begins {quoted(cut)}"
    score = _grader(name).score(task, _trace(task, played))
    if score.verdict is not Verdict.SUCCESS:
        return f"{score.reason}; {ending(played)}{came}"
    return None


def _trace(task: Task, played: Played) -> Trace:
    key = EpisodeKey(
        id=played.gateway.episode, task=task.id, framework="checked", model="", repeat=1
    )
    return Trace(
        episode=key,
        ending=Ending(kind="answered"),
        answer=played.answer,
        gateway=played.gateway,
        requests=played.requests,
        diff=played.diff if played.diff is not None else Diff(),
        reported=None,
        timing=EpisodeTiming(wall_s=played.seconds, cpu_s=None),
    )
