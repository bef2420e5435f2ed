"""The members of the assistant's team."""

from typing import Final

MEMBERS: Final = ("intent", "time", "location", "url", "request", "response")
"""The roles that its manager can choose from, in the order of the work."""
