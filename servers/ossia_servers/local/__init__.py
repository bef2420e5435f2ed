"""Tuned language models of one's own: their card, their prompts, and serving them on loopback.

Only `generation` needs the optional libraries of `ossia[finetune]`; it is imported where a model is
really loaded.
"""

from ossia_servers.local.card import (
    CARD_FILE,
    CARD_VERSION,
    CardError,
    DataFacts,
    ModelCard,
    TrainingFacts,
    read_card,
    write_card,
)
from ossia_servers.local.extra import EXTRA, missing_extra
from ossia_servers.local.prompt import Chat, prompt_text

__all__ = [
    "CARD_FILE",
    "CARD_VERSION",
    "EXTRA",
    "CardError",
    "Chat",
    "DataFacts",
    "ModelCard",
    "TrainingFacts",
    "missing_extra",
    "prompt_text",
    "read_card",
    "write_card",
]
