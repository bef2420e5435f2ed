"""What holds for every test."""

import gc
import os

from hypothesis import HealthCheck, settings

# The same examples each time, so that a suite that was green is green again on the same code, and
# few of them, as the same ones find nothing new. With OSSIA_EXPLORE set, other examples each time,
# and more. A slow machine fails no example.
settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=40)
settings.register_profile(
    "exploring", deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("exploring" if "OSSIA_EXPLORE" in os.environ else "repeatable")


# As for the command line: before numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A worker of pytest-xdist is told the width of the terminal, which commands would follow.
os.environ.pop("COLUMNS", None)


def pytest_collection_finish():
    """Let the garbage collector pass over what the collected tests are made of, which all stays."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000)
