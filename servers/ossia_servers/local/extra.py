"""Whether the optional libraries are installed."""

from __future__ import annotations

from importlib.util import find_spec

EXTRA = ("torch", "transformers", "peft")
"""What the extra `ossia[finetune]` brings."""


def missing_extra() -> str | None:
    """Return one sentence on what is missing and how to install it, or None if nothing is."""
    lacking = [name for name in EXTRA if find_spec(name) is None]
    if not lacking:
        return None
    return (
        f"Models of one's own need {', '.join(lacking)}, which come with an extra: "
        "pip install 'ossia[finetune]'."
    )
