"""A suite of one's own: words to be spelt backwards. No servers, two members and a manager."""

from functools import partial
from pathlib import Path

import ossia
from ossia.runner.config import EpisodeLimits
from ossia.suite import Suite
from ossia_dataset.builtin import load_set
from ossia_dataset.tasks import Task
from ossia_evaluation.grade import Grade, Verdict
from ossia_evaluation.metrics import Metric
from ossia_servers.gateway import Completion, ModelCall, completion_of
from ossia_servers.trace import task_in
from ossia_servers.wire.conversation import read_conversation
from ossia_servers.wire.envelope import present
from ossia_servers.wire.turns import Turns
from ossia_workflows import Role, Team

DATA = Path(__file__).parent / "data"
MEMBERS = ("speller", "speaker")


class WordTask(Task):
    """A word, which a correct run spells backwards."""

    word: str

    @property
    def groups(self):
        """Words are grouped by their length."""
        return {"length": str(len(self.word))}


def team(task, domains):
    def role(name, does):
        return Role(name=name, description=does, prompt=f"You are the {name}. {does}")

    return Team(
        name="reversal",
        goal="Spell a word backwards.",
        manager="manager",
        final="speaker",
        roles=(
            role("manager", "Let the speller work first, then the speaker, and finish."),
            role("speller", "Spells a word backwards."),
            role("speaker", "Tells the user the result in a sentence."),
        ),
    )


class Player:
    """Plays the whole team: spells the word, or forgets its first letter where it is `sloppy`."""

    def __init__(self, name, tasks):
        self.name = name
        self._tasks = tasks
        self._turns = Turns()

    async def complete(self, call: ModelCall) -> Completion:
        asked = read_conversation(call.request, MEMBERS)
        word = self._tasks[task_in(call.episode)].word
        spelt = word[:0:-1] if self.name == "sloppy" else word[::-1]
        words = {"speller": spelt, "speaker": f"It is {spelt}."}
        if call.role == "manager":
            said = self._turns.manage(call.episode, asked, MEMBERS, words["speaker"])
        else:
            said = present(asked, words[call.role])
        return completion_of(said)


class WordGrader:
    """A reply that holds the word backwards is right; the speller is to blame where it does not."""

    def check(self, task):
        assert task.word.isalpha()

    def score(self, task, trace):
        if trace.infrastructure_failure is not None:
            return Grade(verdict=Verdict.INVALID, reason=trace.infrastructure_failure)
        right = task.word[::-1] in trace.answer
        return Grade(
            verdict=Verdict.SUCCESS if right else Verdict.FAILURE,
            reason="the word is spelt backwards" if right else "the word is spelt otherwise",
            metrics={"brevity": len(task.word) / max(1, len(trace.answer))},
        )


def score_command(run: str):
    """Count the words of a run that are spelt backwards, by their length."""
    found = {}
    for row in ossia.load(run).episodes:
        found.setdefault(row.groups["length"], []).append(row.verdict is Verdict.SUCCESS)
    for length, right in sorted(found.items()):
        print(f"{length} letters: {sum(right)} of {len(right)} spelt backwards")


def suite(name):
    return Suite(
        name=name,
        tasks=lambda source: load_set(source, DATA, WordTask),
        data=DATA,
        team=team,
        grader=lambda domains: WordGrader(),
        limits=lambda: EpisodeLimits(turns=6),
        players={player: partial(Player, player) for player in ("gold", "sloppy")},
        roles=MEMBERS,
        metrics=lambda: [Metric(name="brevity", title="brevity", better="higher")],
        commands={"score reversal": "reversal_suite:score_command"},
    )
