"""An adapter that somebody has just made is attributed like those that come with Ossia."""

import json

import pytest

from .test_adapter import environ, home, made
from .test_attribute import failed_tasks

__all__ = ["environ", "home", "made"]

pytestmark = pytest.mark.framework("control")


def test_a_failure_of_a_new_adapter_is_attributed(ossia, made, tmp_path):
    model = failed_tasks(tmp_path)
    done = ossia("run", "./mine", "--tasks", "tasks.jsonl", "--model", model)
    assert done.returncode == 0, done.stderr
    result = json.loads(ossia("attribute", "--json").stdout)
    (found,) = result["attributions"]
    assert (found["episode"], found["framework"]) == ("mine.wake.1", "mine")
    assert (found["status"], found["families"]) == ("attributed", [["time#1"]])
    assert found["evidence"].startswith("*time* turned 'half past seven' into 19:30; ")
    shown = ossia("blame", "mine.wake.1")
    assert "2. time#1 repaired: success" in shown.stdout, shown.stderr
