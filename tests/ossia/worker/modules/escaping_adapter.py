"""An adapter that tries to get out of its worker in every way that the tests know of.

The utterance is a JSON object: the deed and what it aims at. The answer says whether it worked.
"""

import ctypes
import json
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

from ossia_adapter import Answer, Episode

_LIBC = ctypes.CDLL(None, use_errno=True)
_CONNECT = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 5)"


class Liar(int):
    """A port that looks like another one to whoever asks in Python."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash(LIED_PORT)


LIED_PORT = 0


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def _address(port: int) -> bytes:
    return struct.pack("=H", socket.AF_INET) + struct.pack("!H4s8x", port, bytes((127, 0, 0, 1)))


def _child_python(aim: dict) -> None:
    subprocess.run([sys.executable, "-S", "-c", _CONNECT, str(aim["port"])], check=True)


def _child_curl(aim: dict) -> None:
    url = f"http://127.0.0.1:{aim['port']}/"
    done = subprocess.run(["curl", "-sS", "--max-time", "1", url], check=False)
    # Whoever listens there answers nothing, so any other end than this one means a connection.
    if done.returncode == 7:
        raise ConnectionRefusedError(url)


def _native(kind: int, aim: dict) -> None:
    handle = _checked(_LIBC.socket(socket.AF_INET, kind, 0))
    address = _address(aim["port"])
    if kind == socket.SOCK_STREAM:
        _checked(_LIBC.connect(handle, address, len(address)))
    else:
        _checked(_LIBC.sendto(handle, b"x", 1, 0, address, len(address)))


def _fast_open(aim: dict) -> None:
    handle = _checked(_LIBC.socket(socket.AF_INET, socket.SOCK_STREAM, 0))
    address = _address(aim["port"])
    _checked(_LIBC.sendto(handle, b"x", 1, socket.MSG_FASTOPEN, address, len(address)))


def _socket_of(family: int, kind: int, protocol: int = 0) -> None:
    os.close(_checked(_LIBC.socket(family, kind, protocol)))


def _uring(_: dict) -> None:
    os.close(_checked(_LIBC.syscall(425, 4, ctypes.create_string_buffer(120))))


def _unix(name: str | bytes) -> None:
    where = os.fsencode(name)
    address = struct.pack("=H", socket.AF_UNIX) + where + (b"" if where[:1] == b"\0" else b"\0")
    handle = _checked(_LIBC.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0))
    _checked(_LIBC.connect(handle, address, len(address)))


def _pair(aim: dict) -> None:
    ends = (ctypes.c_int * 2)()
    _checked(_LIBC.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM, 0, ends))
    address = struct.pack("=H", socket.AF_UNIX) + os.fsencode(aim["datagrams"]) + b"\0"
    _checked(_LIBC.sendto(ends[0], b"x", 1, 0, address, len(address)))


def _bind(_: dict) -> None:
    socket.socket().bind(("127.0.0.1", 0))


def _listen(_: dict) -> None:
    _checked(_LIBC.listen(_checked(_LIBC.socket(socket.AF_INET, socket.SOCK_STREAM, 0)), 1))


def _memory(aim: dict) -> None:
    with open(f"/proc/{aim['runner']}/mem", "rb") as file:  # noqa: PTH123
        file.read(0)


def _cut(aim: dict) -> None:
    os.truncate(aim["secret"], 0)


def _attribute_at(aim: dict) -> None:
    value = ctypes.create_string_buffer(b"x", 1)
    told = ctypes.create_string_buffer(struct.pack("=QII", ctypes.addressof(value), 1, 0), 16)
    where = os.fsencode(aim["secret"])
    _checked(_LIBC.syscall(463, -100, where, 0, b"user.kept", told, 16))


def _daemon(aim: dict) -> str:
    """Leave a process that is nobody's child, in a session of its own."""
    read, write = os.pipe()
    if os.fork() == 0:
        os.setsid()
        pid = os.fork()
        if pid:
            os.write(write, str(pid).encode())
            os._exit(0)
        time.sleep(300)
        os._exit(0)
    os.wait()
    return os.read(read, 20).decode()


def _lying_port(aim: dict) -> None:
    global LIED_PORT
    LIED_PORT = aim["allowed"]
    socket.socket().connect(("127.0.0.1", Liar(aim["port"])))


DEEDS = {
    "child-python": _child_python,
    "child-curl": _child_curl,
    "native-tcp": lambda aim: _native(socket.SOCK_STREAM, aim),
    "native-udp": lambda aim: _native(socket.SOCK_DGRAM, aim),
    "fast-open": _fast_open,
    "lying-port": _lying_port,
    "raw-socket": lambda _: _socket_of(socket.AF_INET, socket.SOCK_RAW, 1),
    "packet-socket": lambda _: _socket_of(socket.AF_PACKET, socket.SOCK_RAW),
    "netlink-socket": lambda _: _socket_of(socket.AF_NETLINK, socket.SOCK_RAW),
    "io-uring": _uring,
    "unix-path": lambda aim: _unix(aim["path"]),
    "unix-abstract": lambda aim: _unix(b"\0" + aim["abstract"].encode()),
    "unix-pair": _pair,
    "bind": _bind,
    "listen": _listen,
    "read-dataset": lambda aim: Path(aim["dataset"]).read_bytes()[:1].decode(),
    "read-secret": lambda aim: Path(aim["secret"]).read_text(),
    "read-shadow": lambda _: Path("/etc/shadow").read_text(),
    "list-home": lambda _: sorted(Path("/root" if os.getuid() == 0 else "/home").iterdir()),
    "child-reads": lambda aim: subprocess.run(["cat", aim["secret"]], check=True),
    "parent-environ": lambda _: Path(f"/proc/{os.getppid()}/environ").read_bytes(),
    "runner-environ": lambda aim: Path(f"/proc/{aim['runner']}/environ").read_bytes(),
    "runner-command": lambda aim: Path(f"/proc/{aim['runner']}/cmdline").read_bytes(),
    "runner-memory": _memory,
    "write-elsewhere": lambda aim: Path(aim["elsewhere"], "new").write_text("x"),
    "overwrite": lambda aim: Path(aim["secret"]).write_text("x"),
    "cut": _cut,
    "remove": lambda aim: Path(aim["secret"]).unlink(),
    "attribute": lambda aim: os.setxattr(aim["secret"], "user.kept", b"x"),
    "attribute-at": _attribute_at,
    "remove-attribute": lambda aim: os.removexattr(aim["secret"], "user.given"),
    "signal-parent": lambda _: os.kill(os.getppid(), signal.SIGCONT),
    "signal-runner": lambda aim: os.kill(aim["runner"], signal.SIGCONT),
    "limit-runner": lambda aim: resource.prlimit(aim["runner"], resource.RLIMIT_CORE, (0, 0)),
    "read-limits": lambda aim: resource.prlimit(aim["runner"], resource.RLIMIT_CORE),
    "priority-runner": lambda aim: os.setpriority(os.PRIO_PROCESS, aim["runner"], 19),
    "priority-user": lambda _: os.setpriority(os.PRIO_USER, 0, 19),
    "cores-runner": lambda aim: os.sched_setaffinity(aim["runner"], os.sched_getaffinity(0)),
    "schedule-runner": lambda aim: os.sched_setscheduler(
        aim["runner"], os.SCHED_OTHER, os.sched_param(0)
    ),
    "own-limits": lambda _: (
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
        os.nice(1),
        os.sched_setaffinity(0, os.sched_getaffinity(0)),
    ),
    "daemon": _daemon,
    "own-folder": lambda _: Path("mine").write_text("x"),
    "own-proc": lambda _: Path("/proc/self/status").read_bytes(),
}


class Escaping:
    """Does what it is told to."""

    name = "escaping"
    distribution = "requests"

    def run(self, episode: Episode) -> Answer:
        aim = json.loads(episode.utterance)
        try:
            result = DEEDS[aim["deed"]](aim)
        except (OSError, subprocess.CalledProcessError) as error:
            return Answer(f"failed: {error!r}")
        return Answer(f"worked: {result}"[:100])


ADAPTER = Escaping()
