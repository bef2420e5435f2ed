"""A user for whom a language model speaks: it is told the session's agenda, and nothing else.

What only the services know is in none of its prompts: a slot's value that the agent has to offer
first is told when the agent has named it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib import resources
from string import Template
from typing import Final

from pydantic import JsonValue

from ossia_dataset.flowbench.sessions import AsideKind, Move, SessionTask, Wish
from ossia_servers.flowbench.agenda import offered_slots
from ossia_servers.flowbench.spoken import says, spoken
from ossia_servers.flowbench.walk import Visit
from ossia_servers.gateway import Ask, Message, Unanswered
from ossia_servers.trace import UserTurn
from ossia_workflows.scenario import Scenario

__all__ = ["END_TOKEN", "LlmUser"]

END_TOKEN: Final = "[END]"
"""A message of the model's that holds it ends the session."""

_TRIES: Final = 3
_LONGEST_WORDS: Final = 4_000
_LONGEST_HEARD: Final = 20_000
_SHORT: Final = 3
"""So many words, such as `yes`, may come twice in a row."""

_SENTENCE: Final = re.compile(r"(?<=[.:!?])\s+|\n")
_LEAST_WORDS: Final = 8
"""So many words in a row are an instruction of the prompt's, and not by chance the model's own."""

_LEAKED: Final = "Your last try showed your instructions."
_KNOWN: Final = "You know, and tell when you are asked for it:"
_PART: Final = "The agent's part is"
_DECISIONS: Final = "You decide, one after the other, each when it comes up:"

_ACTS: Final[Mapping[str, str]] = {
    "accepts": "accept",
    "declines": "decline",
    "chooses": "choose",
    "changes": "change your mind",
    "asks": "ask to know more about it before you decide",
    "disputes": "say that this is not right",
}
_OTHERWISE: Final = "neither accept nor decline"

_ASIDES: Final[Mapping[AsideKind, str]] = {
    AsideKind.OFF_TOPIC: "This time do not answer: ask about something that has nothing to do with"
    " what you want.",
    AsideKind.REFUSES: "This time do not answer: say that you do not want to tell that yet.",
    AsideKind.IMPATIENT: "This time do not answer: ask impatiently how long it will take.",
}


class LlmUser:
    """The user of one attempt at a session; plays `ossia.user.User`."""

    def __init__(
        self,
        session: SessionTask,
        scenarios: Mapping[str, Scenario],
        visits: Sequence[Visit],
        ask: Ask,
    ) -> None:
        """Set up.

        Args:
            session: the session.
            scenarios: its scenarios by name.
            visits: its gold run, which tells what the agent has to offer before it is chosen.
            ask: puts messages to the model.
        """
        self._session = session
        self._ask = ask
        self._asides = {aside.turn: aside.kind for aside in session.asides}
        # What one wish is about may have been chosen in the one before.
        offered = {
            spoken(value)
            for number, wish in enumerate(session.wishes)
            for _, value in offered_slots(
                [each for each in visits if each.wish == number], wish, scenarios[wish.scenario]
            )
        }
        self._wishes = [_Brief(wish, scenarios[wish.scenario], offered) for wish in session.wishes]

    async def reply(self, turns: Sequence[UserTurn]) -> str | None:
        """Return what the user says next, or None at the end of the conversation.

        Args:
            turns: The conversation so far.

        Raises:
            Unanswered: The model gives no answer, or none that can be used in three tries.
        """
        if len(turns) >= self._session.most_turns:
            return None
        note = _ASIDES[self._asides[len(turns)]] if len(turns) in self._asides else ""
        wrong = ""
        for _ in range(_TRIES):
            words = await self._ask(self.messages(turns, f"{note}\n{wrong}".strip()))
            wrong = _what_is_wrong(words, turns)
            if END_TOKEN in words and wrong != _LEAKED:
                return None
            if not wrong:
                return words
        raise Unanswered(f"{_TRIES} times nothing that could be used; {wrong}")

    def messages(self, turns: Sequence[UserTurn], note: str = "") -> list[Message]:
        """Return what the model is asked with.

        Args:
            turns: The conversation so far.
            note: What holds for the next message alone.
        """
        heard = [_heard(turn.answer) for turn in turns]
        known = "\n".join(heard)
        wishes = (
            f"{number + 1}. {brief.text(known, self._opening(number))}"
            for number, brief in enumerate(self._wishes)
        )
        prompt = _template().substitute(
            agent=self._session.role.replace("_", " "),
            agenda="\n".join(wishes),
            end=END_TOKEN,
            note=f"\n# For your next message alone\n\n{note}\n" if note else "",
        )
        said: list[Message] = [
            {"role": "system", "content": prompt},
            {"role": "user", "content": "(The agent is ready. Begin.)"},
        ]
        for turn, answer in zip(turns, heard, strict=True):
            said.append({"role": "assistant", "content": turn.user})
            said.append({"role": "user", "content": answer or "(The agent says nothing.)"})
        return said

    def _opening(self, number: int) -> str:
        return self._session.wishes[number].words if number else self._session.utterance


class _Brief:
    """One wish, as its user is told of it."""

    def __init__(self, wish: Wish, scenario: Scenario, offered: Collection[str]) -> None:
        self._wish = wish
        self._scenario = scenario
        self._offered = offered

    def text(self, heard: str, words: str) -> str:
        """Return it in lines.

        Args:
            heard: What the agent has said so far.
            words: How the user comes up with it, if that is given.
        """
        lines = [f"{self._scenario.name}." + (f' You begin: "{words}"' if words else "")]
        known = [self._slot(*slot, heard) for slot in self._wish.slots.items()]
        if known:
            lines += [f"   {_KNOWN}", *known]
        moves = [self._move(move, heard) for move in self._wish.moves]
        if moves:
            lines += [f"   {_DECISIONS}", *moves]
        return "\n".join(lines)

    def _slot(self, name: str, value: JsonValue, heard: str) -> str:
        told = " (you have said so in your first words)" if name in self._wish.told else ""
        return f"   - {self._scenario.slots[name].about}: {self._value(value, heard)}{told}"

    def _move(self, move: Move, heard: str) -> str:
        task = self._scenario.steps[move.step].task.rstrip(".")
        what = "; ".join(
            f"{self._scenario.slots[name].about}: {self._value(value, heard)}"
            for name, value in move.slots.items()
        )
        act = _ACTS.get(move.act, _OTHERWISE)
        return f"   - {_PART}: {task}. Then {act}{f', {what}' if what else ''}."

    def _value(self, value: JsonValue, heard: str) -> str:
        """A slot's value, where the user can know it by now."""
        if spoken(value) in self._offered and not says(heard, value):
            return "one that the agent has not named yet; until then ask what there is"
        return spoken(value)


def _heard(answer: str) -> str:
    """What the agent says; it cannot end the session with the user's own token."""
    return answer[:_LONGEST_HEARD].replace(END_TOKEN, "").strip()


def _what_is_wrong(words: str, turns: Sequence[UserTurn]) -> str:
    """Why words cannot be used, as it is told to the model; empty where they can."""
    if not words:
        return "Your last try was empty."
    plain, last = _plain(words[:_LONGEST_HEARD]), turns[-1]
    # First, since what is shown of the prompt may hold the token that ends the session.
    if any(instruction in plain for instruction in _instructions()):
        return _LEAKED
    if len(words) > _LONGEST_WORDS:
        return f"Your last try had more than {_LONGEST_WORDS} characters."
    before = turns[-2].answer if len(turns) > 1 else ""
    # To an agent that says nothing new there may be nothing new to say.
    fresh = _plain(last.answer) not in ("", _plain(before))
    if len(plain.split()) > _SHORT and fresh and plain in (_plain(last.user), _plain(last.answer)):
        return "Your last try repeated what was said just before."
    return ""


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", text.casefold()).strip()


@cache
def _instructions() -> tuple[str, ...]:
    """What the prompt says to every user, sentence by sentence, in plain words."""
    text = _template().template
    parts = re.split(r"\$\w+", f"{text}\n{_KNOWN}\n{_DECISIONS}")
    said = (_plain(each) for part in parts for each in _SENTENCE.split(part))
    return (_plain(_PART), *(each for each in said if len(each.split()) >= _LEAST_WORDS))


@cache
def _template() -> Template:
    return Template((resources.files(__package__) / "llm_user.txt").read_text("utf-8"))
