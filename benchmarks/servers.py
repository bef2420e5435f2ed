"""Domain servers: one process with durable worlds, against one Flask process a domain."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from benchmarks.designs import LOCAL, Design, flask_design, flask_python, ossia_design
from benchmarks.measure import Spread, pss_mib, ratios, rss_mib
from benchmarks.tables import Goal, Row, Table
from ossia_dataset.assistant.tasks import assistant_tasks
from ossia_dataset.tasks import DEFAULT_HOME, DEFAULT_NOW, Request
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.worlds import WorldStore
from ossia_servers.worlds.execute import execute

__all__ = ["request_mix", "servers"]

Bound = tuple[float, Literal["more", "less"]]
CONCURRENCIES = (1, 16, 64)
JUDGED = 16
RATE_GOAL = 1.8
CPU_GOAL = 0.35
MEMORY_GOAL = 1 / 5


@dataclass
class _Figures:
    """What was measured of one design, round by round."""

    ready_s: list[float] = field(default_factory=list)
    rates: dict[int, list[float]] = field(default_factory=dict)
    cpu_ms: dict[int, list[float]] = field(default_factory=dict)
    p99_ms: dict[int, list[float]] = field(default_factory=dict)
    pss: list[float] = field(default_factory=list)
    rss: list[float] = field(default_factory=list)
    bad: int = 0


def request_mix(most: int = 60) -> list[tuple[str, Request]]:
    """Return requests of the built-in tasks, reads and writes over the domains in turns.

    Args:
        most: How many at most.

    Returns:
        Methods and requests; reads are GET and writes POST. On a new world each is served.
    """
    domains = {d.name: d for d in load_domains() if d.name in LOCAL}
    store = WorldStore(tuple(domains.values()))
    by_kind: dict[tuple[str, bool], list[tuple[str, Request]]] = {}
    for number, task in enumerate(assistant_tasks("test")):
        requests = task.gold.gold_requests()
        if task.setup or len(requests) != 1 or requests[0].domain not in domains:
            continue
        request = requests[0]
        domain = domains[request.domain]
        world = store.create(str(number), seed="home", now=DEFAULT_NOW, home=DEFAULT_HOME)
        done = execute(store, world, domain, request.params)
        if done.status == 200:
            intent = domain.intent(request.params["intent"])
            writes = intent is not None and intent.writes
            chosen = by_kind.setdefault((domain.name, writes), [])
            chosen.append(("POST" if writes else "GET", request))
    store.close()
    mix: list[tuple[str, Request]] = []
    for place in range(most):
        mix += [chosen[place] for chosen in by_kind.values() if place < len(chosen)]
    return mix[:most]


def servers(home: Path, *, quick: bool) -> Table:
    """Measure both designs in turns, each time from a cold start.

    Args:
        home: The folder of Ossia's environments; Flask gets one of its own in it.
        quick: Few requests, for a first look.

    Returns:
        The table.
    """
    rounds, seconds = (1, 1.0) if quick else (3, 3.0)
    python = flask_python(home)
    domains = load_domains()
    local = [domain for domain in domains if domain.name in LOCAL]
    mix = request_mix()
    ours, theirs = _Figures(), _Figures()
    for _ in range(rounds):
        _round(lambda folder: ossia_design(domains, folder), mix, seconds, ours)
        _round(lambda folder: flask_design(python, local, folder), mix, seconds, theirs)
    writes = sum(method == "POST" for method, _ in mix)
    return Table(
        "Domain servers: one process with durable worlds, or one Flask process for each domain",
        ("figure", "Ossia, 1 process", f"{len(local)} Flask processes", "ratio"),
        tuple(_rows(ours, theirs)),
        (
            f"{rounds} rounds in turns, each from a cold start; {len(mix)} different requests to"
            f" {len({request.domain for _, request in mix})} domains, {writes} of them writes."
            " Ossia commits every request to SQLite, and makes and deletes a world after every 20"
            " requests, which takes time but is not counted; the Flask processes check and store"
            " nothing. Memory is PSS: a page that processes share is counted once.",
        ),
    )


def _round(
    start: Callable[[Path], AbstractContextManager[Design]],
    mix: Sequence[tuple[str, Request]],
    seconds: float,
    figures: _Figures,
) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="ossia-bench-") as folder,
        start(Path(folder)) as design,
    ):
        figures.ready_s.append(design.ready_s)
        for concurrency in CONCURRENCIES:
            count, cpu = design.fire(mix, concurrency, most=20_000, seconds=seconds)
            figures.rates.setdefault(concurrency, []).append(count.requests / count.seconds)
            figures.cpu_ms.setdefault(concurrency, []).append(1000 * cpu / count.requests)
            figures.p99_ms.setdefault(concurrency, []).append(count.p99_ms)
            figures.bad += count.requests - count.good
        figures.pss.append(pss_mib(design.pids))
        figures.rss.append(rss_mib(design.pids))


def _rows(ours: _Figures, theirs: _Figures) -> list[Row]:
    rows = []
    for concurrency in CONCURRENCIES:
        pair = ours.rates[concurrency], theirs.rates[concurrency]
        goal: Bound | None = (RATE_GOAL, "more") if concurrency == JUDGED else None
        rows.append(_row(f"requests/s, {concurrency} at once", pair, 0, goal))
    cpu = ours.cpu_ms[JUDGED], theirs.cpu_ms[JUDGED]
    rows += [
        _row("99th percentile ms, 16 at once", (ours.p99_ms[JUDGED], theirs.p99_ms[JUDGED]), 1),
        _row("CPU ms a request, 16 at once", cpu, 2, (CPU_GOAL, "less")),
        _row("memory MiB (PSS)", (ours.pss, theirs.pss), 0, (MEMORY_GOAL, "less")),
        _row("memory MiB (RSS)", (ours.rss, theirs.rss), 0),
        _row("seconds until ready", (ours.ready_s, theirs.ready_s), 2),
        Row(("answers other than 200", str(ours.bad), str(theirs.bad), "")),
    ]
    return rows


def _row(
    name: str,
    pair: tuple[list[float], list[float]],
    digits: int,
    goal: Bound | None = None,
) -> Row:
    ratio = ratios(*pair)
    ours, theirs = (Spread.of(side).text(digits) for side in pair)
    judged = None if goal is None else Goal(ratio.median, *goal)
    return Row((name, ours, theirs, ratio.text()), judged)
