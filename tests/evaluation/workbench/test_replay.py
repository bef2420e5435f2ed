"""The published verdicts, observations and truths against our servers."""

import asyncio
import csv
import gzip
import itertools
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from ossia_dataset.workbench.database import NOW
from ossia_evaluation.workbench.actions import signatures
from ossia_evaluation.workbench.log import read_log, read_oracle, score_log
from ossia_evaluation.workbench.replay import HOME, Replayer
from ossia_servers.http.app import WORLD_HEADER, build_app
from ossia_servers.http.serving import serve
from ossia_servers.workbench import COMPAT_2024, observation, office_domains
from ossia_servers.worlds import WorldStore
from ossia_servers.worlds.diff import Diff
from tests.evaluation.workbench.support import DATA, needs_data, published
from tests.thinned import thinned

pytestmark = needs_data


def replayer() -> Replayer:
    data = published()
    return Replayer(lambda seed: data.database, data.database.seed)


def test_the_copy_is_the_release_of_2024():
    assert published().release == "wb-2024"
    assert len(published().tasks) == 690


@pytest.mark.slow
def test_every_recorded_run_has_the_published_verdicts_and_error_category():
    data, scorer = published(), replayer()
    agreed = 0
    for file in sorted((DATA / "results").rglob("*.csv")):
        oracle = read_oracle(DATA / "oracle", file)
        more = categories(file)
        for ours in score_log(file, read_log(file), data, scorer):
            theirs = oracle[ours.query]
            assert (ours.correct, ours.side_effects) == (theirs.correct, theirs.side_effects), ours
            error = "correct" if ours.category is None else ours.category.value
            assert (error, str(ours.exact)) == more[ours.query]
            agreed += 1
    assert agreed == 1380


def categories(file: Path) -> dict[str, tuple[str, str]]:
    """The oracle's error category without its ending, and its exact match, by query."""
    variant = "all" if "_all_" in file.name else "domains"
    path = DATA / f"oracle/{variant}__gpt-4__{file.parent.name}.csv"
    with path.open(encoding="utf-8", newline="") as source:
        return {
            row["query"]: (row["error_category"].split("/")[0], row["exact_match"])
            for row in csv.DictReader(source)
        }


@pytest.mark.slow
def test_truths_do_what_was_recorded_of_them():
    scorer = replayer()
    with gzip.open(DATA / "oracle/ground_truth.jsonl.gz", "rt", encoding="utf-8") as source:
        recorded = [json.loads(line) for line in source]
    assert [r["query"] for r in recorded if not r["actions"]] == [
        task.query for task in published_in_order(recorded) if not task.actions
    ]
    deltas = {(r["domain"], r["task_index"]): delta_of_record(r["delta"]) for r in recorded}
    assert len(deltas) == 690 and sum(map(Counter.total, deltas.values())) > 900
    assert any(count > 1 for delta in deltas.values() for count in delta.values())
    idle = 0
    for task in published().tasks:
        diff, skipped = scorer.run(task.actions)
        assert skipped == ()
        assert delta_of_diff(diff) == deltas[task.domain, task.index], task
        idle += not diff
        assert scorer.score(task.actions, task.actions).correct
    assert idle == 124


RECORDED_AS = {
    "calendar.events": ("calendar", "event_id"),
    "email.emails": ("email", "email_id"),
    "project_management.tasks": ("project_management", "task_id"),
    "customer_relationship_manager.customers": ("crm", "customer_id"),
}
"""What the recorder calls a table, and the column of its ids."""


def delta_of_record(recorded: list[list[Any]]) -> Counter[tuple[Any, ...]]:
    """A recorded delta as a multiset; each entry ends with how often it is there."""
    found: Counter[tuple[Any, ...]] = Counter()
    for *entry, count in recorded:
        cells = [tuple(part) if isinstance(part, list) else part for part in entry]
        # The order of columns is that of the recorder.
        head = 2 if cells[1] == "add" else len(cells)
        found[(*cells[:head], *sorted(cells[head:]))] += count
    return found


def as_recorded(column: str, value: Any) -> str:
    text = "none" if value is None else str(value)
    return text if column in ("status", "list_name", "board") else text.lower()


def delta_of_diff(diff: Diff) -> Counter[tuple[Any, ...]]:
    """What our servers changed, as the recorder writes it."""
    found: Counter[tuple[Any, ...]] = Counter()
    for change in diff.changes:
        if change.table not in RECORDED_AS:
            assert change.table == "analytics.plots" and change.kind == "added"
            found["plot", change.after["file_path"]] += 1
            continue
        name, key = RECORDED_AS[change.table]
        if change.kind == "added":
            row = {c: v for c, v in change.after.items() if c not in ("id", key)}
            found[(name, "add", *sorted((c, as_recorded(c, v)) for c, v in row.items()))] += 1
        elif change.kind == "removed":
            found[name, "del", change.before[key]] += 1
        else:
            for column in change.columns:
                value = as_recorded(column, change.after[column])
                found[name, "upd", change.before[key], column, value] += 1
    return found


def published_in_order(recorded: list[dict[str, Any]]) -> Iterator[Any]:
    by_place = {(task.domain, task.index): task for task in published().tasks}
    return (by_place[r["domain"], r["task_index"]] for r in recorded)


def observed() -> Iterator[tuple[tuple[str, ...], list[dict[str, Any]]]]:
    """Recorded calls of known tools, run by run."""
    with gzip.open(DATA / "oracle/observations.jsonl.gz", "rt", encoding="utf-8") as source:
        lines = [json.loads(line) for line in source]
    for key, group in itertools.groupby(
        lines, key=lambda o: (o["model"], o["variant"], o["domain"], str(o["task_index"]))
    ):
        yield key, [item for item in group if item["known_tool"]]


def params(call: dict[str, Any]) -> dict[str, str]:
    """A recorded call as the tool got it.

    The published framework dropped arguments that a tool does not have before it called it; an
    argument of null is one left out, and a list reached the logs as its text.
    """
    known = signatures()[call["tool"]]
    given = {k: v for k, v in call["input"].items() if k in known and v is not None}
    return {
        "intent": call["tool"].partition(".")[2],
        **{name: v if isinstance(v, str) else str(v) for name, v in given.items()},
    }


def answered(recorded: Any) -> Any:
    """A recorded answer; the recorder marks moments, which are texts with us, by `TS:`."""
    return json.loads(json.dumps(recorded).replace('"TS:', '"'))


async def replay(client: httpx.AsyncClient, runs: list[tuple[Any, Any]], method: str) -> int:
    count = 0
    for key, calls in runs:
        world = "-".join(key)
        seed = published().database.seed
        body = {"id": world, "seed": seed, "now": NOW.isoformat(), "home": HOME}
        assert (await client.post("/worlds", json=body)).status_code == 201
        for call in calls:
            path = "/" + call["tool"].partition(".")[0]
            headers = {WORLD_HEADER: world}
            if method == "GET":
                response = await client.get(path, params=params(call), headers=headers)
            else:
                response = await client.post(path, json=params(call), headers=headers)
            assert observation(response.json()) == answered(call["observation"]), (key, call)
            count += 1
    return count


@pytest.mark.slow
def test_every_third_run_is_answered_alike_by_the_http_handlers():
    async def run() -> int:
        domains = office_domains(lambda seed: published().database, COMPAT_2024)
        app = build_app(domains, WorldStore(domains))
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://office") as client:
            return await replay(client, runs, "GET")

    runs = thinned(list(observed()), 3)
    assert asyncio.run(run()) == sum(len(calls) for _, calls in runs) > 1_700


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_sample_of_observations_over_loopback(method):
    async def run() -> int:
        domains = office_domains(lambda seed: published().database, COMPAT_2024)
        async with (
            serve(build_app(domains, WorldStore(domains))) as url,
            httpx.AsyncClient(base_url=url) as client,
        ):
            return await replay(client, list(observed())[::40], method)

    assert asyncio.run(run()) > 100
