"""Loading a tuned model and letting it answer. Needs the libraries of `ossia[finetune]`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer

from ossia_servers.local.card import CARD_FILE, CardError, read_card
from ossia_servers.local.prompt import prompt_text

LONGEST_ANSWER = 512
"""Most tokens of an answer where the request does not say: an intent needs fewer than a hundred."""


class TooLong(ValueError):
    """A prompt does not fit the model; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Generated:
    """An answer.

    Attributes:
        text: Its words.
        prompt_tokens: Tokens read.
        completion_tokens: Tokens written.
        finished: Whether the model ended by itself.
    """

    text: str
    prompt_tokens: int
    completion_tokens: int
    finished: bool


def best_device() -> str:
    """Return the fastest device of this machine: `cuda`, `mps` or `cpu`."""
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def best_type(device: str) -> torch.dtype:
    """Return the numbers that a device reckons well with."""
    half = device == "cuda" and torch.cuda.is_bf16_supported()
    return torch.bfloat16 if half else torch.float32


class LocalGenerator:
    """A causal language model with its tokenizer; answers greedily, so equal prompts are equal.

    One call at a time: it is not thread-safe.
    """

    def __init__(self, model: Any, tokenizer: Any) -> None:
        """Wrap what was loaded.

        Args:
            model: A causal language model of transformers or peft.
            tokenizer: Its tokenizer.
        """
        self.model = model
        self.tokenizer = tokenizer

    @classmethod
    def load(cls, folder: Path, device: str | None = None) -> LocalGenerator:
        """Load a tuned model, or any causal language model that was saved whole.

        Args:
            folder: What `ossia model finetune` wrote, or a folder with a `config.json`.
            device: Where it reckons; by default the fastest there is.

        Raises:
            CardError: If the folder holds neither.
            OSError: If weights or the base model are missing.
            ValueError: If they do not fit each other.
        """
        device = device or best_device()
        tuned = (folder / CARD_FILE).is_file()
        if not tuned and not (folder / "config.json").is_file():
            read_card(folder)
            raise CardError(f"{folder} holds no model.")
        source = read_card(folder).base if tuned else str(folder)
        model = AutoModelForCausalLM.from_pretrained(source, dtype=best_type(device))
        if tuned:
            model = PeftModel.from_pretrained(model, str(folder)).merge_and_unload()
        return cls(model.to(device).eval(), AutoTokenizer.from_pretrained(str(folder)))

    def answer(
        self, messages: Sequence[Mapping[str, Any]], most_tokens: int = LONGEST_ANSWER
    ) -> Generated:
        """Answer a conversation.

        Args:
            messages: As in the OpenAI interface.
            most_tokens: Longest answer.

        Raises:
            TooLong: If the prompt leaves no room for an answer.
        """
        prompt = encode_prompt(self.tokenizer, messages)
        room = context_length(self.model) - len(prompt)
        if room < 1:
            raise TooLong(
                f"The prompt has {len(prompt)} tokens, and the model reads "
                f"{context_length(self.model)} at most."
            )
        tokens = torch.tensor([prompt], device=self.model.device)
        end = self.tokenizer.eos_token_id
        with torch.inference_mode():
            written = self.model.generate(
                tokens,
                attention_mask=torch.ones_like(tokens),
                max_new_tokens=min(most_tokens, room),
                do_sample=False,
                num_beams=1,
                temperature=None,
                top_p=None,
                top_k=None,
                pad_token_id=end if self.tokenizer.pad_token_id is None else None,
            )[0][len(prompt) :].tolist()
        finished = bool(written) and written[-1] == end
        text = self.tokenizer.decode(written, skip_special_tokens=True).strip()
        return Generated(text, len(prompt), len(written), finished)


def context_length(model: Any) -> int:
    """Return the most tokens that a model can read and write together."""
    known = getattr(model.config, "max_position_embeddings", None)
    return known if isinstance(known, int) else 1 << 20


def encode_prompt(tokenizer: Any, messages: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the tokens of a conversation up to the answer, the same for training and serving."""
    # A template writes the beginning of a text itself.
    special = not tokenizer.chat_template
    text = prompt_text(tokenizer, messages)
    return list(tokenizer(text, add_special_tokens=special)["input_ids"])
