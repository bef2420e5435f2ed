"""Where the published data lies, for tests that replay it."""

from functools import cache
from pathlib import Path

import pytest

from ossia_dataset.workbench.published import Published, read_published

DATA = Path(__file__).parents[4] / "shared/data/workbench"

needs_data = pytest.mark.skipif(
    not (DATA / "processed").is_dir(),
    reason="the published WorkBench data is not there (../shared/data/workbench)",
)


@cache
def published() -> Published:
    return read_published(DATA)
