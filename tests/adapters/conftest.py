from collections.abc import Iterator

import pytest

from .support.kept import KeptStages, kept_stages


@pytest.fixture(scope="module")
def stages() -> Iterator[KeptStages]:
    """Stages whose workers the tests of a module share, one for each adapter."""
    with kept_stages() as kept:
        yield kept
