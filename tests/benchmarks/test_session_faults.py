"""Faults that are planted in conversations, and attributed by replays on the control."""

import asyncio
import sys
from pathlib import Path
from random import Random

import pytest

from benchmarks.faulty_sessions import FaultyTeam, Gold, Planted, Play
from benchmarks.planting import plant
from benchmarks.session_faults import Bench, step_names
from ossia.attribution.attributor import Attributor
from ossia.attribution.replayer import open_replayer, open_runner
from ossia.runner.config import FrameworkVersion, RunConfig
from ossia.suites import find_suite
from ossia.suites.flowbench import TEAMS
from ossia.worker import WorkerSpec
from ossia_dataset.tasks import dataset_hash
from ossia_evaluation.attribution import Status
from ossia_servers.flowbench.spoken import spoken
from ossia_servers.trace import UserTurn

ROOT = Path(__file__).resolve().parents[2]
SESSION = "ride-booking-01"


ADAPTERS = '''
from forgetful import ForgetfulAdapter
from ossia_adapter_control import ControlAdapter

class Whole(ControlAdapter):
    distribution = "requests"

class Forgetful(ForgetfulAdapter):
    distribution = "requests"

class Wordy(Whole):
    """Keeps the words of earlier turns, and no calls or results of tools."""

    def run(self, episode):
        answer = super().run(episode)
        if episode.memory is not None:
            said = episode.memory["talk"]
            episode.memory["talk"] = [
                each for each in said if each["role"] != "tool" and not each.get("tool_calls")
            ]
        return answer

WHOLE, FORGETFUL, WORDY = Whole(), Forgetful(), Wordy()
'''


@pytest.fixture(scope="module")
def adapters(tmp_path_factory):
    """The folder of adapters that can be started without an environment of their own."""
    folder = tmp_path_factory.mktemp("adapters")
    (folder / "planted_adapters.py").write_text(ADAPTERS)
    return folder


@pytest.fixture(scope="module")
def gold():
    return gold_of(SESSION)


def gold_of(name):
    """The gold run of a session that ships."""
    sessions = find_suite("flowbench").tasks("test")
    return Gold(next(session for session in sessions if session.id == name))


def attributed(folder, gold, faults, suite_name="flowbench", adapter="WHOLE"):
    """Play a session with faults; returns what the attributor says, and what is known."""
    suite, kind = find_suite(suite_name), TEAMS[suite_name]
    folders = ("adapters/sdk", "adapters/control", "benchmarks/forgetful")
    paths = ":".join((str(folder), *(str(ROOT / each) for each in folders)))
    entry = f"planted_adapters:{adapter}"
    worker = WorkerSpec(Path(sys.executable), entry, switches={"PYTHONPATH": paths})
    team, domains = FaultyTeam(kind), suite.domains("test")
    tasks = {gold.session.id: gold.session}
    config = RunConfig(
        suite=suite_name,
        tasks="planted",
        dataset_hash=dataset_hash([gold.session]),
        task_ids=(gold.session.id,),
        frameworks=(FrameworkVersion(name="control", source="0"),),
        models=(team.name,),
        limits=suite.limits(),
        budget=suite.budget(),
    )
    bench, workers = Bench("control", kind, team), {"control": worker}

    async def played():
        async with (
            open_runner(config, tasks, domains, workers, team, jobs=1) as (runner, _),
            open_replayer(config, tasks, domains, workers, jobs=1) as replayer,
        ):
            attributor = Attributor(replayer, suite.grader(domains), suite.contracts(domains))
            return await bench.case(runner, attributor, gold, faults)

    return asyncio.run(played())


def fault_of(gold, role, kind, tool=""):
    """A fault in the last turn that has a place for it."""
    for number, turn in reversed([*enumerate(gold.turns)]):
        for call in turn.calls:
            if kind == "missed call" and not tool:
                return Planted(role, kind, number, call.tool)
            names = [n for n, v in call.arguments.items() if isinstance(v, str)]
            if kind in ("wrong argument", "lost memory") and names and number:
                return Planted(role, kind, number, call.tool, names[0], "qzx vlt")
        numbers = [f for f, v in turn.tells.items() if type(v) is int]
        if kind == "forgotten fact" and numbers:
            return Planted(role, kind, number, numbers[0], value=str(turn.tells[numbers[0]]))
    return Planted(role, kind, 1, tool)


@pytest.mark.parametrize(
    ("suite", "role", "kind", "said"),
    [
        ("flowbench", "agent", "missed call", "missed call"),
        ("flowbench", "agent", "wrong argument", "wrong argument"),
        ("flowbench", "user", "leaves", "left where it had to say"),
        ("flowbench-team", "planner", "forgotten fact", "forgotten fact"),
        ("flowbench-team", "caller", "missed call", "missed call"),
    ],
)
def test_the_step_and_the_kind_of_a_planted_fault_are_named(
    adapters, gold, suite, role, kind, said
):
    fault = fault_of(gold, role, kind)
    case = attributed(adapters, gold, (fault,), suite)
    assert case is not None, "the fault does harm"
    step = f"{role}@{step_names(gold)[fault.turn]}"
    assert case.truth == case.told == {frozenset({step})}
    assert case.found.status is Status.ATTRIBUTED
    assert said in case.found.causes[0].fault
    assert f"turn {fault.turn + 1 + (role == 'user')}" in case.found.causes[0].fault
    assert (case.exonerated, case.blamed) == (frozenset(), frozenset())


def test_two_faults_of_which_each_is_enough_are_one_family(adapters, gold):
    faults = (fault_of(gold, "agent", "missed call"), fault_of(gold, "agent", "forgotten fact"))
    first, second = (fault.turn for fault in faults)
    assert first != second
    case = attributed(adapters, gold, faults)
    assert case.told == case.truth
    assert len(case.told) == 1 and len(next(iter(case.told))) == 2


def test_a_missed_call_is_told_beside_a_user_who_told_another_value(adapters, gold):
    agent = Planted("agent", "missed call", 12, "order_car")
    user = Planted("user", "tells another value", 11, "", "passenger", "qzx vlt 3")
    case = attributed(adapters, gold, (agent, user))
    names = step_names(gold)
    assert case.told == case.truth == {frozenset({f"agent@{names[12]}", f"user@{names[11]}"})}


def test_a_call_with_what_the_user_tells_next_makes_up_for_none(adapters):
    gold = gold_of("moving-service-appointment-03")
    agent = Planted("agent", "missed call", 3, "estimate_move")
    user = Planted("user", "tells another value", 2, "", "to_floor", 13)
    names = step_names(gold)
    case = attributed(adapters, gold, (agent, user))
    assert case.told == case.truth == {frozenset({f"agent@{names[3]}", f"user@{names[2]}"})}


def test_a_wrong_argument_that_is_what_the_user_told_leaves_no_trace(adapters):
    gold = gold_of("schedule-a-medical-consultation-02")
    agent = Planted("agent", "wrong argument", 2, "triage", "since_days", 16)
    user = Planted("user", "tells another value", 1, "", "since_days", 16)
    assert attributed(adapters, gold, (agent, user)) is None
    case = attributed(adapters, gold, (agent,))
    assert case.told == case.truth == {frozenset({f"agent@{step_names(gold)[2]}"})}


def test_a_value_that_nobody_told_is_wrong_beside_one_that_the_user_told_wrongly(adapters):
    gold = gold_of("get-food-voucher-04")
    agent = Planted("agent", "wrong argument", 2, "voucher_standing", "phone", "qzx vlt 7")
    user = Planted("user", "tells another value", 1, "", "phone", "qzx vlt 3")
    names = step_names(gold)
    case = attributed(adapters, gold, (agent, user))
    assert case.told == case.truth == {frozenset({f"agent@{names[2]}", f"user@{names[1]}"})}


@pytest.mark.parametrize(
    ("name", "known_by", "wrong", "missed"),
    [
        ("mail-response-06", "a call", (2, "next_mail", "folder"), (7, "send_reply")),
        (
            "attendance-anomaly-detection-02",
            "words",
            (2, "find_anomaly", "month"),
            (3, "enter_leave"),
        ),
    ],
)
def test_what_is_known_without_being_found_out_is_owed_as_well(
    adapters, name, known_by, wrong, missed
):
    gold, faults = gold_of(name), (Planted("agent", "wrong argument", *wrong, "qzx vlt 4"),)
    faults += (Planted("agent", "missed call", *missed),)
    names = step_names(gold)
    case = attributed(adapters, gold, faults)
    assert case.told == case.truth, known_by
    assert case.truth == {frozenset(f"agent@{names[fault.turn]}" for fault in faults)}


def test_who_goes_on_after_a_mumble_owes_the_rest_as_well(adapters):
    gold = gold_of("cancel-reservation-05")
    fee = next(fact for fact in gold.turns[6].tells if fact == "cancel_driver.cancellation")
    told = spoken(gold.turns[6].tells[fee])
    agent = Planted("agent", "forgotten fact", 6, fee, value=told)
    case = attributed(adapters, gold, (agent, Planted("user", "mumbles", 5)))
    assert case.told == case.truth == {frozenset({f"agent@{step_names(gold)[6]}"})}


def test_who_gives_no_answer_to_yes_or_no_in_any_language_is_at_fault(adapters):
    gold = gold_of("gas-equipment-service-cross-09")
    said = Planted("user", "tells another value", 4, "", "neighbours_too", "keine Ahnung, leider")
    case = attributed(adapters, gold, (said,))
    assert case.told == case.truth == {frozenset({f"user@{step_names(gold)[4]}"})}


def test_what_a_framework_drops_is_its_own_fault(adapters, gold):
    fault = fault_of(gold, "agent", "lost memory")
    assert attributed(adapters, gold, (fault,)) is None, "the control drops nothing"
    case = attributed(adapters, gold, (fault,), adapter="FORGETFUL")
    step = f"framework@agent>{step_names(gold)[fault.turn]}"
    assert case.truth == case.told == {frozenset({step})}
    assert "lost memory" in case.found.causes[0].fault
    assert "with that given back all goals of the session are reached" in case.found.evidence


def test_what_can_be_looked_up_again_is_no_loss(adapters):
    gold = gold_of("ride-service-cross-02")
    fault = Planted("agent", "missed call", 3, "fare")
    case = attributed(adapters, gold, (fault,), adapter="WORDY")
    assert case.told == case.truth == {frozenset({f"agent@{step_names(gold)[3]}"})}


def test_an_aside_is_known_by_where_the_work_stands(adapters):
    gold = gold_of("cancel-reservation-02")
    # Who asks nothing first comes to the place of the gold run's first aside with the second one.
    faults = (Planted("agent", "no question", 0), Planted("user", "leaves", 2))
    case = attributed(adapters, gold, faults)
    assert case.told == case.truth == {frozenset({"user@unknown:aside"})}


def test_what_is_not_due_is_none_of_the_calls_of_the_gold_run():
    gold = gold_of("food-delivery-service-cross-03")
    right = [(call.tool, dict(call.arguments)) for turn in gold.turns for call in turn.calls]
    draw = Random(1)
    planted = [plant("agent", "wrong transition", gold, draw) for _ in range(200)]
    assert all(fault and (fault.about, fault.value) not in right for fault in planted)


@pytest.mark.parametrize(
    ("name", "turn", "slot", "value", "line"),
    [
        ("moving-service-appointment-05", 1, "rooms", 9, "How many rooms are moved: 9"),
        (
            "moving-service-appointment-03",
            0,
            "piano",
            True,
            "Whether there is a piano or a safe: yes",
        ),
    ],
)
def test_another_value_is_told_and_called_for_one_slot_alone(name, turn, slot, value, line):
    gold = gold_of(name)
    fault = Planted("user", "tells another value", turn, "", slot, value)
    play, right = Play(gold, (fault,)), gold.turns[turn + 1]
    said, words = list[UserTurn](), ""
    for each in gold.turns[: turn + 1]:
        said.append(UserTurn(user=each.user, answer=each.answer))
        words = asyncio.run(play.reply(said))
    lines = [*zip(words.split("\n"), right.user.split("\n"), strict=True)]
    assert [one for one, other in lines if one != other] == [line]
    (call, _) = play.program("agent", words)
    assert call.arguments == {**right.calls[0].arguments, slot: value}


@pytest.mark.parametrize(
    ("name", "before", "agent"),
    [
        (
            "meeting-reschedule-07",
            Planted("agent", "missed call", 1, "find_meeting"),
            Planted("agent", "forgotten fact", 3, "find_meeting.organiser", value="Ms Ekström"),
        ),
        (
            "ride-booking-09",
            Planted("user", "mumbles", 1),
            Planted("agent", "forgotten fact", 3, "fare.price", value="196.25"),
        ),
        (
            "financial-assistant-cross-09",
            Planted("user", "mumbles", 1),
            Planted("agent", "missed call", 2, "read_balance"),
        ),
    ],
)
def test_what_no_call_has_found_out_is_neither_forgotten_nor_missed(adapters, name, before, agent):
    gold = gold_of(name)
    assert attributed(adapters, gold, (before, agent)) is None
    case = attributed(adapters, gold, (agent,))
    assert case.told == case.truth == {frozenset({f"agent@{step_names(gold)[agent.turn]}"})}
