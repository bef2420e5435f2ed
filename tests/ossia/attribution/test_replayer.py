"""What replays episodes starts only adapters that are installed."""

import pytest

from ossia.adapters import find_adapter
from ossia.adapters.info import MARKER
from ossia.attribution.replayer import refuse_lacking
from ossia.errors import UserError


def test_adapters_that_cannot_be_started_are_named_together(tmp_path):
    infos = [find_adapter(name, tmp_path) for name in ("control", "langgraph")]
    with pytest.raises(UserError, match=r"not installed: control, langgraph; run .*l langgraph`"):
        refuse_lacking(infos)
    (tmp_path / "envs" / f"control-{'0' * 16}").mkdir(parents=True)
    (tmp_path / "envs" / f"control-{'0' * 16}" / MARKER).touch()
    with pytest.raises(UserError, match="out of date: control; run"):
        refuse_lacking(infos[:1])
