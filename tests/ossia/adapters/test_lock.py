"""Known advisories of a lock, told by a stub in place of pip-audit, whose service is online."""

import json

import pytest

from ossia.adapters import advisories

FOUND = {
    "dependencies": [
        {"name": "openai", "version": "1.10.0", "vulns": []},
        {"name": "langchain", "version": "0.1.3", "vulns": [{"id": "PYSEC-1"}, {"id": "GHSA-2"}]},
        {"name": "odd", "skip_reason": "not on the index"},
    ]
}


@pytest.fixture
def answered(tmp_path, monkeypatch):
    """Let pip-audit print something and end with a code; return what is told."""

    def told(printed, code):
        (tmp_path / "answer").write_text(printed)
        tool = tmp_path / "pip-audit"
        shown = f'[ "$2" = requirements.lock ] && /bin/cat {tmp_path}/answer'
        tool.write_text(f"#!/bin/sh\n{shown}\nexit {code}\n")
        tool.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        return advisories(tmp_path)

    return told


def test_advisories_are_told_by_version(answered):
    assert answered(json.dumps(FOUND), 1) == "known advisories: langchain 0.1.3: PYSEC-1, GHSA-2"
    assert answered(json.dumps({"dependencies": []}), 0) == "known advisories: none"


@pytest.mark.parametrize("printed", ["", "[]", "{}", "ConnectionError", '{"dependencies": [1]}'])
def test_what_could_not_be_asked_is_never_none(answered, printed):
    assert answered(printed, 1) == (
        "known advisories could not be checked: pip-audit gave no result"
    )


def test_without_the_tool_nothing_is_asked(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert advisories(tmp_path) == (
        "known advisories were not checked: pip-audit is not on the PATH"
    )
