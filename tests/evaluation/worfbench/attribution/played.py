"""A planning team that is played in this process, and what its failures are attributed to."""

import asyncio
from dataclasses import dataclass, field

from ossia.attribution.attributor import Attributor
from ossia.suites.worfbench import plan_executor
from ossia_dataset.worfbench.tasks import PlanTask
from ossia_evaluation.grade import Verdict
from ossia_evaluation.worfbench.attribution.team import PlanTeamContracts
from ossia_evaluation.worfbench.grader import PlanGrader
from ossia_servers.gateway.records import Exchange, GatewayRecord, Timing
from ossia_servers.trace import Ending, EpisodeKey, EpisodeTiming, Trace
from ossia_servers.wire.names import user_says
from ossia_servers.wire.routing import FINISH, read_choice
from ossia_workflows.worfbench import TeamKind, members_of

ASK = "Who is next? Answer with one of decomposer, linker, critic, or finish."


def exchange(seq, role, body, message):
    """One call, as the gateway records it."""
    return Exchange(
        seq=seq,
        role=role,
        model="m",
        request=body,
        forced={},
        response=message,
        finish_reason="stop",
        usage=None,
        price_usd=None,
        status="ok",
        error=None,
        attempts=1,
        streamed=False,
        timing=Timing(started_s=0.0, latency_s=0.0),
    )


@dataclass
class Kitchen:
    """A framework: roles hear each other's words, but for what it loses on the way."""

    task: PlanTask
    kind: TeamKind = TeamKind.TEAM
    loses: tuple[tuple[str, str], ...] = ()
    keeps: int | None = None
    answer: str | None = None
    exchanges: list = field(default_factory=list)

    async def replay(self, key, script):
        self.exchanges, heard = [], []

        def ask(role, messages):
            body = {"model": f"ossia-{role}", "messages": messages}
            message = script.answer(role, body)
            self.exchanges.append(exchange(len(self.exchanges), role, body, message))
            return message

        said = user_says(self.task.utterance)
        members = members_of(self.kind)
        last = ""
        for _ in range(8):
            role = members[0]
            if self.kind is TeamKind.TEAM:
                told = "\n".join(f"{one}: {text}" for one, text in heard)
                prompt = f"user: {said}\n{told}\n{ASK}"
                chosen = ask("manager", [{"role": "user", "content": prompt}])
                role = read_choice(chosen, team=members)
            if role == FINISH or role not in members:
                break
            passed = [
                {"role": "user", "name": one, "content": text[: self.keeps]}
                for one, text in heard
                if (one, role) not in self.loses
            ]
            last = ask(role, [{"role": "user", "content": said}, *passed])["content"]
            heard.append((role, last))
            if self.kind is TeamKind.PLANNER:
                break
        return Trace(
            episode=key,
            ending=Ending(kind="answered"),
            answer=dict(heard).get(members[-1], last) if self.answer is None else self.answer,
            gateway=GatewayRecord(episode=key.id, exchanges=tuple(self.exchanges)),
            requests=(),
            timing=EpisodeTiming(wall_s=0.0, cpu_s=0.0),
        )


class Lines:
    """Says given words, by role and turn; the manager's are names."""

    def __init__(self, manager=(), **words):
        self.words = {"manager": [*(manager or ("decomposer", "linker", "critic")), "finish"]}
        self.words |= {
            role: [text] if isinstance(text, str) else text for role, text in words.items()
        }

    def answer(self, role, request):
        said = self.words[role]
        return {"role": "assistant", "content": said.pop(0) if len(said) > 1 else said[0]}


def attributed(script, kitchen):
    task = kitchen.task.id
    key = EpisodeKey(id=f"f.{task}.1", task=task, framework="f", model="m", repeat=1)
    executor = plan_executor()
    grader, contracts = PlanGrader(executor), PlanTeamContracts(kitchen.kind, executor)

    async def run():
        trace = await kitchen.replay(key, script)
        grade = grader.score(kitchen.task, trace)
        if grade.verdict is Verdict.SUCCESS:
            return contracts.near_miss(kitchen.task, trace)
        attributor = Attributor(kitchen, grader, contracts)
        return await attributor.attribute(kitchen.task, trace, grade)

    return asyncio.run(run())


def families(found):
    return {frozenset(family) for family in found.families}
