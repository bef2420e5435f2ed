"""The network guard: a worker reaches the gateway and the servers, and nothing else.

It is an audit hook, so it sees every connection made through Python's own sockets, whichever
library makes it. It is a check on frameworks that call home, not a wall against hostile code:
native code with sockets of its own and child processes are beyond it.
"""

import errno
import sys
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["Guard", "parse_address"]

_ADDRESSED = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_LOOKED_UP = frozenset({"socket.gethostbyname", "socket.gethostbyaddr"})
_LOOPBACK_NAMES = {"localhost": ("localhost", "127.0.0.1", "::1")}


def parse_address(text: str) -> tuple[str, int]:
    """Split ``host:port``; an IPv6 host may stand in brackets.

    Raises:
        ValueError: There is no port, or it is no port number.
    """
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) < 65_536:
        raise ValueError(f"{text!r} is not host:port")
    return host.strip("[]").casefold(), int(port)


class Guard:
    """Refuses every connection except to the allowed addresses.

    A refused call gets ``ConnectionRefusedError``, the error that libraries expect from a
    network, after the refusal has been reported.
    """

    def __init__(self, allow: Iterable[str], report: Callable[[str], None]) -> None:
        """Prepare the guard; it does nothing until it is installed.

        Args:
            allow: The allowed addresses, each ``host:port``.
            report: Called with ``host:port`` for each refused call, in the thread that made it.

        Raises:
            ValueError: An address is not ``host:port``.
        """
        pairs = [parse_address(text) for text in allow]
        self._allowed = frozenset(
            (name, port) for host, port in pairs for name in _LOOPBACK_NAMES.get(host, (host,))
        )
        self._hosts = frozenset(host for host, _ in self._allowed)
        self._report = report

    def install(self) -> None:
        """Put the guard in force for the rest of this process; it cannot be taken away."""
        sys.addaudithook(self._hook)

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        if not event.startswith("socket."):
            return
        if event in _ADDRESSED:
            # sendmsg and sendto on a connected socket carry no address: connect was checked.
            if len(args) > 1 and args[1] is not None:
                self.check_address(args[1])
        elif event == "socket.getaddrinfo":
            self.check_name(args[0], args[1])
        elif event in _LOOKED_UP:
            self.check_name(args[0], None)

    def check_address(self, address: object) -> None:
        """Check the address of a connection.

        Args:
            address: As a socket takes it: a tuple that begins with host and port, or the path
                of a Unix socket.

        Raises:
            ConnectionRefusedError: It is not allowed.
        """
        if isinstance(address, tuple) and len(address) >= 2:
            if (_name(address[0]), address[1]) not in self._allowed:
                self._refuse(f"{_name(address[0])}:{address[1]}")
        else:
            self._refuse(f"unix:{_name(address)}")

    def check_name(self, host: object, port: object) -> None:
        """Check a name that is to be looked up.

        Args:
            host: The name or the numeric address.
            port: The port; ``None`` or 0 when any port of the host is meant.

        Raises:
            ConnectionRefusedError: It is not allowed.
        """
        name, number = _name(host), _name(port)
        if not port or number in {"0", ""}:
            allowed = name in self._hosts
        else:
            allowed = number.isdecimal() and (name, int(number)) in self._allowed
        if not allowed:
            self._refuse(f"{name}:{number if port else 0}")

    def _refuse(self, address: str) -> None:
        self._report(address)
        raise ConnectionRefusedError(
            errno.ECONNREFUSED, f"connections to {address} are not allowed in a worker"
        )


def _name(value: object) -> str:
    if isinstance(value, bytes | bytearray):
        value = value.decode("utf-8", "replace")
    return "" if value is None else str(value).casefold()
