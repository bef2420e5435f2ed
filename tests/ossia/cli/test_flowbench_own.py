"""A scenario of one's own, which is in no folder of the installation: made, proven and played."""

import json
import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[3] / "docs" / "workflows.md"


@pytest.fixture
def own(tmp_path):
    """A folder with the scenario of the guide."""
    (example,) = re.findall(r"^```toml\n(.*?)^```$", GUIDE.read_text("utf-8"), re.M | re.S)
    folder = tmp_path / "own" / "desk"
    folder.mkdir(parents=True)
    (folder / "loan-renewal.toml").write_text(example, "utf-8")
    return folder.parent


@pytest.mark.slow
@pytest.mark.framework("control")
def test_the_scenario_of_the_guide_is_played_in_conversations(ossia, own):
    def run(*arguments):
        done = ossia(*arguments, OSSIA_SCENARIOS=str(own))
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "no findings" in run("workflow", "check", "loan-renewal")
    made = run("dataset", "generate-sessions", "--own", "10", "--out", "made")
    assert made.startswith("made/test/library_desk.jsonl: 10 sessions, hash ")
    checked = run("dataset", "check", "--suite", "flowbench", "made/test")
    assert "52 scenarios without a finding" in checked
    assert "10 of 10 sessions proven" in checked
    # All ways of the scenario: what nobody could draw by chance is drawn on purpose.
    assert "; 10 of 10 ways taken" in checked
    for model, reached in (("gold", 10), ("idle", 0)):
        play = ("compare", "--suite", "flowbench", "--tasks", "made/test", "-f", "control")
        (line,) = json.loads(run(*play, "--model", model, "--json"))["frameworks"]
        assert (line["success"]["count"], line["invalid"]) == (reached, 0)
    refused = ossia("compare", "--suite", "flowbench", "--tasks", "made/test", "-f", "control")
    assert refused.returncode == 2
    assert "library_desk has no scenario 'loan-renewal'" in refused.stderr


def test_a_folder_that_cannot_be_used_is_refused_in_one_line(ossia, own, tmp_path):
    def refused(folder):
        done = ossia(
            *("dataset", "generate-sessions", "--own", "1", "--out", "made"),
            OSSIA_SCENARIOS=str(folder),
        )
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1
        assert not (tmp_path / "made").exists()
        return done.stderr

    assert "there is no folder" in refused(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    assert "there are no scenarios of your own" in refused(tmp_path / "empty")
    file = own / "desk" / "loan-renewal.toml"
    text = file.read_text("utf-8")
    (own / "ride-booking.toml").write_text(text, "utf-8")
    assert "a scenario ride-booking ships with Ossia" in refused(own)
    (own / "ride-booking.toml").unlink()
    (own / "renewal-two.toml").write_text(
        text.replace('gives = { fines = "number"', 'gives = { fines = "text"'), "utf-8"
    )
    assert "renewal-two" in refused(own)
