"""The live path without a key of anybody's: a real HTTP upstream that speaks the protocol."""

import asyncio
import hashlib
import json
import sqlite3
import threading
import zlib
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from ossia.run_plan import CLIENT_SECONDS
from ossia.runner.config import RunConfig
from ossia.runner.store import RunStore
from ossia_servers.assistant.offline import OfflineModel
from ossia_servers.http.serving import serve

KEY = "sk-test-4f1d9c2b7e"
ROLES = ("intent", "time", "location", "url", "request", "response")

offline = cache(OfflineModel.load)


class Upstream:
    """Answers as the offline model does, under another model's name, and only with the key."""

    def __init__(self):
        self.model = offline()
        self.environments = set()
        self.homes = set()
        self.leaked = set()
        self.calls = 0
        self.failing = self.hanging = False
        self.hiccups = 0
        self.seconds = 0.0
        self.refusing_from = self.parrot = None
        self.sent = []
        self.closing_from = None
        self.app = Starlette(routes=[Route("/v1/chat/completions", self.chat, methods=["POST"])])

    async def chat(self, request):
        self.calls += 1
        self.look_at_workers()
        if request.headers.get("authorization") != f"Bearer {KEY}":
            return JSONResponse({"error": {"message": f"bad key {KEY}"}}, 401)
        if self.hanging:
            await asyncio.sleep(30)
        await asyncio.sleep(self.seconds)
        if self.closing_from is not None and self.calls > self.closing_from:
            error = {"message": "You have used up your credit.", "type": "insufficient_quota"}
            return JSONResponse({"error": error}, 429)
        if self.refusing_from is not None and self.calls > self.refusing_from:
            return JSONResponse({"error": {"message": "too long"}}, 400)
        if self.failing:
            error = {"message": f"no luck with {KEY}"}
            return JSONResponse({"error": error}, 500, headers={"Retry-After": "0.01"})
        if self.calls % 7 == 0 and self.hiccups < 3:
            self.hiccups += 1
            return JSONResponse(
                {"error": {"message": "slow"}}, 429, headers={"Retry-After": "0.01"}
            )
        body = await request.json()
        assert body["model"] == "tiny-1"
        self.sent.append(body)
        text = json.dumps(body["messages"][0])
        role = next((r for r in ROLES if f"You are the {r} agent" in text), "manager")
        message = self.model.complete({**body, "model": f"ossia-{role}"})
        if self.parrot is not None:
            message = {"role": "assistant", "content": self.parrot}
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        finish = "tool_calls" if message.get("tool_calls") else "stop"
        choice = {"index": 0, "message": message, "finish_reason": finish}
        return JSONResponse({"id": "x", "choices": [choice], "usage": usage, "model": "tiny-1"})

    def look_at_workers(self):
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with suppress(OSError):
                    if b"ossia_adapter.worker" in (entry / "cmdline").read_bytes():
                        environment = (entry / "environ").read_bytes()
                        self.environments.add(environment)
                        self.look_at_home(_home_of(environment))

    def look_at_home(self, home):
        """Note the files of a worker's temporary folder that hold the key; it is gone later."""
        if home is None:
            return
        self.homes.add(home)
        for path in home.rglob("*"):
            with suppress(OSError):
                if path.is_file() and KEY.encode() in path.read_bytes():
                    self.leaked.add(path)


def _home_of(environment):
    """A worker's folder by its environment as the system shows it; None if it has just ended."""
    for part in environment.split(b"\0"):
        if part.startswith(b"HOME="):
            return Path(part.removeprefix(b"HOME=").decode())
    return None


@contextmanager
def running(upstream):
    ready, stop, found = threading.Event(), threading.Event(), []

    async def run():
        async with serve(upstream.app) as url:
            found.append(url)
            ready.set()
            while not stop.is_set():
                await asyncio.sleep(0.02)

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    try:
        assert ready.wait(20)
        yield found[0]
    finally:
        stop.set()
        thread.join()


@pytest.fixture
def upstream():
    return Upstream()


def written(home):
    """Every file below the home, but for the environments, which were installed before."""
    return [
        path
        for entry in home.iterdir()
        if not entry.is_symlink()
        for path in (entry, *entry.rglob("*"))
        if path.is_file()
    ]


def leaks(home):
    """Files that hold the key; traces are compressed, so they are looked at unpacked too."""
    found = [path for path in written(home) if KEY.encode() in path.read_bytes()]
    for path in (home / "runs").glob("*/run.sqlite"):
        with sqlite3.connect(path) as database:
            for (blob,) in database.execute("SELECT trace FROM episodes"):
                if KEY.encode() in zlib.decompress(blob):
                    found.append(path)
    return found


def compare(ossia, url, *more, **variables):
    arguments = ("compare", "-f", "control", "--limit", "4", "--json", *more)
    live = ("--model", "tiny-1", "--base-url", f"{url}/v1", "--api-key-env", "UPSTREAM_KEY")
    return ossia(*arguments, *live, UPSTREAM_KEY=KEY, **variables)


def test_a_live_model_is_called_counted_and_its_key_kept(ossia, home, upstream):
    with running(upstream) as url:
        done = compare(ossia, url)
    assert done.returncode == 0, done.stderr
    (line,) = json.loads(done.stdout)["frameworks"]
    assert line["invalid"] == 0
    assert line["success"]["of"] == 4
    assert upstream.hiccups > 0, "a 429 was retried"
    assert line["tokens"] == pytest.approx(110 * line["calls"])
    assert line["tokens_estimated"] is False
    assert line["price_usd"] is None, "nobody knows this model's price"
    report = ossia("report")
    assert report.returncode == 0
    assert upstream.environments, "workers were looked at"
    assert not any(KEY.encode() in environment for environment in upstream.environments)
    assert any(home.name.startswith("ossia-worker-") for home in upstream.homes)
    assert upstream.leaked == set()
    assert len(written(home)) >= 4
    assert leaks(home) == []
    assert KEY not in done.stdout + done.stderr + report.stdout


def test_a_broken_upstream_makes_invalid_episodes(ossia, home, upstream):
    upstream.failing = True
    with running(upstream) as url:
        done = compare(ossia, url, OSSIA_MAX_SECONDS="20")
    result = json.loads(done.stdout)
    (line,) = result["frameworks"]
    assert line["invalid"] == 4
    assert line["success"]["of"] == 0
    assert len(result["invalid"]) == 4
    assert KEY not in done.stdout + done.stderr
    assert leaks(home) == []


def test_repeats_of_a_task_are_one_observation_each(ossia, upstream):
    with running(upstream) as url:
        once = json.loads(compare(ossia, url).stdout)
        done = compare(ossia, url, "--repeats", "2")
        (two,) = json.loads(done.stdout)["frameworks"]
        table = compare(ossia, url, "--repeats", "2", OSSIA_JSON="false")
    (one,) = once["frameworks"]
    assert (two["success"]["of"], two["success"]["tasks"]) == (8, 4)
    # This endpoint answers always alike, so further repeats tell nothing.
    assert two["success"]["low"] == one["success"]["low"]
    assert two["success"]["high"] == one["success"]["high"]
    assert set(two["pass_hat"]) == {"1", "2"}
    assert "8 episodes on 4 tasks" in json.loads(done.stdout)["finding"][0]
    assert table.returncode == 0


@pytest.mark.parametrize("first", [0, 3])
def test_refused_requests_are_failures_whenever_they_come(ossia, upstream, first):
    upstream.refusing_from = first
    with running(upstream) as url:
        done = compare(ossia, url, "--jobs", "1")
    result = json.loads(done.stdout)
    (line,) = result["frameworks"]
    assert (line["invalid"], line["success"]["of"], line["refused"]) == (0, 4, 4)
    assert line["refusal"] == "HTTP 400: too long"
    assert (
        "refused requests in 4 failed episodes of control router (HTTP 400: too"
        in result["finding"][-1]
    )
    assert done.returncode == 0


def test_a_refusal_is_attributed_with_who_had_spent_the_context(ossia, home, upstream):
    upstream.parrot, upstream.refusing_from, upstream.hiccups = "time", 6, 3
    with running(upstream) as url:
        assert compare(ossia, url, "--jobs", "1", "--limit", "1").returncode == 0
    (found,) = json.loads(ossia("attribute", "--json").stdout)["attributions"]
    assert found["status"] == "refused"
    assert found["evidence"].startswith("The endpoint refused call 7, in *")
    assert "HTTP 400: too long. Spent of " in found["evidence"]
    assert "*manager*" in found["evidence"] and "*time*" in found["evidence"]
    # What would have followed was never recorded, so nobody's repair is called necessary.
    assert all(cause["conditional"] and not cause["necessary"] for cause in found["causes"])
    assert ossia("report").returncode == 0
    (page,) = home.glob("runs/*/report/report.html")
    assert "The endpoint refused call 7" in page.read_text("utf-8")


def test_an_upstream_that_hangs_is_no_spent_budget_however_few_the_seconds(ossia, home, upstream):
    upstream.hanging = True
    with running(upstream) as url:
        done = compare(ossia, url, OSSIA_MAX_SECONDS="4")
    result = json.loads(done.stdout)
    assert result["frameworks"][0]["invalid"] == 4
    assert all("no answer within 2 s" in why for why in result["invalid"].values())
    assert result["unaccounted_attempts"] == upstream.calls > 0
    assert upstream.calls <= 8, "what timed out is repeated once at most"
    assert leaks(home) == []


def test_parameters_are_part_of_the_run_and_of_its_report(ossia, home, upstream):
    with running(upstream) as url:
        assert compare(ossia, url).returncode == 0
        assert {body["temperature"] for body in upstream.sent} == {0}
        upstream.sent.clear()
        changes = ("--model-param", "temperature=", "--model-param", "tiny-1:seed=7")
        done = compare(ossia, url, *changes)
        assert done.returncode == 0, done.stderr
        calls = len(upstream.sent)
        assert calls, "another parameter makes another run"
        assert {(body.get("temperature"), body["seed"]) for body in upstream.sent} == {(None, 7)}
        assert compare(ossia, url, *changes).stdout == done.stdout
        assert len(upstream.sent) == calls, "the same parameters are the same run"
    facts = json.loads(done.stdout)["facts"]
    assert facts["model parameters"] == "temperature=; tiny-1:seed=7"


def test_a_run_in_the_format_before_is_read_under_its_name(ossia, home):
    assert ossia("run", "control", "--limit", "1").returncode == 0
    (folder,) = (home / "runs").iterdir()
    with sqlite3.connect(folder / "run.sqlite") as database:
        (text,) = database.execute("SELECT value FROM meta WHERE key = 'config'").fetchone()
        old = {**json.loads(text), "version": 2}
        new = {"parameters", "call_seconds", "cache", "base_urls", "knowledge", "forms"}
        for name in (*new, "user", "user_hash", "prompts", "stress"):
            del old[name]
        for framework in old["frameworks"]:
            for name in ("variant", "idiom", "title", "status", "division", "workflow"):
                del framework[name]
        stored = json.dumps(old, separators=(",", ":"))
        database.execute("UPDATE meta SET value = ? WHERE key = 'config'", (stored,))
    done = ossia("report")
    name = RunConfig.read(stored).run_id
    assert done.returncode == 0, done.stderr
    assert name == f"assistant-offline-{hashlib.sha256(stored.encode()).hexdigest()[:10]}"


def test_a_quota_that_ends_stops_the_run_and_the_same_command_resumes(ossia, home, upstream):
    upstream.closing_from = 20
    with running(upstream) as url:
        done = compare(ossia, url, "--limit", "12", "--jobs", "2")
        assert done.returncode == 3
        assert "the run has stopped: custom/tiny-1 answered HTTP 429: You have used" in done.stderr
        assert "run the same command again" in done.stderr
        assert "Traceback" not in done.stderr
        assert upstream.calls <= 20 + 2, "nothing more is sent"
        upstream.closing_from = None
        again = compare(ossia, url, "--limit", "12", "--jobs", "2")
    assert again.returncode == 0, again.stderr
    (line,) = json.loads(again.stdout)["frameworks"]
    assert (line["invalid"], line["success"]["of"]) == (0, 12)


def test_call_seconds_rule_the_attempts_and_the_clients(ossia, home, upstream):
    upstream.hanging = True
    with running(upstream) as url:
        done = compare(ossia, url, "--limit", "1", "--call-seconds", "1", "--max-seconds", "20")
    result = json.loads(done.stdout)
    (why,) = result["invalid"].values()
    assert "no answer within 1 s" in why
    with RunStore(next((home / "runs").iterdir())) as store:
        config = store.config()
    assert config.call_seconds == 1.0
    assert config.limits.call_seconds == 2 * 20 + 1 + CLIENT_SECONDS


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("--model", "openai/tiny-1", "--base-url", "URL"),
            "OPENAI_API_KEY belongs to api.openai.com, and is not sent to 127.0.0.1: name it with",
        ),
        (
            ("--model", "anthropic/claude-sonnet-4-5", "--api-key-env", "OPENAI_API_KEY"),
            "the key in OPENAI_API_KEY is openai's, and is not sent to the provider of anthropic/",
        ),
        (
            ("--model", "groq/a", "--model", "openai/b", "--key-env", "OPENAI_API_KEY"),
            "would go to several endpoints (groq, openai)",
        ),
    ],
)
def test_a_key_goes_to_nobody_but_its_provider(ossia, upstream, arguments, sentence):
    with running(upstream) as url:
        given = [f"{url}/v1" if part == "URL" else part for part in arguments]
        done = ossia("run", "control", "--limit", "1", *given, OPENAI_API_KEY=KEY)
    assert (done.returncode, upstream.calls) == (2, 0)
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert KEY not in done.stderr


def test_a_named_key_goes_where_it_was_named_for(ossia, upstream):
    live = ("--model", "openai/tiny-1", "--key-env", "OPENAI_API_KEY", "--base-url")
    with running(upstream) as url:
        done = ossia("run", "control", "--limit", "1", *live, f"{url}/v1", OPENAI_API_KEY=KEY)
    assert done.returncode == 0, done.stderr
    assert upstream.sent
