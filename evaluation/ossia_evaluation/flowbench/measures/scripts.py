"""Who says what in the recorded simulations.

The recorded cases hold what came out, and of what went in the case's name alone. So what is said
here is ours, made to fit name and outcome; the recorded error of one case holds its first words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, cycle, repeat
from typing import Final

from ossia_evaluation.flowbench.measures.judging import Crash
from ossia_evaluation.flowbench.measures.loop import DONE, Players

__all__ = ["SCRIPTS", "Played", "Script"]

_MOST_USER_TURNS: Final = 400
"""The recording broke a session off whose user goes on for ever."""

_THOUGHT: Final = "Thought: intent=Book a flight, current_node={}. {}\n"
_ACTION: Final = "Action: {}\nAction Input: {}"
_ONE: Final = '{"n": 1}'
_CALL: Final = _THOUGHT.format("SK001", "call") + _ACTION.format("checkAvailability", _ONE)
_SAY: Final = _THOUGHT.format("SK002", "tell") + "Response: done"


def _call(parameters: str, *, said: str = "", tool: str = "checkAvailability") -> str:
    return f"Thought: call\n{said}{_ACTION.format(tool, parameters)}"


@dataclass(frozen=True)
class Script:
    """What each says; the user's last words are repeated, the assistant begins again.

    Attributes:
        assistant: The assistant's words.
        user: The user's words.
        tool: What a tool returns.
    """

    assistant: Sequence[str] = (_SAY,)
    user: Sequence[str] = ("go", DONE)
    tool: str = '{"ok": 1}'


@dataclass
class Played:
    """Plays a script and counts who is asked.

    Attributes:
        script: What is said.
        calls: How often each was asked.
    """

    script: Script
    calls: dict[str, int] = field(default_factory=lambda: {"user": 0, "func": 0, "assistant": 0})

    def players(self) -> Players:
        """Return who speaks; each begins at the beginning."""
        user = chain(self.script.user, repeat(self.script.user[-1]))
        return Players(
            user=self._asked("user", user),
            assistant=self._asked("assistant", cycle(self.script.assistant)),
            tool=self._asked("func", repeat(self.script.tool)),
            tools=("checkAvailability", "reserveFlight"),
        )

    def _asked(self, who: str, words: Iterable[str]) -> Callable[[], str]:
        said = iter(words)

        def ask() -> str:
            self.calls[who] += 1
            if self.calls["user"] > _MOST_USER_TURNS:
                raise Crash("KeyboardInterrupt: user loop limit")
            return next(said)

        return ask


SCRIPTS: Final[Mapping[str, Script]] = {
    "normal_then_DONE": Script((_CALL, _SAY, _SAY), ("go", "and then?", DONE)),
    "user_never_done": Script(user=("go",)),
    "DONE_inside_text": Script(user=("go", f"thank you {DONE} bye")),
    "assistant_always_calls (5 per turn)": Script((_CALL,), ("go",)),
    "one_call_each_turn": Script((_CALL, _SAY), ("go",)),
    "four_calls_each_turn": Script((*[_CALL] * 4, _SAY), ("go",)),
    "hallucinated_tool": Script((_call(_ONE, tool="bookMoon"),)),
    "function_sim_never_json": Script((_CALL,), tool="all is well"),
    "function_sim_markdown_json": Script((_CALL,), tool='```json\n{"ok": 1}\n```'),
    "assistant_no_thought": Script(("hello",)),
    "assistant_plain_text": Script(("Thought: hello",)),
    "nested_args": Script((_call('{"n": {"m":1}}'), _SAY)),
    "action_and_response_together": Script((_call(_ONE, said="Response: wait\n"), _SAY)),
    "user_DONE_first_forever": Script(user=(DONE,)),
    "no_params_properties_missing": Script((_call("{}"), _SAY)),
}
"""By the names of the recorded cases."""
