"""Where the published golds and the recorded scores lie."""

import json
from functools import cache
from pathlib import Path

import pytest

from ossia_dataset.worfbench import PublishedGold, read_worfbench
from ossia_evaluation.worfbench.plan import Plan

DATA = Path(__file__).parents[4] / "shared/data/worfbench"
ORACLE = DATA / "worfeval_oracle.jsonl"
PARSER = DATA / "worfeval_parser_oracle.jsonl"

needs_data = pytest.mark.skipif(
    not DATA.is_dir(),
    reason="the published WorFBench data is not there (../shared/data/worfbench)",
)


@cache
def golds() -> tuple[PublishedGold, ...]:
    return read_worfbench(DATA)


def cases(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def plan(given: dict) -> Plan:
    return Plan(tuple(given["nodes"]), tuple(map(tuple, given["edges"])))
