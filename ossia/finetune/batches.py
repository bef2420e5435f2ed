"""From examples to tensors: prompts that are read, and answers that are learnt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ossia.errors import UserError
from ossia.finetune.examples import Example
from ossia_servers.local.generation import encode_prompt

IGNORED = -100
"""Marks tokens that no loss is taken of."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """An example in tokens.

    Attributes:
        tokens: Prompt and answer.
        learnt: Where the answer begins; the loss is taken from there on.
    """

    tokens: tuple[int, ...]
    learnt: int


def encode(tokenizer: Any, examples: Sequence[Example], most_tokens: int) -> tuple[Encoded, ...]:
    """Return examples in tokens, each answer with the token that ends it.

    Args:
        tokenizer: The base model's.
        examples: What is to be learnt.
        most_tokens: How much the model can read.

    Raises:
        UserError: an example does not fit, or the tokenizer knows no end of a text.
    """
    end = tokenizer.eos_token_id
    if end is None:
        raise UserError("the base model's tokenizer has no token for the end of an answer")
    found = []
    for example in examples:
        prompt = encode_prompt(tokenizer, example.messages)
        answer = list(tokenizer(example.answer, add_special_tokens=False)["input_ids"])
        tokens = (*prompt, *answer, end)
        if len(tokens) > most_tokens:
            raise UserError(
                f"task {example.task} has {len(tokens)} tokens with its prompt, and the base"
                f" model reads {most_tokens}"
            )
        found.append(Encoded(tokens, len(prompt)))
    return tuple(found)


def batches(encoded: Sequence[Encoded], size: int) -> Iterator[dict[str, Any]]:
    """Yield examples as padded tensors, in their order.

    Args:
        encoded: The examples.
        size: How many go into one batch.
    """
    for start in range(0, len(encoded), size):
        group = encoded[start : start + size]
        width = max(len(item.tokens) for item in group)
        tokens = torch.zeros((len(group), width), dtype=torch.long)
        mask = torch.zeros((len(group), width), dtype=torch.long)
        labels = torch.full((len(group), width), IGNORED, dtype=torch.long)
        for row, item in enumerate(group):
            length = len(item.tokens)
            tokens[row, :length] = torch.tensor(item.tokens)
            mask[row, :length] = 1
            labels[row, item.learnt : length] = torch.tensor(item.tokens[item.learnt :])
        yield {"input_ids": tokens, "attention_mask": mask, "labels": labels}
