"""The checks of what every adapter must do: be heard, keep limits, survive failures, not mix.

Each takes the scenes, plays what it needs and returns what it found. What frameworks may do in
their own way (route, give up) is told in the detail and not judged.
"""

from __future__ import annotations

import json
from collections import Counter

from ossia.conformance.findings import Finding, asked_and_answered, ending, quoted
from ossia.conformance.given import misgiven
from ossia.conformance.leading import unsaid
from ossia.conformance.manners import asked_again, posted
from ossia.conformance.offers import repeated_offer, strange_offer, unseen
from ossia.conformance.players import MANAGER
from ossia.conformance.scenes import Scenes, canonical, scene_team, text_of, texts_of
from ossia.conformance.stage import BUDGET, Played
from ossia.conformance.texts import own_answer, own_text
from ossia.conformance.troubles import Trouble
from ossia.runner.config import EpisodeLimits
from ossia_evaluation.words import counted
from ossia_servers.gateway import canonical_request
from ossia_servers.wire.calls import DATE_TOOL, HTTP_TOOL

__all__ = [
    "concurrency",
    "determinism",
    "every_role",
    "memory",
    "model_error",
    "model_timeout",
    "network",
    "overlap",
    "prompts",
    "tool_call",
    "tool_error",
    "tool_rounds",
    "turns",
]

MOST_FAILING_CALLS = 10
MOST_TOOL_CALLS = 20
MOST_CALLS_WHEN_LOST = 100
# Each limit is tried with two values: what stays below the most calls may be another limit's work.
TOOL_ROUNDS = (2, 5)
TURNS = (3, 6)
EPISODES = 6
CITIES = (
    *("boise", "tulsa", "fresno", "omaha", "tampa", "reno", "memphis", "tucson", "wichita"),
    *("cleveland", "honolulu", "sacramento", "albuquerque", "milwaukee", "baltimore"),
)
QUESTIONS = ("what is the weather in", "give me the forecast for", "will it rain in")
DAYS = ("today", "tomorrow", "on sunday", "this weekend")


async def every_role(scenes: Scenes) -> Finding:
    """Every role is asked, no call is refused, and the team answers."""
    played = await scenes.happy()
    roles = [role.name for role in played.team.roles]
    silent = [role for role in roles if not played.of_role(role)]
    bad = [each for each in played.gateway.exchanges if each.status != "ok"]
    passed = not silent and not bad and played.error is None and bool(played.answer.strip())
    counts = ", ".join(f"{role} {len(played.of_role(role))}" for role in roles)
    detail = f"calls: {counts}; answer {played.answer[:80]!r}"
    if not passed:
        detail += f"; {ending(played)}"
        looked = bad[:2] or played.of_role(played.team.manager)[-1:]
        detail += "".join(f"; {asked_and_answered(each)}" for each in looked)
    return Finding(passed, detail, trace=(played,))


async def prompts(scenes: Scenes) -> Finding:
    """Each role's prompt is in its requests word for word and once; a member's in every one."""
    played = await scenes.happy()
    changed = [
        role.name
        for role in played.team.roles
        if role.prompt not in texts_of(played.gateway, role.name)
    ]
    if changed:
        return Finding(False, f"not found word for word: {', '.join(changed)}", trace=(played,))
    lost = [
        role.name
        for role in played.team.members
        if any(role.prompt not in text_of(each) for each in played.of_role(role.name))
    ]
    if lost:
        return Finding(False, f"not in every request: {', '.join(lost)}", trace=(played,))
    for role in played.team.members:
        asked = texts_of(played.gateway, role.name)
        others = [each.name for each in played.team.roles if each.prompt in asked]
        if others != [role.name]:
            detail = f"{role.name} is given the prompts of {', '.join(others)}"
            return Finding(False, detail, trace=(played,))
    wrong = misgiven(played)
    if wrong is not None:
        return Finding(False, wrong, trace=(played,))
    return Finding(True, f"found in the requests of {len(played.team.roles)} roles")


async def tool_call(scenes: Scenes) -> Finding:
    """A server was asked, and its answer and the date came back to the model."""
    played = await scenes.happy()
    made = [f"{each.method} /{each.domain} {each.status}" for each in played.requests]
    dated = scenes.task.now.date().isoformat() in texts_of(
        played.gateway, scenes.user_of(DATE_TOOL)
    )
    answered = "SUCCESS" in texts_of(played.gateway, scenes.user_of(HTTP_TOOL))
    passed = bool(made) and dated and answered
    seen = f"requests: {', '.join(made) or 'none'}; {_reached('the date', dated)};"
    seen += f" {_reached('its answer', answered)}"
    strange, cut = strange_offer(scenes.info, played), unseen(played)
    if passed and strange:
        return Finding(False, strange, trace=(played,))
    if passed and cut:
        detail = f"a server's answer was not shown as it is, which begins {quoted(cut)}"
        return Finding(False, detail, trace=(played,))
    return Finding(passed, seen, trace=(played,))


def _reached(what: str, arrived: bool) -> str:
    return f"{what} {'reached' if arrived else 'did not reach'} the model"


async def tool_error(scenes: Scenes) -> Finding:
    """A server's error reached the model, and the episode ended with an answer."""
    played = await scenes.play(scenes.draw_task("tool-error"), world=False)
    # Which of the roles with tools comes first, and how far the team goes then, is its own affair.
    users = [role.name for role in played.team.roles if role.tools]
    seen = any("UNKNOWN_WORLD" in texts_of(played.gateway, role) for role in users)
    passed = seen and played.error is None and bool(played.answer.strip())
    detail = f"{_reached('the error of the server', seen)}; {ending(played)}, answering"
    detail += f" {played.answer[:80]!r}"
    failed = await posted(scenes)
    if passed and unseen(failed):
        detail, passed, played = "HTTP 500 of a server was not shown as it is", False, failed
    return Finding(passed, detail, trace=(played,))


async def model_error(scenes: Scenes) -> Finding:
    """Failed calls are few, none is sent again and again, and the run ends."""
    details, episodes, own = [], [], None
    passed, noted = True, False
    for role in (scenes.team.manager, scenes.first, scenes.user_of(HTTP_TOOL)):
        task = scenes.draw_task(f"model-error of {role}")
        played = await scenes.play(task, troubles={role: Trouble.FAIL})
        failed = [each for each in played.of_role(role) if each.status == "infrastructure"]
        most = _most_attempts(played, role)
        passed &= played.result is not None and 0 < len(failed) <= MOST_FAILING_CALLS
        passed &= most <= scenes.info.attempts
        own = own or own_text(scenes.info, played) or own_answer(scenes.info, played)
        made_up = "" if played.error else unsaid(played)
        # Nobody can have led the team, so an end without an error is the framework's own.
        noted |= most > 1 or bool(made_up) or (role == MANAGER and played.error is None)
        again = f", the same request {most} times" if most > 1 else ""
        again += f", an answer that no role said: {quoted(made_up)}" if made_up else ""
        details.append(f"{role}: {counted(len(failed), 'failed call')}{again}, {ending(played)}")
        episodes.append(played)
    if passed and own is not None:
        return Finding(False, own, trace=tuple(episodes))
    return Finding(passed, "; ".join(details), passed and noted, tuple(episodes))


def _most_attempts(played: Played, role: str) -> int:
    """Return how often the request of a role was sent that was sent most often, and failed."""
    failed = [each for each in played.of_role(role) if each.status != "ok"]
    counts = Counter(canonical_request(each.request) for each in failed)
    return max(counts.values(), default=0)


async def model_timeout(scenes: Scenes) -> Finding:
    """A model that never answers is given up when the call's time is over.

    No header of an answer tells a client not to try again, so its own attempts are allowed here.
    """
    played = await scenes.play(
        scenes.draw_task("model-timeout"),
        troubles={scenes.first: Trouble.HANG},
        limits=EpisodeLimits(call_seconds=1.0),
    )
    hung = [each for each in played.of_role(scenes.first) if each.status != "ok"]
    most = _most_attempts(played, scenes.first)
    client = scenes.info.client_attempts
    passed = played.result is not None and 0 < len(hung) <= MOST_FAILING_CALLS * client
    passed &= most <= scenes.info.attempts * client
    again = f", the same request {most} times" if most > 1 else ""
    return Finding(
        passed,
        f"{len(hung)} calls timed out{again}, {ending(played)}",
        passed and most > client,
        (played,),
    )


async def tool_rounds(scenes: Scenes) -> Finding:
    """A role that calls tools for ever is stopped by the limit of rounds."""
    counts, task, user = [], scenes.draw_task("tool-rounds"), scenes.user_of(DATE_TOOL)
    for rounds in TOOL_ROUNDS:
        limits = EpisodeLimits(tool_rounds=rounds)
        played = await scenes.play(task, troubles={user: Trouble.REPEAT}, limits=limits)
        counts.append(len(played.of_role(user)))
        if played.result is None or not 1 < counts[-1] <= MOST_TOOL_CALLS:
            seen = f"{counts[-1]} calls of the role for {rounds} rounds, {ending(played)}"
            most = f"{seen}; at most {MOST_TOOL_CALLS} are allowed"
            return Finding(False, most, trace=(played,))
    less, more = counts
    seen = f"{less} and {more} calls of the role for {TOOL_ROUNDS[0]} and {TOOL_ROUNDS[1]} rounds"
    if more > less:
        # The last call's tools may be left out, and a turn may be played once more.
        if 2 * len(played.asked) < more:
            detail = f"{more} equal tool calls of the role made {len(played.asked)} requests"
            return Finding(False, detail, trace=(played,))
        lost = repeated_offer(played, user, TOOL_ROUNDS[1])
        return Finding(True, f"{seen}; {lost}" if lost else seen, bool(lost), (played,))
    detail = f"{seen}: the limit has no effect, which should allow more calls"
    return Finding(False, detail, trace=(played,))


async def turns(scenes: Scenes) -> Finding:
    """A manager that never comes to an end is stopped by the limit of turns."""
    counts, led, endings = [], False, []
    task, manager = scenes.draw_task("turns"), scenes.team.manager
    for most in TURNS:
        limits = EpisodeLimits(turns=most)
        played = await scenes.play(task, troubles={manager: Trouble.REPEAT}, limits=limits)
        calls = len(played.gateway.exchanges)
        counts.append(calls)
        led = led or len(played.of_role(manager)) < calls
        endings.append(f"{most} turns: {ending(played)}")
        if played.result is None or not 0 < calls <= MOST_CALLS_WHEN_LOST < BUDGET.calls:
            detail = f"{endings[-1]}; at most {MOST_CALLS_WHEN_LOST} are allowed"
            return Finding(False, detail, trace=(played,))
    seen = "; ".join(endings)
    if counts[1] > counts[0]:
        return Finding(True, seen)
    if led:
        detail = f"{seen}; the limit has no effect, which should allow more calls"
        return Finding(False, detail, trace=(played,))
    # The limit is one of members' turns. Where the manager's own calls end the episode before any
    # member has worked, nothing went beyond it, and nothing shows that it would have held.
    return Finding(True, f"limit has no effect: no member had a turn; {seen}", noted=True)


async def overlap(scenes: Scenes) -> Finding:
    """Episodes wait for the model at the same time, role by role."""
    alone, played = await scenes.play_together([scenes.draw_task("overlap")] * 2)
    if alone:
        detail = (
            f"while one episode waited for the answer of {alone}, another could not ask:"
            " a blocking call in `async def run`, or episodes that wait for each other"
        )
        return Finding(False, detail, trace=played)
    unlike = [each for each in played if each.error is not None or not each.answer.strip()]
    detail = "; ".join(map(ending, unlike)) or "each role of two episodes was asked at once"
    return Finding(not unlike, detail, trace=played)


async def concurrency(scenes: Scenes) -> Finding:
    """Episodes that are played at once have no word of each other."""
    random = scenes.draw.of("cities")
    asked, day = random.choice(QUESTIONS), random.choice(DAYS)
    given = json.dumps(scene_team(scenes.task).model_dump(mode="json")).casefold()
    cities = random.sample([city for city in CITIES if city not in given], EPISODES)
    tasks = [
        scenes.task.model_copy(update={"utterance": f"{asked} {city} {day}"}) for city in cities
    ]
    alone, everyone = await scenes.play_together(tasks)
    mixed = [f"not all were asked as {alone} at the same time"] if alone else []
    for own, played in zip(cities, everyone, strict=True):
        text = json.dumps([each.request for each in played.gateway.exchanges]).casefold()
        text += " ".join(str(each.params) for each in played.requests).casefold()
        mixed += [f"{other} in {own}" for other in cities if other != own and other in text]
        if asked_again(played):
            mixed.append(f"{own}: {asked_again(played)}")
        if own not in text or played.error is not None:
            mixed.append(f"{own}: {ending(played)}")
    slowest = max(played.seconds for played in everyone)
    return Finding(
        not mixed,
        f"{len(cities)} episodes at once, {slowest:.1f} s; {', '.join(mixed) or 'nothing mixed'}",
        trace=tuple(everyone),
    )


async def memory(scenes: Scenes) -> Finding:
    """The same episode twice sends the same requests, and nothing after its answer."""
    episodes = await scenes.happy(), await scenes.play()
    finding = _same(*episodes, "twice in one process")
    if not finding.passed:
        return finding
    first, second = (
        Counter(f"{asked.method} {asked.target}" for asked in played.asked) for played in episodes
    )
    if first != second:
        differing = " and ".join((first - second) + (second - first))
        detail = f"the servers were not asked the same the second time: {differing}"
        return Finding(False, detail, trace=episodes)
    late = await scenes.late_calls()
    if late:
        return Finding(False, f"{late} calls after the answer of an episode", trace=episodes)
    return finding


async def determinism(scenes: Scenes) -> Finding:
    """Another process with another hash seed sends the same requests."""
    return _same((await scenes.happy()), (await scenes.play_elsewhere()), "in two processes")


def _same(first: Played, second: Played, where: str) -> Finding:
    (ones, plain_ones), (others, plain_others) = canonical(first.gateway), canonical(second.gateway)
    if ones == others:
        equal = "byte for byte" if plain_ones == plain_others else "but for ids and order of tools"
        return Finding(bool(ones), f"{len(ones)} requests {where} are equal {equal}")
    differing = next((each for each in ones if each not in others), next(iter(others), b"")).decode(
        "utf-8", "replace"
    )
    detail = f"{len(ones)} and {len(others)} requests {where} differ, as in {quoted(differing)}"
    return Finding(False, detail, trace=(first, second))


async def network(scenes: Scenes) -> Finding:
    """No address but the gateway's and the servers' was tried, in any scene."""
    refused = await scenes.refusals()
    if not scenes.version:
        return Finding(False, "no worker started, so nothing is known")
    tried = ", ".join(f"{address} ({times})" for address, times in sorted(refused.items()))
    return Finding(not refused, f"refused: {tried or 'nothing'}")
