"""Five episodes of each of three frameworks, compared."""

import csv
import io
import json
from pathlib import Path

from ossia_evaluation.assistant.metrics import METRICS
from ossia_evaluation.compare import EpisodeRow, compare

NAMES = [metric.name for metric in METRICS]
GOLDEN = Path(__file__).parent / "golden" / "comparison.json"


def stored_in_version_6():
    """The golden comparison as version 6 stored it: all seconds were called latency."""
    text = GOLDEN.read_text("utf-8").replace("wall_p", "latency_p").replace("wall_s", "latency_s")
    stored = json.loads(text) | {"version": 6}
    for line in stored["frameworks"]:
        del line["jobs"], line["latency_s"]
    return stored


def row(framework, task, verdict, *, repeat=1, roles=(), price=None, wall=1.0, **more):
    """A line of an episode; `more` may hold fields and metrics by their names."""
    told = {
        "side_effects": False,
        "clarification": False,
        "slots_correct": verdict == "success",
        "intent_correct": True,
        "unread": False,
    }
    metrics = {name: more.pop(name, told.get(name)) for name in NAMES}
    if verdict == "invalid":
        metrics = dict.fromkeys(NAMES)
    values = {
        "episode": f"{framework}.{task}.{repeat}",
        "task": task,
        "groups": {"domain": task.split("-")[0], "intent": "alarm_set"},
        "framework": framework,
        "model": "m",
        "repeat": repeat,
        "verdict": verdict,
        "reason": "told",
        "metrics": metrics,
        "roles": roles,
        "ending": "answered",
        "calls": 10,
        "prompt_tokens": 90,
        "completion_tokens": 10,
        "tokens_estimated": False,
        "price_usd": price,
        "wall_s": wall,
        "jobs": 1,
        "cpu_s": 0.5,
        "model_s": 0.25,
        "forced": ("temperature=0.0",),
        "reported_tokens": None,
    }
    return EpisodeRow.model_validate({**values, **more})


ROWS = (
    row("one", "alarm-1", "success", price=0.25, wall=1.0, reported_tokens=50),
    row("one", "alarm-2", "success", price=0.25, wall=2.0, reported_tokens=100),
    row("one", "music-1", "failure", price=0.5, wall=3.0, roles=("intent", "time")),
    row("one", "music-2", "failure", price=0.5, wall=4.0, roles=("intent",), side_effects=True),
    row("one", "music-3", "invalid", price=99.0, wall=500.0, calls=1000),
    row("two", "alarm-1", "failure", roles=("framework",), clarification=True),
    row("two", "alarm-2", "success", price=0.5),
    row("two", "music-1", "success", price=0.5, tokens_estimated=True),
    row("two", "music-2", "failure", price=0.5, roles=("manager",)),
    row("two", "music-3", "success", price=0.5),
    row("three", "alarm-1", "invalid"),
)


def compared(rows=ROWS, order=("one", "two", "three")):
    return compare(
        rows,
        run="by-hand",
        frameworks={**dict.fromkeys(order, ""), "one": "one 1.0", "two": "two 2.0"},
        roles=("intent", "time", "manager"),
        planned=15,
        facts={"model": "m", "seed": "0"},
        metrics=METRICS,
    )


def read(text):
    """Return the lines of a CSV text by their columns."""
    return list(csv.DictReader(io.StringIO(text)))


PARTS = ("count", "of", "share", "low", "high")


def shares(line, name=""):
    """Return the columns of a share in a line."""
    return tuple(line[f"{name}_{part}" if name else part] for part in PARTS)
