"""The network guard: names the addresses beside the gateway and the servers that are tried.

It is an audit hook, so it sees every connection made through Python's own sockets, whichever
library makes it, and refuses it with its address, which the operating system does not tell. Native
code and child processes are beyond it: what holds them is in `ossia_adapter.confinement`.
"""

import errno
import socket
import sys
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["Guard", "parse_address"]

_ADDRESSED = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_LOOKED_UP = frozenset({"socket.gethostbyname", "socket.gethostbyaddr"})
_KINDS: dict[int, str] = {socket.SOCK_DGRAM: "udp socket", socket.SOCK_RAW: "raw socket"}
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

    def __init__(
        self, allow: Iterable[str], report: Callable[[str], None], *, streams_only: bool = False
    ) -> None:
        """Prepare the guard; it does nothing until it is installed.

        Args:
            allow: The allowed addresses, each ``host:port``.
            report: Called with ``host:port`` for each refused call, in the thread that made it.
            streams_only: Whether the operating system refuses to make an internet socket of any
                kind but TCP, so that no address is ever known: such a socket is reported itself.

        Raises:
            ValueError: An address is not ``host:port``.
        """
        pairs = [parse_address(text) for text in allow]
        self._allowed = frozenset(
            (name, port) for host, port in pairs for name in _LOOPBACK_NAMES.get(host, (host,))
        )
        self._hosts = frozenset(host for host, _ in self._allowed)
        self._report = report
        self._streams_only = streams_only

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
        elif event == "socket.__new__" and self._streams_only:
            self._check_kind(args[1], args[2])

    def check_address(self, address: object) -> None:
        """Check the address of a connection.

        Args:
            address: As a socket takes it: a tuple that begins with host and port, or the path
                of a Unix socket.

        Raises:
            ConnectionRefusedError: It is not allowed.
        """
        # The built-in types' own methods: a class derived from one may lie about what it holds,
        # and the socket takes what it holds.
        if isinstance(address, tuple) and tuple.__len__(address) >= 2:
            host, port = (tuple.__getitem__(address, place) for place in (0, 1))
            name, number = _name(host), int.__index__(port) if isinstance(port, int) else None
            if (name, number) not in self._allowed:
                self._refuse(f"{name}:{_name(port)}")
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
        anyone = number in {"0", ""}
        if anyone:
            allowed = name in self._hosts
        else:
            allowed = number.isdecimal() and (name, int(number)) in self._allowed
        if not allowed:
            self._refuse(f"{name}:{0 if anyone else number}")

    def _check_kind(self, family: int, kind: int) -> None:
        internet = family in (socket.AF_INET, socket.AF_INET6)
        if internet and kind & 0xF != socket.SOCK_STREAM:
            self._refuse(_KINDS.get(kind & 0xF, "other socket"))

    def _refuse(self, address: str) -> None:
        self._report(address)
        raise ConnectionRefusedError(
            errno.ECONNREFUSED, f"connections to {address} are not allowed in a worker"
        )


def _name(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bytes):
        text = bytes.decode(value, "utf-8", "replace")
    elif isinstance(value, bytearray):
        text = bytearray.decode(value, "utf-8", "replace")
    elif isinstance(value, int):
        text = int.__repr__(value)
    else:
        text = str.__str__(value) if isinstance(value, str) else str(value)
    return text.casefold()
