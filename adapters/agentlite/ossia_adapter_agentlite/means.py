"""What an agent of AgentLite is given: a role's model behind the gateway, and its tools."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from functools import cache

from agentlite.actions import BaseAction
from agentlite.llm.agent_llms import BaseLLM
from agentlite.llm.LLMConfig import LLMConfig
from openai import OpenAI

from ossia_adapter import Episode, Role

NO_PARAMETERS = {"none": "this action takes no parameters"}
"""What stands for an empty list of parameters, which the framework refuses."""


@cache
def shared_client() -> OpenAI:
    """Return the process's client; its key and address are never used: each episode has its own."""
    return OpenAI(api_key="unset", base_url="http://unset.invalid")


class GatewayLLM(BaseLLM):  # type: ignore[misc]
    """A role's model behind the episode's gateway."""

    def __init__(self, episode: Episode, role: Role) -> None:
        super().__init__(LLMConfig({"llm_name": episode.model(role.name), "temperature": 0.0}))
        self._client = shared_client().with_options(
            api_key=episode.api_key,
            base_url=episode.gateway_url,
            timeout=episode.limits.call_seconds,
        )

    def run(self, prompt: str) -> str:
        """Return what the model writes after the prompt, empty where it writes no text.

        Raises:
            openai.OpenAIError: the model did not answer.
        """
        completion = self._client.chat.completions.create(
            model=self.llm_name,
            messages=[{"role": "user", "content": prompt}],
            temperature=self.temperature,
        )
        return completion.choices[0].message.content or ""


class ToolAction(BaseAction):  # type: ignore[misc]
    """One of the SDK's tools as an action."""

    def __init__(self, tool: Callable[..., str]) -> None:
        self._tool = tool
        self._signature = inspect.signature(tool)
        parameters = dict.fromkeys(self._signature.parameters, "text")
        super().__init__(
            action_name=tool.__name__,
            action_desc=inspect.getdoc(tool) or "",
            params_doc=parameters or NO_PARAMETERS,
        )

    def __call__(self, **arguments: object) -> str:
        """Call the tool; arguments that do not fit are answered, as an observation, not raised."""
        if not self._signature.parameters:
            return self._tool()
        try:
            bound = self._signature.bind(**arguments)
        except TypeError as error:
            return json.dumps({"error": f"{self.action_name}: {error}"})
        return self._tool(*bound.args, **bound.kwargs)
