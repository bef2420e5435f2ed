"""Where the recorded cases lie, and turns made by hand."""

import json
from pathlib import Path

import pytest

from ossia_evaluation.flowbench.measures.published_turns import Sample

ORACLE = Path(__file__).parents[5] / "shared/data/flowbench/oracle.jsonl"

needs_data = pytest.mark.skipif(
    not ORACLE.is_file(),
    reason="the recorded FlowBench cases are not there (../shared/data/flowbench/oracle.jsonl)",
)

PROMPT = (
    "API: book\nAPI Description: Book a room\n"
    'Input parameters: {"room": {"type": "string", "enum": ["A1", "B2"]}, "n": {"type": "integer"},'
    ' "note": {"type": "string"}}\n\n'
    "Please note that the current time is: noon\n"
)


def cases() -> list[dict]:
    return [json.loads(line) for line in ORACLE.read_text("utf-8").splitlines()]


def call(name: str, parameters: object) -> str:
    return f"Thought: so\nAction: {name}\nAction Input: {json.dumps(parameters)}"


def sample(gold: dict, predict: str, id: str = "s_agent_turn1") -> Sample:
    return Sample(id, PROMPT, gold, predict)


def gold(name: str, parameters: object) -> dict:
    return {"Action": name, "Action Input": json.dumps(parameters)}


def line(gold: dict, predict: str, id: str = "s_agent_turn1") -> dict:
    return {
        "id": id,
        "messages": [{"role": "system", "content": PROMPT}],
        "apis": [],
        "gt_thought": gold,
        "gt_response": "ok",
        "predict": predict,
    }
