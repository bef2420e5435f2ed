"""A seccomp filter for what Landlock leaves open: sockets but TCP's, attributes, others' limits.

It is a small program that the Linux kernel runs before each system call of this process and of
its children. It sees numbers alone: that a connection goes to an allowed port is Landlock's part.
"""

import ctypes
import errno
import platform
import socket
import sys
from dataclasses import dataclass

__all__ = ["enforce"]

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _FILTER_MODE = 38, 22, 2
_LOAD, _AND, _RETURN = 0x20, 0x54, 0x06
_IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT = 0x15, 0x35, 0x45
_ALLOW = 0x7FFF0000
_REFUSE = 0x00050000 | errno.EACCES
_UNKNOWN = 0x00050000 | errno.ENOSYS
# The other way to make system calls on x86_64, with numbers of its own.
_X32 = 0x40000000
_FAST_OPEN = 0x20000000
"""A flag with which sending connects, unseen by Landlock."""

_PRIO_PROCESS, _IOPRIO_PROCESS = 0, 1

_Line = tuple[int, int, int, int]


@dataclass(frozen=True)
class _Machine:
    """The numbers of one architecture."""

    audit: int
    socket: int
    socketpair: int
    sending: tuple[tuple[int, int], ...]
    """Calls that send, with the place of their flags."""
    limiting: tuple[int, ...]
    """prlimit64, sched_setparam, sched_setscheduler, sched_setaffinity and sched_setattr, by whose
    first argument a process sets limits of another: one CPU second, say, which ends it."""
    setpriority: int
    ioprio_set: int
    refused: tuple[int, ...]
    """listen; add_key, request_key and keyctl, which read the user's keyring; io_uring_setup,
    whose requests no filter sees; setxattr, removexattr and their like, for which a file may be
    one that Landlock lets nobody write to."""


_MACHINES = {
    "x86_64": _Machine(
        audit=0xC000003E,
        socket=41,
        socketpair=53,
        sending=((44, 3), (46, 2), (307, 3)),
        limiting=(302, 142, 144, 203, 314),
        setpriority=141,
        ioprio_set=251,
        refused=(50, 248, 249, 250, 425, 188, 189, 190, 197, 198, 199, 463, 466),
    ),
    "aarch64": _Machine(
        audit=0xC00000B7,
        socket=198,
        socketpair=199,
        sending=((206, 3), (211, 2), (269, 3)),
        limiting=(261, 118, 119, 122, 274),
        setpriority=140,
        ioprio_set=30,
        refused=(201, 217, 218, 219, 425, 5, 6, 7, 14, 15, 16, 463, 466),
    ),
}


def _argument(place: int) -> _Line:
    return _LOAD, 0, 0, 16 + 8 * place


def _only(*allowed: int) -> list[_Line]:
    """Go on when what is loaded is one of these, else refuse."""
    count = len(allowed)
    lines = [(_IF_EQUAL, count - place, 0, each) for place, each in enumerate(allowed)]
    return [*lines, (_RETURN, 0, 0, _REFUSE)]


def _program(machine: _Machine) -> list[_Line]:
    kind = [_argument(1), (_AND, 0, 0, 0xF), *_only(socket.SOCK_STREAM)]
    allow = (_RETURN, 0, 0, _ALLOW)
    refuse = (_RETURN, 0, 0, _REFUSE)
    tcp = [*_only(socket.AF_INET, socket.AF_INET6), *kind, _argument(2), *_only(0, 6), allow]
    parts = {
        machine.socket: [_argument(0), *tcp],
        # Datagrams of such a pair could be sent to any other socket of the machine.
        machine.socketpair: [_argument(0), *_only(socket.AF_UNIX), *kind, allow],
        **{call: [refuse] for call in machine.refused},
        # Of the process itself or the thread that asks, which is named by 0.
        **{call: [_argument(0), *_only(0), allow] for call in machine.limiting},
        machine.setpriority: [_argument(0), *_only(_PRIO_PROCESS), _argument(1), *_only(0), allow],
        machine.ioprio_set: [_argument(0), *_only(_IOPRIO_PROCESS), _argument(1), *_only(0), allow],
        **{
            call: [_argument(flags), (_IF_ANY_BIT, 0, 1, _FAST_OPEN), refuse, allow]
            for call, flags in machine.sending
        },
    }
    other = (_RETURN, 0, 0, _UNKNOWN)
    lines: list[_Line] = [(_LOAD, 0, 0, 4), (_IF_EQUAL, 1, 0, machine.audit), other]
    lines += [(_LOAD, 0, 0, 0), (_IF_AT_LEAST, 0, 1, _X32), other]
    for call, part in parts.items():
        lines += [(_IF_EQUAL, 0, len(part), call), *part]
    return [*lines, allow]


class _Instruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("true", ctypes.c_uint8),
        ("false", ctypes.c_uint8),
        ("value", ctypes.c_uint32),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("lines", ctypes.POINTER(_Instruction)))


def enforce() -> bool:
    """Put the filter in force for this thread and for all threads and children it starts.

    Returns:
        Whether it is: not so on another system or architecture than Linux on x86_64 or aarch64,
        or where the kernel refuses.
    """
    machine = _MACHINES.get(platform.machine())
    if sys.platform != "linux" or machine is None or sys.maxsize < 2**32:
        return False
    lines = _program(machine)
    program = _Program(
        len(lines), (_Instruction * len(lines))(*(_Instruction(*line) for line in lines))
    )
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    one, zero = ctypes.c_ulong(1), ctypes.c_ulong(0)
    prctl(_PR_SET_NO_NEW_PRIVS, one, zero, zero, zero)
    return bool(prctl(_PR_SET_SECCOMP, ctypes.c_ulong(_FILTER_MODE), ctypes.byref(program)) == 0)
