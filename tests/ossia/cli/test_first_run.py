"""From the first comparison to the open report, with nothing but what is printed."""

import re
import subprocess

import pytest

pytestmark = pytest.mark.framework("control")


def test_the_hints_run_as_printed_without_an_active_environment(ossia, environ, tmp_path):
    bare = {**environ, "PATH": "/usr/bin:/bin"}
    done = ossia("run", "control", "--limit", "3", PATH=bare["PATH"])
    assert done.returncode == 0, done.stderr
    found = re.search(r"^Report \(HTML, CSV, JSON\): (.+)$", done.stdout, re.MULTILINE)
    assert found, done.stdout

    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n')
    browser.chmod(0o755)
    report = subprocess.run(
        found[1],
        shell=True,
        cwd=tmp_path,
        env={**bare, "BROWSER": str(browser)},
        capture_output=True,
        text=True,
    )
    assert report.returncode == 0, report.stderr
    page = (tmp_path / "opened").read_text().strip()
    assert page.startswith("file:///")
    assert page.endswith("/report/report.html")

    refused = ossia("show", "nothing", "--run", "nowhere", PATH=bare["PATH"])
    assert refused.returncode == 2


def test_a_report_that_cannot_be_opened_says_where_it_is(ossia):
    assert ossia("run", "control", "--limit", "2").returncode == 0
    done = ossia("report", "--open", PATH="/nowhere", BROWSER="")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^open in a browser: file:///\S+/report\.html$", done.stderr, re.MULTILINE)
