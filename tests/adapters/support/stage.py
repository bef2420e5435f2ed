"""A stage for adapter tests: a worker of the real framework, a real gateway and real servers.

Only the model is played: a script answers as each role, in the framework's own convention, from
what a model would see in the request.
"""

import asyncio
import itertools
import json
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

import httpx

from ossia.runner.stress import roles_of
from ossia.worker import RunResult, WorkerProcess
from ossia_dataset.tasks import DEFAULT_HOME, DEFAULT_NOW
from ossia_servers.assistant.catalogue import catalogue_text
from ossia_servers.assistant.domains.alarm import DOMAIN as ALARM
from ossia_servers.assistant.domains.weather import DOMAIN as WEATHER
from ossia_servers.gateway import Budget, Gateway, GatewayRecord, ModelCall, ScriptedModel
from ossia_servers.gateway.scripted import Reply
from ossia_servers.http.app import build_app
from ossia_servers.http.serving import serve
from ossia_servers.stress.model_faults import ModelFaults
from ossia_servers.stress.plan import Aim, read_fault
from ossia_servers.worlds import WorldStore
from ossia_workflows import Team, load_team

from .environments import installed

Script = Callable[[ModelCall], Reply]
Deviation = Callable[[ModelCall], Reply | None]

DOMAINS = (ALARM, WEATHER)
TURNS = 8
TOOL_ROUNDS = 3
LIMITS = {"turns": TURNS, "tool_rounds": TOOL_ROUNDS, "call_seconds": 20.0}
BUDGET = Budget(calls=300, tokens=100_000_000, seconds=120)


def load_assistant() -> Team:
    """Return the assistant team as a comparison gives it to the frameworks."""
    return load_team("assistant", {"catalogue": catalogue_text(DOMAINS), "home": DEFAULT_HOME})


class MachineClock:
    """The machine's clock, for budgets."""

    def monotonic(self) -> float:
        return time.monotonic()


@dataclass(frozen=True)
class Played:
    """What one episode left behind."""

    result: RunResult
    record: GatewayRecord
    requests: list[dict[str, Any]]
    added: list[dict[str, Any]]

    @property
    def heard(self) -> list[str]:
        """The roles in the order in which they called the model."""
        return [exchange.role for exchange in self.record.exchanges]

    @property
    def sent(self) -> list[dict[str, Any]]:
        """The bodies that the framework sent."""
        return [exchange.request for exchange in self.record.exchanges]


@dataclass
class Stage:
    """One worker, with gateway and servers."""

    worker: WorkerProcess
    gateway: Gateway
    gateway_url: str
    servers_url: str
    worlds: WorldStore
    http: httpx.AsyncClient
    deviations: dict[str, Deviation]
    team: Team = field(default_factory=load_assistant)
    ids: Any = field(default_factory=lambda: itertools.count(1))

    def wire(self, episode: str, utterance: str) -> dict[str, Any]:
        """Return an episode as it goes over the wire."""
        return {
            "id": episode,
            "utterance": utterance,
            "gateway_url": self.gateway_url + "/v1",
            "api_key": f"key-{episode}",
            "servers_url": self.servers_url,
            "world": episode,
            "limits": LIMITS,
            "team": self.team.model_dump(mode="json"),
        }

    async def play(
        self, utterance: str, deviation: Deviation | None = None, *, fault: str = ""
    ) -> Played:
        """Play an episode; the deviation may answer a call in place of the script."""
        episode = f"e{next(self.ids)}"
        self.worlds.create(episode, seed="home", now=DEFAULT_NOW, home=DEFAULT_HOME)
        if deviation is not None:
            self.deviations[episode] = deviation
        faults = self.faults(episode, fault) if fault else None
        self.gateway.open(episode, f"key-{episode}", BUDGET, faults=faults)
        result = await self.worker.run(self.wire(episode, utterance))
        record = self.gateway.close(f"key-{episode}")
        requests = (await self.http.get(f"/worlds/{episode}/requests")).json()
        diff = self.worlds.get(episode).diff()
        added = [change.after for change in diff.changes if change.after and not change.before]
        return Played(result, record, requests, added)

    def faults(self, episode: str, fault: str) -> ModelFaults:
        """Return a fault of a plan for one episode."""
        aim = Aim(read_fault(fault), 0, episode)
        return ModelFaults(aim, roles_of(self.team), slow_seconds=0.0, asks_in_vain=False)


@asynccontextmanager
async def open_stage(
    name: str, script: Script, *, switches: Mapping[str, str] | None = None
) -> AsyncIterator[Stage]:
    """Start a worker of an adapter, made if need be, with gateway and servers of its own."""
    info = await asyncio.to_thread(installed, name)
    spec = replace(info.worker, switches={**info.worker.switches, **(switches or {})})
    deviations: dict[str, Deviation] = {}

    def answer(call: ModelCall) -> Reply:
        deviation = deviations.get(call.episode)
        reply = deviation(call) if deviation is not None else None
        return script(call) if reply is None else reply

    worlds = WorldStore(DOMAINS)
    gateway = Gateway(ScriptedModel(answer), clock=MachineClock())
    async with (
        serve(gateway.app) as gateway_url,
        serve(build_app(DOMAINS, worlds)) as servers_url,
        httpx.AsyncClient(base_url=servers_url) as http,
        await WorkerProcess.start(
            spec,
            allow=[urlsplit(url).netloc for url in (gateway_url, servers_url)],
            concurrency=8,
        ) as worker,
    ):
        yield Stage(worker, gateway, gateway_url, servers_url, worlds, http, deviations)
    await gateway.aclose()
    worlds.close()


# What each role says, by hand: an alarm is set, the weather is asked for, or nonsense is asked.


def seen(call: ModelCall) -> str:
    """Return all text of a request."""
    return "\n".join(str(message.get("content") or "") for message in call.request["messages"])


def spoken(call: ModelCall) -> str:
    """Return the user's sentence, wherever the request has it."""
    found = re.search(r'The user says: \\*"([^"\\]*)\\*"', seen(call))
    assert found is not None, f"{call.role} was not told what the user says"
    return found[1]


def plan(utterance: str) -> list[str]:
    """Return the roles that the sentence needs, in order."""
    places = ["location"] if "weather" in utterance else []
    return ["intent", "time", *places, "url", "request", "response"]


def line(role: str, utterance: str) -> str:
    """Return what a role answers, the request role aside, which repeats its tool."""
    if "weather" in utterance:
        frame = {"domain": "weather", "intent": "weather_query"}
        slots = {"place_name": "dallas", "date": "tomorrow"}
        url = "/weather?intent=weather_query&place_name=Dallas%2C+Texas&date=2026-03-14"
    else:
        label = utterance.rpartition(" for ")[2]
        intent = "alarm_set" if "wake me" in utterance else "alarm_nonsense"
        frame = {"domain": "alarm", "intent": intent}
        slots = {"time": "half past six", "date": "tomorrow", "event_name": label}
        event = label.replace(" ", "+")
        url = f"/alarm?intent={intent}&time=06%3A30&date=2026-03-14&event_name={event}"
    lines: dict[str, Any] = {
        "intent": {**frame, "slots": slots},
        "time": {"time_slots": {"date": "2026-03-14"}},
        "location": {"place_slots": {"place_name": "Dallas, Texas"}},
        "url": {"url": url},
    }
    return json.dumps(lines[role]) if role in lines else answer_to(utterance)


def answer_to(utterance: str) -> str:
    """Return what the response role tells the user."""
    return f"I did what you said: {utterance}."


def tool_of(role: str, utterance: str) -> tuple[str, dict[str, str]] | None:
    """Return the tool that a role uses once, and its arguments."""
    if role == "time":
        return "get_date", {}
    if role == "request":
        url = json.loads(line("url", utterance))["url"]
        return "http_request", {"method": "GET", "url": url}
    return None


def tool_call(call: ModelCall, name: str, arguments: Mapping[str, str] | str) -> Reply:
    """Return a message that calls a tool natively, with an id of its own in the conversation."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    use = {"id": f"call_{len(call.request['messages'])}", "type": "function"}
    function = {"name": name, "arguments": text}
    return {"content": None, "tool_calls": [{**use, "function": function}]}


def is_result(text: str) -> bool:
    """Say whether a text is what a tool returned, rather than a complaint about the call."""
    try:
        return bool({"status", "weekday"} & json.loads(text).keys())
    except (ValueError, AttributeError):
        return False


def member_natively(
    call: ModelCall, wrap: Callable[[str], Reply] = str, besides: Sequence[str] = ()
) -> Reply:
    """Answer as a member whose framework uses native tool calls.

    Args:
        call: What it is asked.
        wrap: Makes the answer of its words.
        besides: The tools that it is offered after its own.
    """
    utterance = spoken(call)
    last = call.request["messages"][-1]
    told = last["role"] == "tool" and is_result(str(last["content"]))
    tool = tool_of(call.role, utterance)
    if tool is not None and not told:
        offered = [each["function"]["name"] for each in call.request["tools"]]
        assert offered == [tool[0], *besides]
        return tool_call(call, *tool)
    if call.role == "request":
        return wrap(last["content"])
    return wrap(line(call.role, utterance))
