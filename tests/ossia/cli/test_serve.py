"""`ossia serve`: one process, one port, durable worlds."""

import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import httpx
import pytest

from ossia_servers.worlds import WorldStore

NEW = {"now": "2026-03-13T10:00", "home": "chicago"}
NAMES = [f"mine-{number}" for number in range(12)]


def free_port():
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        return tried.getsockname()[1]


class Served:
    """A running `ossia serve`."""

    def __init__(self, begin, log, *arguments):
        self.log = log
        log.touch()
        where = {"folder": log.parent, "out": log, "err": log}
        self.process = begin(("serve", *arguments), environ=dict(os.environ), **where)

    def wait_until_up(self):
        self.wait_for(lambda: "Stop with Ctrl-C" in self.said)
        self.url = re.search(r"http://[\d.:]+", self.said)[0]

    @property
    def said(self):
        return self.log.read_text("utf-8")

    def wait_for(self, done):
        until = time.monotonic() + 60
        while not done():
            assert time.monotonic() < until, self.said
            time.sleep(0.02)

    def client(self):
        token = re.search(r"Admin token, .*: (\S+)", self.said)[1]
        return httpx.Client(
            base_url=self.url,
            headers={"Authorization": f"Bearer {token}"},
            trust_env=False,
            timeout=30,
        )

    def kill(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def serve(begin, tmp_path):
    running = []

    def start(*arguments, port=0, wait=True):
        log = tmp_path / f"log-{len(running)}"
        running.append(Served(begin, log, "--port", str(port), *arguments))
        if wait:
            running[-1].wait_until_up()
        return running[-1]

    yield start
    for served in running:
        served.kill()


def add(client, name):
    params = {"intent": "lists_createoradd", "list_name": "trip", "item_name": f"tent of {name}"}
    return client.post("/lists", params=params, headers={"X-Ossia-World": name})


def first_answer(port):
    """Return the first answer of a server that listens on a port."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            return httpx.get(f"http://127.0.0.1:{port}/clock", trust_env=False)
        except httpx.HTTPError:
            time.sleep(0.001)
    raise TimeoutError


def test_the_first_world_is_there_before_anybody_is_answered(serve, tmp_path):
    port = free_port()
    serve("--database", "w.sqlite", port=port, wait=False)
    assert first_answer(port).status_code == 400
    with closing(sqlite3.connect(tmp_path / "w.sqlite")) as database:
        assert database.execute("SELECT COUNT(*) FROM worlds").fetchone() == (1,)


def test_only_the_admin_token_manages_worlds(serve):
    """What another user of the machine can do, who guesses ids and has no token."""
    served = serve()
    world = re.search(r"first world: (\S+)", served.said)[1]
    with served.client() as owner, httpx.Client(base_url=served.url, trust_env=False) as other:
        tried = [
            other.post("/worlds", json={"id": "mine", **NEW}),
            other.post("/worlds", content=b"{}", headers={"Content-Type": "Application/JSON"}),
            *(other.get(f"/worlds/{world}/{part}") for part in ("diff", "requests")),
            other.delete(f"/worlds/{world}"),
            other.delete(f"/worlds/{world}", headers={"Authorization": "Bearer wrong"}),
        ]
        assert [answer.status_code for answer in tried] == [401] * len(tried)
        for guess in ("world-1", "world-2", world[:8]):
            assert other.get("/clock", headers={"X-Ossia-World": guess}).status_code == 404
        assert other.get("/clock", headers={"X-Ossia-World": world}).status_code == 200
        assert owner.delete(f"/worlds/{world}").status_code == 200


def test_the_token_for_all_is_none_for_worlds(serve, monkeypatch):
    monkeypatch.setenv("AGENTS", "for-agents")
    monkeypatch.setenv("ADMIN", "for-me")
    served = serve("--token-env", "AGENTS", "--admin-token-env", "ADMIN")
    assert "for-me" not in served.said
    made = []
    with httpx.Client(base_url=served.url, trust_env=False) as client:
        for token in ("", "for-agents", "for-me"):
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            made.append(client.post("/worlds", json=NEW, headers=headers).status_code)
            shown = client.get("/openapi.json", headers=headers).status_code
            assert shown == (200 if token else 401)
    assert made == [401, 401, 201]


def test_worlds_outlive_a_kill(serve):
    first = serve("--database", "w.sqlite")
    with first.client() as client:
        for name in NAMES:
            assert client.post("/worlds", json={"id": name, **NEW}).status_code == 201
            assert add(client, name).status_code == 200
        before = {name: client.get(f"/worlds/{name}/diff").json() for name in NAMES}
    first.kill()
    again = serve("--database", "w.sqlite")
    with again.client() as client:
        assert {name: client.get(f"/worlds/{name}/diff").json() for name in NAMES} == before
    assert len({str(diff) for diff in before.values()}) == len(NAMES)


def test_a_port_in_use_is_left_to_its_owner(serve, ossia):
    served = serve()
    port = served.url.rpartition(":")[2]
    done = ossia("serve", "--port", port)
    assert done.returncode == 2
    assert "Address already in use" in done.stderr
    with served.client() as client:
        assert client.get("/openapi.json").status_code == 200


def test_a_database_of_two_names_is_not_served(serve, ossia, tmp_path):
    """Under a hard link SQLite keeps another log, and two servers would tear the file."""
    first = serve("--database", str(tmp_path / "w.sqlite"))
    (tmp_path / "other.sqlite").hardlink_to(tmp_path / "w.sqlite")
    done = ossia("serve", "--port", "0", "--database", str(tmp_path / "other.sqlite"))
    assert done.returncode == 2
    assert "several names" in done.stderr
    assert not (tmp_path / "other.sqlite.lock").exists()
    with first.client() as client:
        assert client.post("/worlds", json={"id": "mine", **NEW}).status_code == 201


def test_of_two_that_start_together_one_has_the_port(serve):
    port = free_port()
    both = [serve(port=port, wait=False) for _ in range(2)]
    both[0].wait_for(lambda: any(served.process.poll() is not None for served in both))
    (ended,) = (served for served in both if served.process.poll() is not None)
    assert ended.process.returncode == 2
    assert "Address already in use" in ended.said
    both.remove(ended)
    both[0].wait_until_up()


def test_a_port_in_use_leaves_the_database_alone(ossia, tmp_path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        database = tmp_path / "w.sqlite"
        done = ossia("serve", "--port", port, "--database", str(database))
    assert done.returncode == 2
    assert not list(tmp_path.glob("w.sqlite*"))


def test_one_database_has_one_server(serve, ossia, tmp_path):
    database = tmp_path / "w.sqlite"
    first = serve("--database", str(database))
    (tmp_path / "link.sqlite").symlink_to(database)
    with first.client() as client:
        assert client.post("/worlds", json={"id": "mine", **NEW}).status_code == 201
    for name in ("w.sqlite", "link.sqlite"):
        path = str(tmp_path / name)
        done = ossia("serve", "--port", "0", "--database", path)
        assert done.returncode == 2
        (line,) = done.stderr.strip().splitlines()
        assert "is in use by another `ossia serve`" in line
    with first.client() as client:
        assert client.get("/worlds/mine/diff").status_code == 200
    first.kill()
    again = serve("--database", str(database))
    with again.client() as client:
        assert client.get("/worlds/mine/diff").status_code == 200


def test_of_two_that_start_together_one_has_the_database(serve):
    both = [serve("--database", "w.sqlite", wait=False) for _ in range(2)]
    both[0].wait_for(lambda: any(served.process.poll() is not None for served in both))
    (ended,) = (served for served in both if served.process.poll() is not None)
    assert ended.process.returncode == 2
    assert "is in use by another" in ended.said
    both.remove(ended)
    both[0].wait_until_up()


@pytest.mark.parametrize("version", [0, 2, 3])
def test_another_programs_database_is_no_database_of_worlds(ossia, tmp_path, version):
    database = tmp_path / "books.sqlite"
    with closing(sqlite3.connect(database)) as other:
        other.execute("CREATE TABLE books (title TEXT)")
        other.execute(f"PRAGMA user_version = {version}")
    before, lock = database.read_bytes(), tmp_path / "books.sqlite.lock"
    if version == 3:
        lock.write_text("the other program's")
    done = ossia("serve", "--port", "0", "--database", str(database))
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert "is not a database of worlds" in line
    assert database.read_bytes() == before
    assert lock.exists() == (version == 3), "what was not there before is gone again"


def test_a_place_that_is_none_for_a_database_is_one_line(ossia, tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    for name, reason in (
        ("no/w.sqlite", "No such file or directory"),
        ("loop", "unable to open database file"),
        (".", "unable to open database file"),
    ):
        done = ossia("serve", "--port", "0", "--database", str(tmp_path / name))
        assert done.returncode == 2
        (line,) = done.stderr.strip().splitlines()
        assert f"cannot be used: {reason}" in line


def test_mcp_without_its_extra_is_one_line(ossia, tmp_path):
    """Another package of the name stands before the one that may be installed."""
    (tmp_path / "mcp").mkdir()
    (tmp_path / "mcp" / "__init__.py").touch()
    path = os.pathsep.join((str(tmp_path), os.environ.get("PYTHONPATH", "")))
    done = ossia("serve", "--port", "0", "--mcp", PYTHONPATH=path)
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert "pip install 'ossia[mcp]'" in line


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_it_ends_quietly_however_it_is_ended(serve, end):
    served = serve("--database", "w.sqlite")
    served.process.send_signal(end)
    assert served.process.wait() == 0 or end is signal.SIGKILL
    assert "Traceback" not in served.said
    serve("--database", "w.sqlite")


def test_a_background_job_of_a_script_ends_by_sigterm(environ, tmp_path):
    # The shell of a script lets such a job ignore Ctrl-C.
    command = f"trap '' INT; exec {sys.executable} -m ossia serve --port 0"
    with subprocess.Popen(
        ["bash", "-c", command], cwd=tmp_path, env=environ, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            for line in process.stdout:
                if "Stop with Ctrl-C" in line:
                    break
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=30) == 0
        finally:
            process.kill()


def test_files_of_several_processes_are_refused_with_what_to_do(ossia, tmp_path):
    database = tmp_path / "w.sqlite"
    WorldStore([], database).close()
    with closing(sqlite3.connect(database, isolation_level=None)) as db:
        db.execute("CREATE TABLE shard AS SELECT 0 AS number, 3 AS total")
        db.execute("PRAGMA user_version = 2")
    done = ossia("serve", "--port", "0", "--database", str(database))
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert "one of 3 files that 3 server processes wrote" in line
    assert "name a new file" in line


def test_nobody_can_share_the_port(serve):
    served = serve()
    port = int(served.url.rpartition(":")[2])
    with pytest.raises(OSError), socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        other.bind(("127.0.0.1", port))
