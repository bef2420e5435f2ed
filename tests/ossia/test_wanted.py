"""What a user's words mean, beside what the tests of the command line show."""

from dataclasses import replace

import pytest

from ossia import wanted
from ossia.errors import UserError
from ossia.suites import find_suite
from ossia.wanted import wanted_budget
from ossia_servers.gateway import Budget


def test_a_suite_says_what_an_episode_may_spend_where_the_user_does_not(monkeypatch):
    suite = replace(find_suite("assistant"), budget=lambda: Budget(calls=7, tokens=80, seconds=9))
    monkeypatch.setattr(wanted, "find_suite", lambda name: suite)
    assert wanted_budget("assistant", None, 50, None, 9) == Budget(calls=7, tokens=50, seconds=9)
    with pytest.raises(UserError, match=r"--call-seconds 10 is longer than --max-seconds 9:"):
        wanted_budget("assistant", None, None, None, 10)
    with pytest.raises(UserError, match="--max-seconds is not a number of seconds: nan"):
        wanted_budget("assistant", None, None, float("nan"), None)
