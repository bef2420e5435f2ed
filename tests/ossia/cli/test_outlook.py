"""`ossia attribute` says before it starts how many failures it can look into."""

import json

import pytest

pytestmark = pytest.mark.framework("control")

RUN = ("run", "control", "--limit", "2", "--jobs", "2", "--model", "offline:noise=0.9,seed=1")


@pytest.mark.parametrize(("suite", "told"), [("assistant-compound", True), ("assistant", False)])
def test_failures_of_compound_tasks_are_told_before_the_work(ossia, suite, told):
    done = ossia(*RUN, "--suite", suite)
    assert done.returncode == 0, done.stderr
    found = ossia("attribute", "--json")
    assert found.returncode == 0, found.stderr
    items = json.loads(found.stdout)["attributions"]
    assert items
    assert {item["status"] == "unsupported" for item in items} == {told}
    said = f"0 of {len(items)} failures can be attributed: the others"
    assert (said in found.stderr) is told
