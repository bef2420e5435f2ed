"""A scorer that expects something wrong, as where a task's gold is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import parse_qsl, urlsplit

from ossia_dataset.tasks import Request
from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.assistant.scorer import AssistantScore, AssistantScorer
from ossia_evaluation.grade import Verdict
from ossia_evaluation.worlds.gold import GoldError
from ossia_servers.assistant.offline.faults import FaultMaker, FaultType, Scene
from ossia_servers.trace import Trace
from ossia_servers.worlds.domain import Domain


class WrongGoldScorer(AssistantScorer):
    """Scores by gold requests that the right ones do not give; the contracts stay right."""

    def __init__(self, domains: Sequence[Domain], fault_maker: FaultMaker) -> None:
        """Make a scorer that expects the right gold of every task.

        Args:
            domains: the domain servers.
            fault_maker: alters the gold requests.
        """
        super().__init__(domains)
        self._fault_maker = fault_maker
        self._expected: dict[str, WorldTask] = {}

    def alter_gold(self, task: WorldTask, trace: Trace) -> bool:
        """Expect something else of a task from now on, where something else can be expected.

        Args:
            task: the task; its gold is right.
            trace: an episode that succeeds by it, and is to fail.

        Returns:
            Whether it fails now.
        """
        for wrong in self._wrong(task):
            try:
                score = super().score(wrong, trace)
            except GoldError:
                # The servers refuse the altered request, so it is no gold run.
                continue
            if score.verdict is Verdict.FAILURE:
                self._expected[task.id] = wrong
                return True
        return False

    def score(self, task: WorldTask, trace: Trace) -> AssistantScore:
        """Score an episode by what is expected of its task; see `AssistantScorer.score`."""
        return super().score(self._expected.get(task.id, task), trace)

    def _wrong(self, task: WorldTask) -> Sequence[WorldTask]:
        """Return the task with each altered gold request, under ids of their own."""
        requests = task.gold.gold_requests()
        if len(requests) != 1:
            return ()
        intent = {"domain": task.gold.domain, "intent": task.gold.intent, "slots": task.gold.slots}
        scene = Scene(task.utterance, intent)
        urls = self._fault_maker.options(FaultType.REQUEST_ALTERED_CALL, requests[0].url, scene)
        golds = [task.gold.model_copy(update={"requests": (_request(url),)}) for url in urls]
        return [
            task.model_copy(update={"id": f"{task.id}.wrong-{number}", "gold": gold})
            for number, gold in enumerate(golds)
        ]


def _request(url: str) -> Request:
    parts = urlsplit(url)
    return Request(domain=parts.path.strip("/"), params=dict(parse_qsl(parts.query)))
