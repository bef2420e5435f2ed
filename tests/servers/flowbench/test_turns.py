from ossia_dataset.flowbench.sessions import TurnTask
from ossia_dataset.tasks import dump_task, parse_task
from ossia_servers.flowbench.script import gold_turns
from ossia_servers.flowbench.turns import turn_tasks
from tests.servers.flowbench.sessions import RIDE, SCENARIOS, WHERE, gold, session


def test_each_turn_with_something_due_is_a_task_with_what_was_before():
    task = session(RIDE, WHERE, asides=[(2, "off_topic")])
    turns = gold_turns(task, SCENARIOS, gold(task))
    made = list(turn_tasks(task, SCENARIOS))
    assert [each.turn for each in made] == [*range(2), *range(3, len(turns) - 1)]
    for each in made:
        assert each.id == f"{task.id}.turn{each.turn}"
        assert each.utterance == turns[each.turn].user
        said = [(turn.user, turn.answer) for turn in turns[: each.turn]]
        assert [(one.user, one.answer) for one in each.before] == said
        assert (each.seed, each.wishes) == (task.seed, task.wishes)
        assert parse_task(dump_task(each), TurnTask) == each


def test_only_changes_of_earlier_turns_are_made_before():
    setups = [each.setup for each in turn_tasks(session(RIDE, WHERE), SCENARIOS)]
    ordered = {
        "intent": "order_car",
        "from_stop": "MS-9",
        "destination": "Harbour Road 7",
        "car": "standard",
        "passenger": "Ida Holm",
    }
    assert setups[6] == ()
    (request,) = setups[7]
    assert (request.domain, request.params) == ("ride_service", ordered)
