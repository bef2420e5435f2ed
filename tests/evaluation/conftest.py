"""A browser for the tests of the report page."""

import os
import shutil
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def chromium(driver):
    """The system's browser, or the one that Playwright has installed."""
    found = next(filter(None, map(shutil.which, NAMES)), driver.chromium.executable_path)
    return Path(found) if os.access(found, os.X_OK) else None


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        path = chromium(driver)
        if path is None:
            pytest.skip(
                "no Chromium found; install one with `apt-get install chromium` or"
                " `.venv/bin/playwright install chromium`"
            )
        running = driver.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture
def watched(browser):
    """Open a page; what it complains of and asks for is kept in `complaints` and `asked`."""
    tabs = []

    def opened(url, **options):
        tab = browser.new_page(**options)
        tab.complaints, tab.asked = [], []
        tab.on("console", lambda message: tab.complaints.append(message.text))
        tab.on("pageerror", lambda error: tab.complaints.append(str(error)))
        tab.on("dialog", lambda dialog: tab.complaints.append(dialog.message))
        tab.on("request", lambda request: tab.asked.append(request.url))
        tab.goto(url)
        tabs.append(tab)
        return tab

    yield opened
    for tab in tabs:
        tab.close()
