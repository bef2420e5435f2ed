"""The endpoint around a model, over real HTTP; the model itself is a stand-in here."""

import asyncio
import json
import threading
from dataclasses import dataclass

import httpx
import pytest

from ossia_servers.local.server import LocalServer
from ossia_servers.serving import serve


@dataclass
class Said:
    text: str
    prompt_tokens: int = 7
    completion_tokens: int = 3
    finished: bool = True


class Generator:
    """Answers with what it was asked; may be made to wait or to break."""

    def __init__(self):
        self.asked = []
        self.threads = set()
        self.gate = threading.Event()
        self.gate.set()
        self.error = None

    def answer(self, messages, most_tokens=512):
        self.gate.wait(20)
        self.threads.add(threading.current_thread().name)
        self.asked.append((messages, most_tokens))
        if self.error is not None:
            raise self.error
        return Said(messages[-1]["content"].upper(), finished=most_tokens > 5)


def ask(generator, *bodies, path="/v1/chat/completions"):
    async def main():
        server = LocalServer(generator, "tuned")
        kind = {"Content-Type": "application/json"}
        async with (
            serve(server.app) as url,
            httpx.AsyncClient(timeout=20, headers=kind) as client,
        ):
            replies = []
            for body in bodies:
                content = body if isinstance(body, str) else json.dumps(body)
                replies.append(await client.post(url + path, content=content))
            return replies

    return asyncio.run(main())


HELLO = {"model": "x", "messages": [{"role": "user", "content": "hello"}]}


def test_it_answers_as_the_original_interface_does():
    generator = Generator()
    (reply,) = ask(generator, {**HELLO, "temperature": 0.7, "tools": []})
    body = reply.json()
    assert body["model"] == "x"
    assert body["choices"][0]["message"] == {"role": "assistant", "content": "HELLO"}
    assert body["choices"][0]["finish_reason"] == "stop"
    assert body["usage"] == {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    assert generator.asked[0][1] == 512


def test_limits_of_length_are_kept_and_told():
    generator = Generator()
    replies = ask(generator, {**HELLO, "max_tokens": 5}, {**HELLO, "max_completion_tokens": 4})
    assert [asked[1] for asked in generator.asked] == [5, 4]
    assert replies[0].json()["choices"][0]["finish_reason"] == "length"


def test_it_streams():
    options = {"stream": True, "stream_options": {"include_usage": True}}
    (reply,) = ask(Generator(), {**HELLO, **options})
    events = [line[6:] for line in reply.text.splitlines() if line.startswith("data: ")]
    assert events[-1] == "[DONE]"
    chunks = [json.loads(event) for event in events[:-1]]
    said = "".join(c["choices"][0]["delta"].get("content") or "" for c in chunks if c["choices"])
    assert said == "HELLO"
    assert chunks[-1]["usage"]["total_tokens"] == 10


@pytest.mark.parametrize(
    "body", ["", "[]", "{}", {"messages": []}, {"messages": "x"}, {**HELLO, "max_tokens": 0}]
)
def test_what_cannot_be_read_is_refused(body):
    (reply,) = ask(Generator(), body)
    assert reply.status_code == 400
    assert reply.json()["error"]["type"] == "invalid_request_error"


def test_a_prompt_that_does_not_fit_is_refused_and_a_broken_model_is_an_error():
    generator = Generator()
    generator.error = ValueError("The prompt has 9 tokens, and the model reads 8 at most.")
    (reply,) = ask(generator, HELLO)
    assert (reply.status_code, "9 tokens" in reply.text) == (400, True)
    generator.error = RuntimeError("no memory")
    (reply,) = ask(generator, HELLO)
    assert (reply.status_code, "no memory" in reply.text) == (500, False)


def test_the_loop_stays_free_while_the_model_reckons():
    generator = Generator()
    generator.gate.clear()

    async def main():
        server = LocalServer(generator, "tuned")
        async with serve(server.app) as url, httpx.AsyncClient(timeout=20) as client:
            asked = [
                asyncio.create_task(client.post(url + "/v1/chat/completions", json=HELLO))
                for _ in range(3)
            ]
            listed = await client.get(url + "/v1/models")
            assert not any(task.done() for task in asked)
            generator.gate.set()
            return listed.json(), [task.status_code for task in await asyncio.gather(*asked)]

    listed, codes = asyncio.run(main())
    assert listed["data"]
    assert codes == [200, 200, 200]
    # One thread: the model answers one request at a time.
    assert len(generator.threads) == 1
