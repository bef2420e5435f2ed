"""LoRA tuning of a causal language model. Needs the libraries of `ossia[finetune]`."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, get_peft_model
from torch.nn.functional import cross_entropy
from transformers import AutoModelForCausalLM, AutoTokenizer

from ossia.errors import UserError
from ossia.finetune.batches import IGNORED, Encoded, batches, encode
from ossia.finetune.examples import Example
from ossia.finetune.settings import Progress, Settings
from ossia_servers.local import EXTRA, TrainingFacts
from ossia_servers.local.generation import LocalGenerator, best_device, best_type, context_length

_REPORTS = 10
"""How often an epoch tells its loss."""

_LONGEST_STEP = 1.0
"""Longest gradient: a single odd example shall not undo what was learnt."""


@dataclass(frozen=True)
class Tuned:
    """A tuned model in memory.

    Attributes:
        generator: Answers with it.
        facts: How it came about.
    """

    generator: LocalGenerator
    facts: TrainingFacts

    def save(self, folder: Path) -> None:
        """Write the matrices that were learnt, and the tokenizer, into a folder."""
        self.generator.model.save_pretrained(str(folder))
        self.generator.tokenizer.save_pretrained(str(folder))


def finetune(
    base: str,
    learnt: Sequence[Example],
    held_out: Sequence[Example],
    settings: Settings,
    tell: Progress,
) -> Tuned:
    """Tune a model on examples; only the tokens of the answers are learnt.

    Args:
        base: Name or folder of a causal language model.
        learnt: Examples to learn from.
        held_out: Examples that only the loss is taken of.
        settings: How.
        tell: Is told the loss as it falls.

    Raises:
        UserError: the base model cannot be loaded, or an example does not fit it.
    """
    torch.manual_seed(settings.seed)
    device = settings.device or best_device()
    model, tokenizer = _load(base, settings, device)
    limit = context_length(model)
    data, kept = encode(tokenizer, learnt, limit), encode(tokenizer, held_out, limit)
    learning = [parameter for parameter in model.parameters() if parameter.requires_grad]
    tell(
        f"{len(data)} examples of up to {max(len(item.tokens) for item in data)} tokens,"
        f" {sum(p.numel() for p in learning):,} of {sum(p.numel() for p in model.parameters()):,}"
        f" parameters learn, on {device}"
    )
    before = _loss(model, kept, settings)
    if before is not None:
        tell(f"held-out loss {before:.4f} before the first step")
    loss, steps = _train(model, learning, data, kept, settings, tell)
    model.eval()
    facts = TrainingFacts(
        seed=settings.seed,
        epochs=settings.epochs,
        batch=settings.batch,
        learning_rate=settings.learning_rate,
        rank=settings.rank,
        alpha=settings.alpha,
        dropout=settings.dropout,
        steps=steps,
        loss=loss,
        held_out_before=before,
        held_out_after=_loss(model, kept, settings),
        libraries={name: version(name) for name in EXTRA},
    )
    return Tuned(LocalGenerator(model, tokenizer), facts)


def _load(base: str, settings: Settings, device: str) -> tuple[Any, Any]:
    try:
        model = AutoModelForCausalLM.from_pretrained(base, dtype=best_type(device))
        tokenizer = AutoTokenizer.from_pretrained(base)
        model = model.to(device)
    except (OSError, ValueError, RuntimeError) as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise UserError(f"the base model '{base}' cannot be loaded: {reason}") from None
    if settings.checkpointing:
        model.gradient_checkpointing_enable()
        model.enable_input_require_grads()
    config = LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )
    return get_peft_model(model, config), tokenizer


def _train(
    model: Any,
    learning: Sequence[Any],
    data: Sequence[Encoded],
    kept: Sequence[Encoded],
    settings: Settings,
    tell: Progress,
) -> tuple[float, int]:
    """Make all updates; returns the mean loss of the last epoch and the number of updates."""
    groups = -(-len(data) // settings.batch)
    total = groups * settings.epochs
    optimizer = torch.optim.AdamW(learning, lr=settings.learning_rate, weight_decay=0.0)
    rates = torch.optim.lr_scheduler.LambdaLR(optimizer, _Rate(total, settings.warm_up))
    mean = 0.0
    for epoch in range(1, settings.epochs + 1):
        model.train()
        losses: list[float] = []
        for number, group in enumerate(_groups(data, settings, epoch), start=1):
            losses.append(_update(model, group, settings.micro_batch))
            torch.nn.utils.clip_grad_norm_(learning, _LONGEST_STEP)
            optimizer.step()
            rates.step()
            optimizer.zero_grad()
            if number % max(1, groups // _REPORTS) == 0 or number == groups:
                step = (epoch - 1) * groups + number
                tell(f"epoch {epoch}, step {step}/{total}: loss {losses[-1]:.4f}")
        mean = sum(losses) / len(losses)
        held = _loss(model, kept, settings)
        tail = "" if held is None else f", held-out loss {held:.4f}"
        tell(f"epoch {epoch} done: mean loss {mean:.4f}{tail}")
    return mean, total


def _groups(data: Sequence[Encoded], settings: Settings, epoch: int) -> Iterator[Sequence[Encoded]]:
    """Yield the examples of one update each, in an order that follows from seed and epoch."""
    order = list(data)
    random.Random(settings.seed * 1_000_003 + epoch).shuffle(order)
    for start in range(0, len(order), settings.batch):
        yield order[start : start + settings.batch]


def _update(model: Any, group: Sequence[Encoded], size: int) -> float:
    """Sum the gradients of one update's examples; returns the mean loss of a token."""
    count = sum(len(item.tokens) - item.learnt for item in group)
    whole = 0.0
    for batch in batches(group, size):
        # Divided by the tokens of the whole update, so that memory does not decide on weights.
        loss = _summed_loss(model, batch) / count
        loss.backward()
        whole += float(loss.detach())
    return whole


def _summed_loss(model: Any, batch: dict[str, Any]) -> Any:
    """The loss of the answers' tokens alone, summed."""
    placed = {name: tensor.to(model.device) for name, tensor in batch.items()}
    labels = placed.pop("labels")
    scores = model(**placed).logits[:, :-1].float()
    return cross_entropy(
        scores.reshape(-1, scores.shape[-1]),
        labels[:, 1:].reshape(-1),
        ignore_index=IGNORED,
        reduction="sum",
    )


def _loss(model: Any, data: Sequence[Encoded], settings: Settings) -> float | None:
    """Return the mean loss of an answer's token, or None without data."""
    if not data:
        return None
    model.eval()
    with torch.inference_mode():
        whole = sum(
            float(_summed_loss(model, batch)) for batch in batches(data, settings.micro_batch)
        )
    return whole / sum(len(item.tokens) - item.learnt for item in data)


class _Rate:
    """The learning rate's share of its highest value: a short rise, then a steady fall."""

    def __init__(self, total: int, warm_up: float) -> None:
        self._total = total
        self._rise = max(1, round(total * warm_up))

    def __call__(self, step: int) -> float:
        if step < self._rise:
            return (step + 1) / self._rise
        return max(0.0, (self._total - step) / max(1, self._total - self._rise))
