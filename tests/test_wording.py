"""Sentences that readers stumbled over stay out of what is printed and of the guides."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = (
    "ossia",
    "servers",
    "dataset",
    "workflows",
    "evaluation",
    "adapters",
    "benchmarks",
    "docs",
)
ENDINGS = {".py", ".md", ".j2"}
RIDDLES = (
    "go on where it stopped",
    "goes on where it stopped",
    "no model judges",
    "in no denominator",
    "a price that is not known is a dash",
    "took the sentence for",
    "which nobody had said",
    "enough alone",
    "in every repair",
    "had a part at all",
    "as if nothing had happened",
    "counted and not looked into",
    "measured outside of",
    "which was not to be done",
    'was passed on"',
    "would do as well",
)


def texts():
    yield ROOT / "README.md", (ROOT / "README.md").read_text("utf-8")
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            parts = path.relative_to(ROOT).parts
            if path.suffix in ENDINGS and not any(part.startswith(".") for part in parts):
                yield path, path.read_text("utf-8")


@pytest.fixture(scope="module")
def written():
    return {path: " ".join(text.split()) for path, text in texts()}


@pytest.mark.parametrize("riddle", RIDDLES)
def test_no_riddle_is_written(written, riddle):
    assert len(written) > 100
    assert [str(path) for path, text in written.items() if riddle in text] == []
