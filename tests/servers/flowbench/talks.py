"""Sessions played without a framework: messages are kept, or the conversation is told anew."""

import asyncio
import json
from urllib.parse import parse_qsl, urlsplit

from ossia_servers.flowbench.services import gold_service, role_domains
from ossia_servers.flowbench.user import AgendaUser
from ossia_servers.flowbench.walk import walk
from ossia_servers.gateway.models import ModelCall
from ossia_servers.trace import UserTurn
from ossia_servers.worlds import WorldStore
from ossia_servers.worlds.execute import execute
from ossia_workflows.flowbench import Knowledge, TeamKind, role_scenarios, service_team

MOST_ANSWERS = 40
TOOL = {
    "type": "function",
    "function": {"name": "http_request", "parameters": {"type": "object", "properties": {}}},
}


class Services:
    """The services of one session, called as the SDK's tool calls them."""

    def __init__(self, session, down=False):
        self._domains = {each.name: each for each in role_domains([session])}
        self._store = WorldStore(tuple(self._domains.values()))
        self.world = self._store.create("w", seed=session.seed, now=session.now, home=session.home)
        self.calls = []
        self._down = down

    def request(self, url):
        self.calls.append(url)
        if self._down:
            return json.dumps({"status": 0, "body": {"code": "UNREACHABLE", "msg": "no answer"}})
        parts = urlsplit(url)
        domain = self._domains.get(parts.path.strip("/"))
        done = execute(self._store, self.world, domain, dict(parse_qsl(parts.query)))
        return json.dumps({"status": done.status, "body": done.body}, ensure_ascii=False)


def says(words):
    return f"The user says: {json.dumps(words, ensure_ascii=False)}"


def told(turns, words):
    lines = "".join(
        f"The user said: {json.dumps(turn.user)}\nYou answered: {json.dumps(turn.answer)}\n"
        for turn in turns
    )
    return f"The conversation so far:\n{lines}\n{says(words)}" if turns else says(words)


class Talk:
    """A conversation of one agent or a team of four with somebody."""

    def __init__(self, model, session, services, *, kind=TeamKind.AGENT, keeps=True):
        scenarios = role_scenarios(session.role)
        self._team = service_team(kind, session.role, scenarios, Knowledge(session.knowledge))
        self._model, self._session, self._services = model, session, services
        self._keeps = keeps
        self.turns = []
        self.messages = []
        self.asked = 0

    def say(self, words):
        if self._keeps:
            self.messages.append({"role": "user", "content": says(words)})
        else:
            self.messages = [{"role": "user", "content": told(self.turns, words)}]
        answer = self._alone() if self._team.manager == "" else self._together()
        self.turns.append(UserTurn(user=words, answer=answer))
        return answer

    def ask(self, role, messages, tools=()):
        self.asked += 1
        request = {"model": f"ossia-{role}", "messages": messages}
        request |= {"tools": list(tools)} if tools else {}
        call = ModelCall(role, f"control.{self._session.id}.1", request)
        return asyncio.run(self._model.complete(call)).message

    def _role(self, role, messages):
        prompt = {"role": "system", "content": role.prompt}
        own = list(messages)
        for _ in range(MOST_ANSWERS):
            message = self.ask(role.name, [prompt, *own], [TOOL] if role.tools else ())
            own.append(message)
            if not message.get("tool_calls"):
                return own
            for call in message["tool_calls"]:
                url = json.loads(call["function"]["arguments"])["url"]
                answer = self._services.request(url)
                own.append({"role": "tool", "tool_call_id": call["id"], "content": answer})
        raise AssertionError(f"no words after {MOST_ANSWERS} calls")

    def _alone(self):
        self.messages = self._role(self._team.roles[0], self.messages)
        return self.messages[-1]["content"]

    def _together(self):
        members = {role.name: role for role in self._team.members}
        prompt = {"role": "system", "content": self._team.roles[0].prompt}
        ask = f"one of {', '.join(members)}, or finish when the work is done."
        for _ in range(MOST_ANSWERS):
            question = {"role": "user", "content": f"Which role is next? Answer with {ask}"}
            chosen = self.ask("manager", [prompt, *self.messages, question])["content"]
            if chosen == "finish":
                return self.messages[-1]["content"]
            said = self._role(members[chosen], self.messages)[-1]["content"]
            self.messages.append({"role": "user", "name": chosen, "content": said})
        raise AssertionError("the manager does not come to an end")


def play(model, session, **options):
    """Let the scripted user talk to the end; return the talk and the services."""
    services = Services(session)
    talk = Talk(model, session, services, **options)
    scenarios = role_scenarios(session.role)
    user = AgendaUser(session, scenarios, walk(session, scenarios, gold_service(session)))
    words = session.utterance
    while words is not None:
        talk.say(words)
        words = user.next_words(talk.turns)
    return talk, services
