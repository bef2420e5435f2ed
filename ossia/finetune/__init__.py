"""Tuning a language model of one's own for the intent role.

`examples` makes the training data and needs nothing; `training` needs the libraries of
`ossia[finetune]` and is imported only by the command that trains.
"""

from ossia.finetune.examples import Example, intent_examples, refuse_test_tasks, split
from ossia.finetune.settings import Progress, Settings

__all__ = [
    "Example",
    "Progress",
    "Settings",
    "intent_examples",
    "refuse_test_tasks",
    "split",
]
