"""Whole episodes of the model on real worlds: a manager's words, the roles' turns, the outcome."""

import json
from collections import Counter
from datetime import datetime
from urllib.parse import parse_qsl, urlsplit

import pytest

from ossia_servers.assistant.catalogue import catalogue_text, load_domains
from ossia_servers.worlds import WorldStore
from ossia_servers.worlds.execute import execute
from ossia_workflows import load_team
from ossia_workflows.assistant import role_output

from .scenes import returned, says, tool

DOMAINS = load_domains()
BY_NAME = {domain.name: domain for domain in DOMAINS}
VALUES = {"catalogue": catalogue_text(DOMAINS), "home": "New York, New York"}
TEAM = load_team("assistant-compound", VALUES)
NOW = datetime(2026, 3, 13, 10, 0)
TOOLS = {"get_date": tool("get_date"), "http_request": tool("http_request", "method", "url")}


class Episode:
    """A team without a framework, in this process."""

    def __init__(self, model, sentence):
        self.model, self.sentence = model, sentence
        self.store = WorldStore(DOMAINS)
        self.world = self.store.create("w", seed="home", now=NOW, home=VALUES["home"])
        self.turns = []
        while (role := self.next_role()) != "finish":
            assert len(self.turns) < 40
            self.turns.append((role, self.speak(role)))

    def next_role(self):
        told = [("user", says(self.sentence)), *self.turns]
        text = "\n".join(f"{name}: {words}" for name, words in told)
        messages = [
            {"role": "system", "content": TEAM.role("manager").prompt},
            {"role": "user", "content": f"{text}\n\nAnswer with one word, or finish."},
        ]
        return self.model.complete({"model": "ossia-manager", "messages": messages})["content"]

    def speak(self, role):
        messages = [
            {"role": "system", "content": TEAM.role(role).prompt},
            {"role": "user", "content": says(self.sentence)},
            *({"role": "user", "name": name, "content": words} for name, words in self.turns),
        ]
        offered = [TOOLS[name] for name in TEAM.role(role).tools]
        body = {"model": f"ossia-{role}", "messages": messages}
        body |= {"tools": offered} if offered else {}
        while calls := (message := self.model.complete(body)).get("tool_calls"):
            body = returned(body, calls[0], self.call(calls[0]["function"]))
        return message["content"]

    def call(self, function):
        if function["name"] == "get_date":
            return json.dumps({"date": "2026-03-13", "weekday": "Friday", "time": "10:00"})
        address = urlsplit(json.loads(function["arguments"])["url"])
        domain = BY_NAME[address.path.strip("/")]
        done = execute(self.store, self.world, domain, dict(parse_qsl(address.query)), "GET")
        return json.dumps({"status": done.status, "body": done.body})

    @property
    def intents(self):
        outputs = [role_output("intent", words) for role, words in self.turns if role == "intent"]
        return [output["intent"] for output in outputs]

    @property
    def tables(self):
        return Counter(change.table for change in self.world.diff().changes)


@pytest.mark.parametrize(
    ("sentence", "intents", "tables"),
    [
        (
            "set an alarm for eight am tomorrow, then play some jazz",
            ["alarm_set", "play_music", "none"],
            {"alarm.alarms": 1, "music.player": 1},
        ),
        (
            "if it rains tomorrow, play some jazz",
            ["weather_query", "none"],
            {},
        ),
        (
            "unless it rains tomorrow, play some jazz",
            ["weather_query", "play_music", "none"],
            {"music.player": 1},
        ),
        (
            "play some jazz and tell me a joke",
            ["play_music", "general_joke"],
            {"music.player": 1},
        ),
    ],
)
def test_an_episode_comes_to_its_end(model, sentence, intents, tables):
    episode = Episode(model, sentence)
    assert episode.intents == intents
    assert episode.tables == tables
    assert episode.turns[-1][0] == "response" and episode.turns[-1][1]


def test_a_value_is_taken_from_an_answer(model):
    episode = Episode(model, "when is my dentist appointment? set an alarm an hour before it")
    (change,) = episode.world.diff().changes
    assert (change.after["date"], change.after["time"]) == ("2026-03-17", "08:00")
