"""The verdicts of recorded episodes: whoever changes one has to raise the scorer's version.

`golden/verdicts.jsonl` holds tasks with recorded traces, without their model calls, on which no
verdict rests; three were then spoilt by hand, to have every kind of verdict. What the scorer says
of them, and its version, is in `golden/verdicts.json`. After a raise,
`python tests/evaluation/test_verdicts.py` writes that file anew.
"""

import json
from pathlib import Path

from ossia_dataset.assistant.tasks import AssistantTask
from ossia_evaluation.assistant.scorer import AssistantScorer
from ossia_evaluation.worlds.score import SCORER_VERSION
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.trace import Trace

GOLDEN = Path(__file__).parents[1] / "golden"
EPISODES = GOLDEN / "verdicts.jsonl"
VERDICTS = GOLDEN / "verdicts.json"


def present():
    """The present scorer's version and verdicts, as they are written down."""
    scorer = AssistantScorer(load_domains())
    found = {}
    for line in EPISODES.read_text("utf-8").splitlines():
        item = json.loads(line)
        score = scorer.score(
            AssistantTask.model_validate(item["task"]), Trace.model_validate(item["trace"])
        )
        found[item["task"]["id"]] = [score.verdict.value, score.clarification, score.reason]
    return {"scorer": SCORER_VERSION, "verdicts": found}


def test_a_verdict_changes_only_with_the_version_of_the_scorer():
    pinned, found = json.loads(VERDICTS.read_text("utf-8")), present()
    changed = {
        task: (pinned["verdicts"].get(task), verdict)
        for task, verdict in found["verdicts"].items()
        if pinned["verdicts"].get(task) != verdict
    }
    assert not changed, "raise SCORER_VERSION, say in the changelog why, and write the file anew"
    assert found == pinned, "the version was raised: write the file anew"


def test_the_pinned_verdicts_are_of_all_kinds():
    verdicts = json.loads(VERDICTS.read_text("utf-8"))["verdicts"]
    assert len(verdicts) >= 40
    assert {verdict for verdict, _, _ in verdicts.values()} == {"success", "failure", "invalid"}
    reasons = " ".join(reason for _, _, reason in verdicts.values())
    for part in ("missing: ", "side effect: ", "was not asked", "told nothing"):
        assert part in reasons, part
    assert {asked for _, asked, _ in verdicts.values()} == {True, False}


if __name__ == "__main__":
    VERDICTS.write_text(json.dumps(present(), indent=1, ensure_ascii=False) + "\n", "utf-8")
