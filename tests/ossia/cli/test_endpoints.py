"""One role's model at an address of its own, and all others elsewhere, over real HTTP."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from ossia.runner.store import RunStore
from ossia_servers.assistant.offline import OfflineModel

TUNED, PROVIDER = "sk-tuned-91c2", "sk-provider-77aa"
MODEL = "intent=tuned,*=openai/gpt-4o"
RUN = ("run", "control", "--limit", "2", "--json", "--model", MODEL)
ROLES = ("intent", "time", "location", "url", "request", "response")


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = json.dumps(body["messages"][0])
        role = next((name for name in ROLES if f"You are the {name} agent" in text), "manager")
        server.asked.append((body["model"], role, self.headers.get("authorization")))
        message = server.offline.complete({**body, "model": f"ossia-{role}"})
        finish = "tool_calls" if message.get("tool_calls") else "stop"
        choice = {"index": 0, "message": message, "finish_reason": finish}
        usage = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}
        answer = json.dumps({"id": "x", "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


@contextmanager
def endpoint(offline):
    """An upstream that notes who asked: model, role and key; its address is `url`."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.asked, server.offline = [], offline
        server.url = f"http://127.0.0.1:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def offline():
    return OfflineModel.load()


@pytest.fixture
def both(offline):
    with endpoint(offline) as tuned, endpoint(offline) as other:
        yield tuned, other


def test_each_model_gets_its_own_roles_calls_and_its_own_key(ossia, home, both):
    tuned, other = both
    done = ossia(
        *RUN, "--base-url", f"tuned={tuned.url}", "--base-url", f"openai/gpt-4o={other.url}",
        "--api-key-env", "tuned=TUNED_KEY", "--api-key-env", "openai/gpt-4o=OPENAI_API_KEY",
        TUNED_KEY=TUNED, OPENAI_API_KEY=PROVIDER,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["finished"] == 2
    assert set(tuned.asked) == {("tuned", "intent", f"Bearer {TUNED}")}
    assert {(model, key) for model, _, key in other.asked} == {("gpt-4o", f"Bearer {PROVIDER}")}
    assert "intent" not in {role for _, role, _ in other.asked}
    (folder,) = (home / "runs").iterdir()
    with RunStore(folder) as store:
        config = store.config()
        asked = {(e.role, e.model) for trace in store.traces() for e in trace.gateway.exchanges}
    assert config.base_urls == (("openai/gpt-4o", other.url), ("tuned", tuned.url))
    assert {model for role, model in asked if role == "intent"} == {"custom/tuned"}
    assert {model for role, model in asked if role != "intent"} == {"openai/gpt-4o"}
    for secret in (TUNED, PROVIDER):
        assert secret not in config.model_dump_json()


def test_a_run_is_resumed_at_the_same_addresses_with_the_same_keys(ossia, both):
    tuned, other = both
    given = ("--base-url", other.url, "--base-url", f"tuned={tuned.url}")
    refused = ossia(*RUN, *given, OPENAI_API_KEY=PROVIDER)
    assert refused.returncode == 2
    assert "OPENAI_API_KEY belongs to api.openai.com, and is not sent to 127" in refused.stderr
    assert tuned.asked == other.asked == []
    done = ossia(*RUN, *given, "--api-key-env", "tuned=TUNED_KEY", TUNED_KEY=TUNED)
    assert done.returncode == 0, done.stderr
    assert {key for _, _, key in tuned.asked} == {f"Bearer {TUNED}"}
    assert {key for _, _, key in other.asked} == {None}
    count = len(tuned.asked)
    again = ossia("resume", "--api-key-env", "tuned=TUNED_KEY", "--json", TUNED_KEY=TUNED)
    assert again.returncode == 0, again.stderr
    assert len(tuned.asked) == count


def test_one_key_for_all_goes_to_no_two_addresses(ossia, home, both):
    tuned, other = both
    given = ("--base-url", f"tuned={tuned.url}", "--base-url", f"openai/gpt-4o={other.url}")
    done = ossia(*RUN, *given, "--api-key-env", "OPENAI_API_KEY", OPENAI_API_KEY=PROVIDER)
    assert done.returncode == 2
    line = done.stderr.splitlines()[-1]
    assert "the key in OPENAI_API_KEY would go to several endpoints" in line
    assert "--api-key-env MODEL=OPENAI_API_KEY" in line
    assert tuned.asked == other.asked == []
    assert not (home / "runs").exists()
