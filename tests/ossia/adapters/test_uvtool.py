"""What is told of the installer's output."""

import sys

import pytest

from ossia.adapters.uvtool import excerpt, run_uv, summary

HASHES = "           sha256:" + "0" * 64 + "\n"


@pytest.mark.parametrize("told", [summary, excerpt])
def test_the_cause_is_told_however_many_hashes_follow(told):
    output = "error: Hash mismatch for `requests`\n\n  Expected:\n" + HASHES * 200
    text = told(output + "\n  Computed:\n    sha256:21\n")
    assert text.startswith("error: Hash mismatch for `requests`")
    assert text.rstrip().endswith("sha256:21")
    assert len(text) < 4_010


def test_a_short_output_is_told_whole():
    assert summary("error:\n  no\n") == "error: no"
    assert excerpt("error:\n  no\n") == "error:\n  no\n"


# A shell cannot be ended by what it was started to ignore, as in the background.
BY_SIGNAL = (
    "import os, signal; signal.signal(signal.SIGINT, signal.SIG_DFL);"
    " os.kill(os.getpid(), signal.SIGINT)"
)


@pytest.mark.parametrize("end", [f"exec {sys.executable} -c '{BY_SIGNAL}'", "exit 130"])
def test_an_installer_that_ctrl_c_has_ended_is_no_failed_installation(tmp_path, monkeypatch, end):
    tool = tmp_path / "uv"
    tool.write_text(f"#!/bin/sh\n{end}\n")
    tool.chmod(0o755)
    monkeypatch.setattr("uv.find_uv_bin", lambda: str(tool))
    with pytest.raises(KeyboardInterrupt):
        run_uv("pip", "install")
