"""Episodes played by hand: real requests on a real world, with each role's words told."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, Literal

from ossia_dataset.assistant.tasks import AssistantTask
from ossia_dataset.tasks import Request
from ossia_dataset.world_tasks import Gold, GoldKind, WorldTask
from ossia_evaluation.assistant.scorer import AssistantScorer
from ossia_evaluation.urls import read_url
from ossia_evaluation.worlds.gold import prepare
from ossia_evaluation.worlds.score import Score
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.gateway.records import (
    BudgetPart,
    Exchange,
    GatewayRecord,
    Status,
    Timing,
    Usage,
)
from ossia_servers.trace import Ending, EpisodeKey, EpisodeTiming, Trace
from ossia_servers.worlds import WorldStore
from ossia_servers.worlds.execute import execute
from ossia_servers.worlds.records import ServerRequest

DOMAINS = load_domains()
BY_NAME = {domain.name: domain for domain in DOMAINS}
SCORER = AssistantScorer(DOMAINS)
_STORE = WorldStore(DOMAINS)
_NUMBERS = count(1)

STYLES: Mapping[str, Callable[[str], str]] = {
    "control": lambda text: text,
    "autogen": lambda text: text,
    "camel": lambda text: json.dumps({"content": text, "failed": False}),
    "agentlite": lambda text: f"Finish[{json.dumps({'response': text})}]",
}
"""How the frameworks' agents wrap what they say."""


def task(
    domain: str,
    intent: str,
    kind: str,
    slots: Mapping[str, str] | None = None,
    *,
    time: Mapping[str, str] | None = None,
    place: Mapping[str, str] | None = None,
    setup: Sequence[str] = (),
    requests: Sequence[str] | None = None,
    dropped: Sequence[str] = (),
) -> WorldTask:
    """Return a task; setup and explicit gold requests are given as addresses."""
    gold = Gold(
        domain=domain,
        intent=intent,
        kind=GoldKind(kind),
        slots=dict(slots or {}),
        time=dict(time or {}),
        place=dict(place or {}),
        dropped=tuple(dropped),
        requests=None if requests is None else tuple(map(request, requests)),
    )
    name = f"{intent}-{kind}".replace("_", "-")
    return AssistantTask(id=name, utterance="as told", setup=tuple(map(request, setup)), gold=gold)


def request(url: str) -> Request:
    """Return the request of an address."""
    domain, params = read_url(url)
    return Request(domain=domain, params=params)


class Play:
    """One episode, played move by move; every move returns the play, so that moves chain."""

    def __init__(self, task: AssistantTask, style: str = "control") -> None:
        self.task = task
        self._style = style
        self._store = _STORE
        self._world = _STORE.create(
            f"w{next(_NUMBERS)}", seed=task.seed, now=task.now, home=task.home
        )
        prepare(self._store, self._world, task, BY_NAME)
        self._exchanges: list[Exchange] = []
        self._budget_spent: BudgetPart | None = None
        self._said = ""

    def call(
        self,
        role: str,
        text: str | None,
        *,
        tool: tuple[str, Mapping[str, str]] | None = None,
        after_tool: bool = False,
        given: str = "...",
        status: Status = "ok",
    ) -> Play:
        """One model call of a role, whatever comes of it; `given` is its request's last message."""
        response: dict[str, Any] | None = None
        if status == "ok":
            response = {"role": "assistant", "content": text}
            if tool is not None:
                function = {"name": tool[0], "arguments": json.dumps(tool[1])}
                response["tool_calls"] = [{"id": "1", "type": "function", "function": function}]
        last = "tool" if after_tool else "user"
        self._exchanges.append(
            Exchange(
                seq=len(self._exchanges),
                role=role,
                model="by-hand",
                request={"messages": [{"role": last, "content": given}]},
                forced={},
                response=response,
                finish_reason=None,
                usage=Usage(prompt_tokens=10, completion_tokens=2, source="estimate"),
                price_usd=None,
                status=status,
                error=None if status == "ok" else "as told",
                attempts=1,
                streamed=False,
                timing=Timing(started_s=0.0, latency_s=0.5),
            )
        )
        if status == "budget":
            self._budget_spent = "calls"
        return self

    def manager(self, text: str) -> Play:
        """The manager decides."""
        return self.call("manager", text)

    def say(self, role: str, answer: object, *, called: bool = True) -> Play:
        """The manager calls a role (unless told otherwise) and the role answers."""
        if called:
            self.manager(role)
        text = answer if isinstance(answer, str) else json.dumps(answer)
        return self.call(role, STYLES[self._style](text))

    def intent(self, domain: str, intent: str, **slots: str) -> Play:
        """The intent role answers."""
        return self.say("intent", {"domain": domain, "intent": intent, "slots": slots})

    def time(self, **slots: str) -> Play:
        """The time role answers."""
        return self.say("time", {"time_slots": slots})

    def location(self, **slots: str) -> Play:
        """The location role answers."""
        return self.say("location", {"place_slots": slots})

    def url(self, url: str) -> Play:
        """The url role answers."""
        return self.say("url", {"url": url})

    def http(self, url: str, method: Literal["GET", "POST"] = "GET") -> Mapping[str, Any]:
        """The tool is called: it refuses what is no path, and an unknown server records nothing."""
        if not url.startswith("/"):
            return {"status": 0, "body": {"code": "REFUSED", "msg": "no path"}}
        domain, params = read_url(url)
        if domain not in BY_NAME:
            return {"status": 404, "body": {"code": "NOT_FOUND", "msg": "no such path"}}
        done = execute(self._store, self._world, BY_NAME[domain], params, method)
        return {"status": done.status, "body": done.body}

    def request(self, *urls: str, invent: bool = False) -> Play:
        """The request role calls its tool with each address and tells the last answer."""
        self.manager("request")
        answer: Mapping[str, Any] = {"status": 200, "body": {"code": "SUCCESS"}}
        native = self._style != "agentlite"
        for number, url in enumerate(() if invent else urls):
            call = {"method": "GET", "url": url}
            if native:
                self.call("request", None, tool=("http_request", call), after_tool=number > 0)
            else:
                self.call("request", f"http_request[{json.dumps(call)}]")
            answer = self.http(url)
        text = STYLES[self._style](json.dumps(answer))
        return self.call("request", text, after_tool=native and not invent)

    def response(self, text: str | None = None) -> Play:
        """The response role answers, in the servers' words unless told otherwise."""
        words = " ".join(request.response for request in self.requests)
        text = words or "Here you are." if text is None else text
        self._said = text
        return self.say("response", text)

    @property
    def requests(self) -> tuple[ServerRequest, ...]:
        """What the servers recorded."""
        return tuple(
            ServerRequest.model_validate_json(r) for r in self._store.records(self._world.id)
        )

    def trace(self, answer: str | None = None, ending: str = "answered", detail: str = "") -> Trace:
        """Return the trace; the answer is the response role's unless another is told."""
        key = EpisodeKey(id="e", task=self.task.id, framework="hand", model="by-hand", repeat=1)
        return Trace(
            episode=key,
            ending=Ending.model_validate({"kind": ending, "detail": detail}),
            answer=self._said if answer is None else answer,
            gateway=GatewayRecord(
                episode="e", exchanges=tuple(self._exchanges), budget_spent=self._budget_spent
            ),
            requests=self.requests,
            diff=self._world.diff(),
            timing=EpisodeTiming(wall_s=2.0, cpu_s=0.1),
        )

    def score(self, answer: str | None = None, ending: str = "answered", detail: str = "") -> Score:
        """Return the score of the episode."""
        return SCORER.score(self.task, self.trace(answer, ending, detail))


def gold_play(task: AssistantTask, style: str = "control", until: str = "finish") -> Play:
    """Play a task as its gold run wants it, up to a role."""
    play, gold = Play(task, style), task.gold
    (wanted,) = gold.gold_requests() or (None,)
    moves: list[tuple[str, Callable[[], object]]] = [
        ("intent", lambda: play.intent(gold.domain, gold.intent, **gold.slots))
    ]
    if gold.time:
        moves.append(("time", lambda: play.time(**gold.time)))
    if gold.place:
        moves.append(("location", lambda: play.location(**gold.place)))
    if wanted is not None:
        moves.append(("url", lambda: play.url(wanted.url)))
        moves.append(("request", lambda: play.request(wanted.url)))
    moves.append(("response", play.response))
    for role, move in moves:
        if role == until:
            return play
        move()
    play.manager("finish")
    return play


def frame(task: AssistantTask) -> dict[str, Any]:
    """Return what the intent role of a gold run answers."""
    return {"domain": task.gold.domain, "intent": task.gold.intent, "slots": task.gold.slots}


def named(score: Score) -> list[str]:
    """Return the roles that the rules name."""
    return [fault.role for fault in score.faults]


WAKE = task(
    "alarm",
    "alarm_set",
    "change",
    {"time": "half past seven", "date": "tomorrow"},
    time={"time": "07:30", "date": "2026-03-14"},
)
WAKE_URL = "/alarm?intent=alarm_set&time=07%3A30&date=2026-03-14"

WEATHER = task(
    "weather",
    "weather_query",
    "answer",
    {"place_name": "dallas", "date": "tomorrow"},
    time={"date": "2026-03-14"},
    place={"place_name": "Dallas, Texas"},
)
WEATHER_URL = "/weather?intent=weather_query&place_name=Dallas%2C+Texas&date=2026-03-14"

LIST = task("lists", "lists_createoradd", "change", {"item_name": "soap", "list_name": "packing"})
LIST_URL = "/lists?intent=lists_createoradd&item_name=soap&list_name=packing"

CHAT = task("general", "general_joke", "chat")

DENTIST = task("calendar", "calendar_set", "clarification", {"event_name": "dentist"})
DENTIST_URL = "/calendar?intent=calendar_set&event_name=dentist"
