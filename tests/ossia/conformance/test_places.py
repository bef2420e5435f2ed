"""The suite whose team plays the scenes."""

import pytest

from ossia.conformance import places
from ossia.errors import UserError


def test_the_first_suite_with_scenes_plays_them():
    places.scenes_suite.cache_clear()
    assert places.scenes_suite().name == "assistant"


def test_without_a_suite_that_has_any_a_check_says_so(monkeypatch):
    places.scenes_suite.cache_clear()
    monkeypatch.setattr(places, "usable_suites", lambda: ({}, ()))
    with pytest.raises(UserError, match="no suite brings the tasks that adapters are checked with"):
        places.scenes_suite()
