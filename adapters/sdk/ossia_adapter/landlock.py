"""Landlock: what the Linux kernel lets this process and its children do with files and ports.

No privilege is needed, and nothing that runs later in the process or in a child of it, native code
included, can take a rule away. Each version of the interface (ABI) covers more than the one before.
"""

import ctypes
import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

__all__ = ["FILES_ABI", "SIGNALS_ABI", "TCP_ABI", "Ruleset", "abi"]

FILES_ABI = 3
"""From here on files are covered whole; before, a file could be cut short by its path."""
TCP_ABI = 4
SIGNALS_ABI = 6

# The same numbers on every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PATH_BENEATH, _NET_PORT = 1, 2
_PR_SET_NO_NEW_PRIVS = 38

_EXECUTE, _WRITE, _READ, _READ_FOLDER = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REFER, _TRUNCATE, _DEVICE = 1 << 13, 1 << 14, 1 << 15
_READING = _EXECUTE | _READ | _READ_FOLDER
_OF_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE | _DEVICE
_BIND, _CONNECT = 1 << 0, 1 << 1
_ABSTRACT_SOCKETS, _SIGNALS = 1 << 0, 1 << 1

# Kept for ever: the kernel may drop what it knows of an entry of /proc that nobody holds open.
_held: list[int] = []


class _Attributes(ctypes.Structure):
    _fields_ = (
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


class _Port(ctypes.Structure):
    _fields_ = (("allowed", ctypes.c_uint64), ("port", ctypes.c_uint64))


def _system(number: int, *arguments: int | ctypes.c_void_p) -> int:
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    given = (
        each if isinstance(each, ctypes.c_void_p) else ctypes.c_long(each) for each in arguments
    )
    result = int(call(ctypes.c_long(number), *given))
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"system call {number}: {os.strerror(error)}")
    return result


def _at(value: ctypes.Structure) -> ctypes.c_void_p:
    return ctypes.c_void_p(ctypes.addressof(value))


def abi() -> int:
    """Return the version of Landlock that the kernel offers; 0 where there is none."""
    if sys.platform != "linux":
        return 0
    try:
        return _system(_CREATE_RULESET, 0, 0, 1)
    except OSError:
        return 0


class Ruleset:
    """Rules in the making: what is not allowed is refused, once they are in force."""

    def __init__(self, version: int) -> None:
        """Begin with nothing allowed.

        Args:
            version: The ABI, at least 1.

        Raises:
            OSError: The kernel does not offer it.
        """
        # Renaming between folders came with 2, cutting short with 3, devices' controls with 5.
        known = (1 << 13) - 1
        for since, right in ((2, _REFER), (3, _TRUNCATE), (5, _DEVICE)):
            known |= right if version >= since else 0
        self._files = known
        network = _BIND | _CONNECT if version >= TCP_ABI else 0
        scoped = _ABSTRACT_SOCKETS | _SIGNALS if version >= SIGNALS_ABI else 0
        self._network = network
        attributes = _Attributes(known, network, scoped)
        self._rules = _system(_CREATE_RULESET, _at(attributes), ctypes.sizeof(attributes), 0)

    def read(self, paths: Iterable[Path]) -> None:
        """Allow reading and executing files, and all that is below folders.

        What is not there is passed over.
        """
        for path in paths:
            self._allow(path, _READING)

    def write(self, path: Path) -> None:
        """Allow everything with a file, or with all that is below a folder."""
        self._allow(path, self._files)

    def connect(self, ports: Iterable[int]) -> None:
        """Allow TCP connections to ports, on whichever host."""
        for port in ports if self._network else ():
            rule = _Port(_CONNECT, port)
            _system(_ADD_RULE, self._rules, _NET_PORT, _at(rule), 0)

    def enforce(self) -> None:
        """Put the rules in force for this thread and for all threads and children it starts.

        Raises:
            OSError: The kernel refuses.
        """
        zero = ctypes.c_ulong(0)
        one = ctypes.c_ulong(1)
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_NO_NEW_PRIVS, one, zero, zero, zero)
        _system(_RESTRICT_SELF, self._rules, 0)
        os.close(self._rules)

    def _allow(self, path: Path, rights: int) -> None:
        try:
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            return
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _OF_FILES
        rule = _Beneath(rights & self._files, descriptor)
        _system(_ADD_RULE, self._rules, _PATH_BENEATH, _at(rule), 0)
        if path.parts[:2] == ("/", "proc"):
            _held.append(descriptor)
        else:
            os.close(descriptor)
