"""The rules name a behaviour alike in every framework: the same scripts through real adapters."""

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import pytest

from ossia.attribution.replayer import Replayer
from ossia.runner.config import FrameworkVersion, RunConfig
from ossia.runner.episode import EpisodeRunner
from ossia.runner.pool import WorkerPool
from ossia.runner.services import open_services
from ossia.suites import find_suite
from ossia_dataset.tasks import dataset_hash
from ossia_dataset.world_tasks import GoldKind
from ossia_evaluation.assistant.attribution.received import Heard
from ossia_evaluation.attribution import Turns
from ossia_evaluation.grade import Verdict
from ossia_evaluation.workbench.players import (
    call_of,
    gold_report,
    gold_work,
)
from ossia_servers.assistant.members import MEMBERS
from ossia_servers.assistant.offline import OfflineModel
from ossia_servers.gateway.intervention import InterveningModel
from ossia_servers.gateway.models import RequestRefused
from ossia_servers.trace import EpisodeKey
from ossia_servers.wire.conversation import read_conversation
from ossia_servers.wire.envelope import present
from ossia_servers.wire.routing import present_choice
from ossia_servers.wire.turns import choosing, staffing
from ossia_workflows.workbench import AGENT, RESPONSE, TeamKind, members_of
from tests.adapters.support import environments
from tests.adapters.support.environments import installed
from tests.ossia.attribution.conftest import WAKE

ADAPTERS = (*environments.ADAPTERS, "control:tools", "autogen:handoffs")

pytestmark = [pytest.mark.framework(name) for name in environments.FRAMEWORKS]

PROSE = "Hmm, I cannot tell."
MENTION = "I think that the location agent goes on, then url."


def said(text):
    return {"role": "assistant", "content": text}


@dataclass
class Behaving:
    """The offline model, but for one behaviour."""

    model: OfflineModel
    behave: object

    def __post_init__(self):
        self.turns = Turns(MEMBERS)

    def answer(self, role, request):
        message = self.behave(role, Heard.of(role, request, self.turns))
        return self.model.complete(request) if message is None else message


def manager(make, after=0, once=False):
    """The manager behaves so once some roles have worked, and from then on if not only once."""

    def fresh():
        met = []

        def behave(role, received):
            done = len(received.turn.done)
            now = not met and done == after if once else done >= after
            if role != "manager" or not now:
                return None
            met.append(done)
            return make(received)

        return behave

    return fresh


def member(name, make):
    return lambda: lambda role, received: make(received) if role == name else None


def words(text):
    return lambda received: said(text)


def choice(name):
    return lambda received: present_choice(received.conversation, name)


def answer(text):
    return lambda received: present(received.conversation, text)


def refuse(received):
    raise RequestRefused("the request is malformed")


def unknown_tool(received):
    function = {"name": "fly", "arguments": "{oops"}
    call = {"id": "c1", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


BEHAVIOURS = {
    "an unreadable manager at the start": (manager(words(PROSE)), "manager"),
    "an unreadable manager in the middle": (manager(words(PROSE), 3), "manager"),
    "an unreadable manager at the end": (manager(words(PROSE), 5), "manager"),
    "a manager that only mentions roles": (manager(words(MENTION), 1), "manager"),
    "a manager that mentions roles at the end": (manager(words(MENTION), 5), "manager"),
    "a silent manager": (manager(words("")), "manager"),
    "a manager with broken JSON": (manager(words('{"next": 7'), 2), "manager"),
    "an end before anything": (manager(choice("finish")), "manager"),
    "an end before the request": (manager(choice("finish"), 3), "manager"),
    "a wrong role first": (manager(choice("response"), 0, once=True), "manager"),
    "a role passed by": (manager(choice("url"), 1, once=True), "manager"),
    "a loop": (manager(choice("intent"), 1), "manager"),
    "a silent intent": (member("intent", answer("")), "intent"),
    "a silent time": (member("time", answer("")), "time"),
    "prose of time": (member("time", answer(PROSE)), "time"),
    "a silent url": (member("url", answer("")), "url"),
    "a silent request": (member("request", answer("")), "function call"),
    "a silent response": (member("response", answer("")), "response"),
    "a denial of response": (member("response", answer(PROSE)), "response"),
    "a tool that is not there": (member("time", unknown_tool), "time"),
    "a refused manager": (manager(refuse, 1), "framework"),
    "a refused time": (member("time", refuse), "framework"),
    "a refused response": (member("response", refuse), "framework"),
}


@asynccontextmanager
async def replaying(tasks_by_suite):
    """Replayers and graders of suites by name, on one set of real workers and on real servers."""
    async with AsyncExitStack() as stack:
        pools, made, allowed = {}, {}, []
        for name, tasks in tasks_by_suite.items():
            suite, model = find_suite(name), InterveningModel()
            domains = suite.domains("test")
            services = await stack.enter_async_context(open_services(domains, model))
            allowed += services.addresses
            config = RunConfig(
                suite=name,
                tasks="test",
                dataset_hash=dataset_hash(tasks),
                task_ids=tuple(task.id for task in tasks),
                frameworks=tuple(FrameworkVersion(name=name, source="0") for name in ADAPTERS),
                models=("offline",),
            )
            runner = EpisodeRunner(services, pools, {task.id: task for task in tasks}, config)
            made[name] = Replayer(runner, model, pools), suite.grader(domains)
        for name in ADAPTERS:
            worker = installed(name).worker
            pools[name] = WorkerPool(worker, allow=allowed, concurrency=len(ADAPTERS))
            stack.push_async_callback(pools[name].close)
        yield made


class Table:
    """Plays a behaviour in every framework and tells what the rules make of it."""

    def __init__(self, runner, opened):
        self.runner = runner
        self.replayer, self.scorer = opened

    def named(self, task, script):
        """Return the named roles by framework; frameworks that make up for it are left out."""

        async def play(name):
            key = EpisodeKey(id=f"{name}.t.1", task=task.id, framework=name, model="-", repeat=1)
            return self.scorer.score(task, await self.replayer.replay(key, script()))

        async def play_all():
            return await asyncio.gather(*map(play, ADAPTERS))

        found = {}
        for name, score in zip(ADAPTERS, self.runner.run(play_all()), strict=True):
            assert score.verdict is not Verdict.INVALID, score.reason
            if score.verdict is Verdict.FAILURE:
                found[name] = [fault.role for fault in score.faults]
        return found


OFFICE = find_suite("workbench")
KINDS = (GoldKind.NONE, GoldKind.CHANGE)
OFFICE_TASKS = tuple(
    next(
        task
        for task in OFFICE.tasks("test")
        if task.gold.kind is kind and task.gold.domain != "multi_domain"
    )
    for kind in KINDS
)
TASKS = {"assistant": (WAKE,), "workbench": OFFICE_TASKS, "workbench-react": OFFICE_TASKS}


@pytest.fixture(scope="module")
def tables():
    """A table of each suite, by its name."""
    with asyncio.Runner() as runner:
        context = replaying(TASKS)
        made = runner.run(context.__aenter__())
        yield {name: Table(runner, opened) for name, opened in made.items()}
        runner.run(context.__aexit__(None, None, None))


@pytest.fixture(scope="module")
def offline():
    return OfflineModel.load()


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_a_behaviour_has_one_name_in_all_frameworks(tables, offline, name):
    make, role = BEHAVIOURS[name]
    found = tables["assistant"].named(WAKE, lambda: Behaving(offline, make()))
    assert len(found) >= 3, "most frameworks cannot make up for it"
    assert found == {framework: [role] for framework in found}


def read(request):
    return read_conversation(request, members_of(TeamKind.SPECIALISTS))


class Office:
    """The gold run of one specialist or an agent alone, but for what a role does otherwise."""

    def __init__(self, task, kind=TeamKind.SPECIALISTS, ending=None, **otherwise):
        self.task, self.otherwise = task, otherwise
        self.ending = gold_report(task) if ending is None else ending
        work = gold_work(task, kind)
        self.worker = AGENT if kind is TeamKind.REACT else task.gold.domain
        self.heard, self.left = [], list(work.get(self.worker, ()))

    def answer(self, role, request):
        self.heard.append(role)
        if role in self.otherwise:
            return self.otherwise[role](request, self.task)
        if role == "manager":
            order = (self.worker, RESPONSE)
            staffed = staffing(read(request), order)
            choice = [*order, None][min(self.heard.count(role), 3) - 1]
            return staffed or choosing(read(request), choice, self.ending)
        if role == self.worker and self.left:
            return present(read(request), (call_of(self.left.pop(0)),))
        return present(read(request), gold_report(self.task))


def ends_at_once(request, task):
    return choosing(read(request), None)


OFFICE_BEHAVIOURS = {
    "an end before anything": ({"manager": ends_at_once}, "manager"),
    "an unreadable manager": ({"manager": lambda request, task: said(PROSE)}, "manager"),
    "a manager that mentions roles": (
        {"manager": lambda request, task: said("I think that email, then calendar, work.")},
        "manager",
    ),
    "a manager that ends in other words": ({"ending": PROSE}, "manager"),
    "a silent response": (
        {"response": lambda request, task: present(read(request), "")},
        "response",
    ),
    "a response that denies": (
        {
            "response": lambda request, task: present(
                read(request), "I could not do anything of it."
            )
        },
        "response",
    ),
}


@pytest.mark.parametrize("task", OFFICE_TASKS, ids=KINDS)
def test_the_office_is_served_by_the_gold_run(tables, task):
    assert tables["workbench"].named(task, lambda: Office(task)) == {}


@pytest.mark.parametrize("name", OFFICE_BEHAVIOURS)
@pytest.mark.parametrize("task", OFFICE_TASKS, ids=KINDS)
def test_the_office_names_a_behaviour_alike(tables, task, name):
    otherwise, role = OFFICE_BEHAVIOURS[name]
    found = tables["workbench"].named(task, lambda: Office(task, **otherwise))
    assert found == {framework: [role] for framework in found}
    # Some frameworks ask again or take the next role by themselves; denying nothing is right.
    assert found or task.gold.kind is GoldKind.NONE


def test_an_agent_that_plays_alone_has_no_manager(tables):
    made = []

    def gold():
        made.append(Office(OFFICE_TASKS[1], TeamKind.REACT))
        return made[-1]

    assert tables["workbench-react"].named(OFFICE_TASKS[1], gold) == {}
    assert len(made) == len(ADAPTERS)
    assert {tuple(dict.fromkeys(each.heard)) for each in made} == {(AGENT,)}
    assert len({len(each.heard) for each in made}) == 1


def test_an_agent_that_does_nothing_is_at_fault_for_what_is_missing(tables):
    task = OFFICE_TASKS[1]
    idle = {"agent": lambda request, task: present(read(request), "")}
    found = tables["workbench-react"].named(task, lambda: Office(task, TeamKind.REACT, **idle))
    assert found == {framework: ["agent"] for framework in ADAPTERS}
