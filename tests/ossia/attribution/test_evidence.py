"""A replay that ended for a reason outside the framework is no evidence."""

import pytest

from benchmarks.attribution.wild.altering import Altering
from ossia.attribution.evidence import ATTEMPTS, ReplayInvalid, replayed
from ossia_evaluation.assistant.scorer import AssistantScorer
from ossia_evaluation.grade import Verdict
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.assistant.offline import OfflineModel
from tests.ossia.attribution.conftest import WAKE


class Broken:
    """A script that cannot answer."""

    def answer(self, role, request):
        raise KeyError(role)


def made_of(*scripts):
    """What makes scripts in order, and how many it has made."""
    made = []

    def make():
        made.append(scripts[len(made)])
        return made[-1]

    return make, made


def test_an_invalid_replay_is_run_once_more(bench):
    async def test(bench):
        clean = await bench.maker.clean(WAKE, "control")
        make, made = made_of(Broken(), Altering(OfflineModel.load()))
        _, _, score = await replayed(
            bench.replayer, AssistantScorer(load_domains()), WAKE, clean.key, make
        )
        assert score.verdict is Verdict.SUCCESS
        assert len(made) == ATTEMPTS

    bench(test)


def test_nothing_follows_from_a_replay_that_is_invalid_each_time(bench):
    async def test(bench):
        clean = await bench.maker.clean(WAKE, "control")
        make, made = made_of(*(Broken() for _ in range(ATTEMPTS)))
        with pytest.raises(ReplayInvalid, match="KeyError"):
            await replayed(bench.replayer, AssistantScorer(load_domains()), WAKE, clean.key, make)
        assert len(made) == ATTEMPTS

    bench(test)
