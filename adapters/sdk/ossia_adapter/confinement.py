"""What a worker may do, put in force by the operating system before the adapter is imported."""

import mimetypes
import os
import ssl
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from ossia_adapter import landlock, seccomp

__all__ = ["confine", "readable"]

_SYSTEM = (
    *("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"),
    *("/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec"),
    *("/usr/share", "/usr/local/bin", "/usr/local/lib", "/usr/local/lib64", "/usr/local/share"),
    *("/etc/alternatives", "/etc/ca-certificates", "/etc/pki", "/etc/ssl/certs"),
    *("/etc/ssl/openssl.cnf", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d"),
    *(
        "/etc/localtime",
        "/etc/timezone",
        "/etc/os-release",
        "/etc/debian_version",
        "/etc/lsb-release",
    ),
    *("/etc/hosts", "/etc/host.conf", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/gai.conf"),
    *("/etc/protocols", "/etc/services", "/etc/passwd", "/etc/group", "/etc/mime.types"),
    *("/dev/urandom", "/dev/random", "/dev/zero"),
    *("/sys/devices/system", "/sys/fs/cgroup", "/sys/kernel/mm/transparent_hugepage"),
    *("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/uptime"),
    *("/proc/filesystems", "/proc/version", "/proc/sys"),
)
# Holds what others have installed too, and perhaps a project: only what is listed is read.
_SHARED = frozenset(map(Path, ("/", "/usr", "/usr/local")))


def readable(hidden: Iterable[Path]) -> Iterator[Path]:
    """Yield what a worker may read beside its own folder.

    Args:
        hidden: What it may not read, even where it lies inside of the rest.
    """
    known = sysconfig.get_paths()
    libraries = sysconfig.get_config_var("LIBDIR")
    certificates = ssl.get_default_verify_paths()
    places = [sys.prefix, sys.base_prefix, known["stdlib"], known["platstdlib"], *sys.path]
    places += [libraries or "", *map(str, mimetypes.knownfiles), f"/proc/{os.getpid()}"]
    places += [certificates.openssl_cafile, certificates.openssl_capath]
    wanted = {Path(place) for place in places if place} - _SHARED
    covered = frozenset(path.resolve() for path in hidden)
    for path in sorted(wanted | set(map(Path, _SYSTEM))):
        if path.exists():
            yield from _without(path.resolve(), covered)


def _without(path: Path, hidden: frozenset[Path]) -> Iterator[Path]:
    """Yield a place, or, where something in it is hidden, everything in it but that."""
    if path in hidden:
        return
    if not any(path in each.parents for each in hidden):
        yield path
        return
    for child in path.iterdir():
        if not child.is_symlink():
            yield from _without(child, hidden)


def confine(
    folder: Path,
    ports: Sequence[int],
    hidden: Iterable[Path] = (),
    *,
    probe: Callable[[], int] = landlock.abi,
    filtered: Callable[[], bool] = seccomp.enforce,
) -> list[str]:
    """Confine this process for the rest of its life, as far as the system can.

    Only the calling thread and what it starts from here on are confined, so there must be no other.

    Args:
        folder: Where it may write; it must be there.
        ports: The ports to which it may make TCP connections.
        hidden: What it may not read, even where it lies inside of what it otherwise may.
        probe: Tells the version of Landlock.
        filtered: Puts the filter of system calls in force, and tells whether it is.

    Returns:
        What is enforced: of `files`, `tcp`, `signals` and `sockets`.
    """
    enforced = []
    version = probe()
    if version >= 1:
        try:
            _restrict(version, folder, ports, hidden)
        except OSError:
            version = 0
    for name, since in (
        ("files", landlock.FILES_ABI),
        ("tcp", landlock.TCP_ABI),
        ("signals", landlock.SIGNALS_ABI),
    ):
        if version >= since:
            enforced.append(name)
    if filtered():
        enforced.append("sockets")
    return enforced


def _restrict(version: int, folder: Path, ports: Sequence[int], hidden: Iterable[Path]) -> None:
    rules = landlock.Ruleset(version)
    rules.read(readable(hidden))
    rules.write(Path("/dev/null"))
    rules.write(folder)
    rules.connect(ports)
    rules.enforce()
