"""The locks of an environment are its owner's: nobody else can keep a run waiting."""

import pytest

from ossia.adapters.held import exclusive, hold, lock_file


@pytest.mark.parametrize("before", [None, 0o644])
def test_no_other_user_can_open_the_lock(tmp_path, before):
    environment = tmp_path / "envs" / "control-1"
    path = lock_file(environment)
    if before is not None:
        path.parent.mkdir()
        path.touch()
        path.chmod(before)
    with exclusive(environment, wait=True):
        assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    hold(environment)
    assert path.stat().st_mode & 0o777 == 0o600
