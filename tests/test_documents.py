"""The documents: every link and every file that they name is there."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"\[[^\]]+\]\((?!https?:|mailto:)([^)\s]+)\)")
TESTED = re.compile(r"`(tests/[\w/.]+)`")
CODE = re.compile(r"^```.*?^```|^    [^\n]*$|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def documents():
    found = sorted(ROOT.rglob("*.md"))
    return [p for p in found if not any(d.startswith(".") for d in p.relative_to(ROOT).parts)]


def anchors(text):
    """The anchors of a document's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", title.lower()) for title in titles)
    return {title.strip().replace(" ", "-") for title in plain}


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_what_a_document_names_is_there(document):
    text = document.read_text("utf-8")
    missing = [name for name in TESTED.findall(text) if not (ROOT / name).exists()]
    for link in LINK.findall(CODE.sub("", text)):
        path, _, anchor = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        if not target.exists() or (anchor and anchor not in anchors(target.read_text("utf-8"))):
            missing.append(link)
    assert missing == []


SOURCE = re.compile(r"<!-- source: (\S+) -->\n```python\n(.*?)```\n<!-- end -->", re.DOTALL)


def test_sources_in_documents_are_the_files():
    shown = [
        (ROOT / path, text)
        for document in documents()
        for path, text in SOURCE.findall(document.read_text("utf-8"))
    ]
    assert shown, "the guide to suites shows one"
    for path, text in shown:
        assert text == path.read_text("utf-8"), path


def test_make_help_has_a_line_for_each_target():
    done = subprocess.run(
        ["make", "--no-print-directory", "help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    (phony,) = re.findall(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    told = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert set(told) == set(phony.split())
    assert max(map(len, told.values())) < 80
