"""The tokens of an episode, as LangChain counts them."""

from contextvars import ContextVar
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler, UsageMetadataCallbackHandler
from langchain_core.outputs import LLMResult

COUNTER: ContextVar[UsageMetadataCallbackHandler] = ContextVar("counter")
"""LangChain's own counter of the present episode."""


class Counting(BaseCallbackHandler):
    """Hands a model's calls to the present episode's counter.

    It stands at the models: a handler that is given to a graph is called for each of its steps,
    which takes a third of the episode's CPU time.
    """

    run_inline = True

    def on_llm_end(self, response: LLMResult, **told: Any) -> None:
        """Count one call."""
        COUNTER.get().on_llm_end(response, **told)
