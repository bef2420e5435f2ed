import sys
from pathlib import Path

import pytest

from ossia.worker import WorkerSpec

ROOT = Path(__file__).resolve().parents[3]
# The package is a distribution of its own, installed in the environments of adapters only.
sys.path.insert(0, str(ROOT / "adapters" / "sdk"))


@pytest.fixture
def spec():
    """Make the start data of a worker that plays on one of the rough adapters."""
    modules = (ROOT / "adapters/sdk", Path(__file__).parent / "modules")

    def make(attribute: str = "PLAIN") -> WorkerSpec:
        return WorkerSpec(
            python=Path(sys.executable),
            entry=f"rough_adapters:{attribute}",
            switches={"PYTHONPATH": ":".join(map(str, modules)), "A_SWITCH": "off"},
        )

    return make


@pytest.fixture
def wire():
    """Make an episode as it goes over the wire."""

    def make(utterance: str, episode_id: str = "e1") -> dict:
        role = {"description": "", "prompt": "", "tools": []}
        return {
            "id": episode_id,
            "utterance": utterance,
            "gateway_url": "http://127.0.0.1:9/v1",
            "api_key": "key",
            "servers_url": "http://127.0.0.1:9",
            "world": "w",
            "limits": {"turns": 5, "tool_rounds": 2, "call_seconds": 1.0},
            "team": {
                "name": "t",
                "goal": "",
                "manager": "manager",
                "final": "answer",
                "roles": [{"name": "manager", **role}, {"name": "answer", **role}],
            },
        }

    return make
