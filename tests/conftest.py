"""What holds for every test."""

import os

from hypothesis import settings

# The same examples each time, so that a suite that was green is green again on the same code;
# with OSSIA_EXPLORE set, other examples each time. A slow machine fails no example.
settings.register_profile("repeatable", derandomize=True, deadline=None)
if "OSSIA_EXPLORE" not in os.environ:
    settings.load_profile("repeatable")
