"""Runs of whatever model: the replay's verdicts against the published evaluator's semantics."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ossia_dataset.workbench.database import Database
from ossia_dataset.workbench.generated import generated_database, office_seed
from ossia_evaluation.workbench.actions import signatures, write_action, writing_tools
from ossia_evaluation.workbench.reading import read_actions
from ossia_evaluation.workbench.replay import Replayer

from .published_office import READS, WRITES, verdicts

WHOLE = generated_database(office_seed(1))
SMALL = Database(release="small", tables={n: rows[:6] for n, rows in WHOLE.tables.items()})
TASK, EVENT = SMALL.tables["project_management.tasks"][0], SMALL.tables["calendar.events"][0]
ASSIGNEE = str(TASK["assigned_to_email"])

NEXT_ID = str(max(int(str(row["event_id"])) for row in SMALL.tables["calendar.events"]) + 1).zfill(
    8
)
KNOWN = [
    str(row[id])
    for table, id in (
        ("calendar.events", "event_id"),
        ("email.emails", "email_id"),
        ("project_management.tasks", "task_id"),
        ("customer_relationship_manager.customers", "customer_id"),
    )
    for row in SMALL.tables[table][:2]
]

DELETE = 'calendar.delete_event.func(event_id="{}")'
EVENT_ID = str(EVENT["event_id"])
SEND = 'email.send_email.func(recipient="a@b.test", subject="Hi", body="{}")'
NEW = (
    "project_management.create_task.func("
    + 'task_name="Write it", assigned_to_email="{}", list_name="{}", due_date="{}", board="Design")'
).format
CREATE = (
    "calendar.create_event.func("
    + 'event_name="Talk", participant_email="{}", event_start="{}", duration="{}")'
).format
ADD = (
    "customer_relationship_manager.add_customer.func("
    + 'customer_name="Ada", assigned_to_email="a@b.test", status="Lead"{})'
).format
UPDATE = 'calendar.update_event.func(event_id="{}", field="{}", new_value="{}")'.format

START = "2023-12-01 09:30:00"
MEET, MAIL, TODO = CREATE("a@b.test", START, "30"), SEND.format("Bye"), NEW
GONE = DELETE.format(EVENT_ID)
RIGHT, NOTHING, HARM = (True, False), (False, False), (False, True)
LIMIT = "Agent stopped due to iteration limit or time limit."

TABLE = {
    "the truth itself": ([GONE], [GONE], "", RIGHT),
    "the truth, ended by the framework": ([GONE], [GONE], LIMIT, NOTHING),
    "harm, ended by the framework": ([MAIL], [GONE], LIMIT, HARM),
    "nothing where nothing is due": ([], [], "", RIGHT),
    "nothing where nothing is due, ended by the framework": ([], [], LIMIT, NOTHING),
    "half of the truth": ([GONE], [GONE, MAIL], "", HARM),
    "the truth and more": ([GONE, MAIL], [GONE], "", HARM),
    "a deletion twice": ([GONE, GONE], [GONE], "", RIGHT),
    "a letter twice": ([MAIL, MAIL], [MAIL], "", HARM),
    "made and taken back": ([MEET, DELETE.format(NEXT_ID)], [], "", RIGHT),
    "another order": ([MAIL, GONE], [GONE, MAIL], "", RIGHT),
    "an unknown tool": (["calendar.remove_event.func(event_id='1')", GONE], [GONE], "", RIGHT),
    "an unknown toolkit": (["crm.delete_customer.func(customer_id='1')"], [], "", RIGHT),
    "no toolkit": ([f'delete_event.func(event_id="{EVENT_ID}")'], [GONE], "", NOTHING),
    "a wrong argument name": (
        [f'calendar.delete_event.func(id="{EVENT_ID}")'],
        [GONE],
        "",
        NOTHING,
    ),
    "one argument too many": ([GONE.replace(")", ', notify="yes")')], [GONE], "", NOTHING),
    "an argument by its place": ([f'calendar.delete_event.func("{EVENT_ID}")'], [GONE], "", RIGHT),
    "two where one is taken": (
        [f'calendar.delete_event.func("{EVENT_ID}", "")'],
        [GONE],
        "",
        NOTHING,
    ),
    "no arguments": (["calendar.delete_event.func()"], [GONE], "", NOTHING),
    "a required argument missing": ([MEET.replace(', duration="30"', "")], [MEET], "", NOTHING),
    "an empty required argument": ([CREATE("a@b.test", START, "")], [MEET], "", NOTHING),
    "the word None for a start": ([CREATE("a@b.test", "None", "30")], [MEET], "", HARM),
    "single quotes": ([GONE.replace('"', "'")], [GONE], "", RIGHT),
    "an id without its zeros": ([DELETE.format(int(EVENT_ID))], [GONE], "", NOTHING),
    "an id that is a number": (["calendar.delete_event.func(event_id=7)"], [GONE], "", NOTHING),
    "quotes within a text": ([SEND.format('say "hi"')], [MAIL], "", NOTHING),
    "escaped quotes": (
        [SEND.format('say \\"hi\\"')],
        [SEND.replace('"{}"', "'say \"hi\"'")],
        "",
        RIGHT,
    ),
    "letters of any script": (
        [SEND.format("Grüße 你好 🎉")],
        [SEND.format("GRÜSSE 你好 🎉")],
        "",
        HARM,
    ),
    "another case": ([SEND.format("BYE")], [MAIL], "", RIGHT),
    "a picture in two halves": ([SEND.format("\\ud83c\\udf89")], [SEND.format("🎉")], "", HARM),
    "the same two halves": (
        [SEND.format("\\ud83c\\udf89")],
        [SEND.format("\\ud83c\\udf89")],
        "",
        RIGHT,
    ),
    "a bare half": ([SEND.format("\ud83c")], [], "", RIGHT),
    "a very long letter": ([SEND.format("x" * 30_000)], [MAIL], "", HARM),
    "the same very long letter": (
        [SEND.format("X" * 30_000)],
        [SEND.format("x" * 30_000)],
        "",
        RIGHT,
    ),
    "very long letters that end otherwise": (
        [SEND.format("x" * 30_000 + "y")],
        [SEND.format("x" * 30_001)],
        "",
        HARM,
    ),
    "real line breaks": ([SEND.format("Hi,\n\nbye")], [SEND.format("Hi,\\n\\nbye")], "", RIGHT),
    "spaces around": ([SEND.format(" Bye ")], [MAIL], "", HARM),
    "no address": (
        ['email.send_email.func(recipient="ada", subject="a", body="b")'],
        [MAIL],
        "",
        NOTHING,
    ),
    "another address's case": ([CREATE("A@B.TEST", START, "30")], [MEET], "", RIGHT),
    "a length as a number": ([MEET.replace('"30"', "30")], [MEET], "", HARM),
    "a length in words": ([CREATE("a@b.test", START, "30 minutes")], [MEET], "", HARM),
    "a length with a fraction": ([CREATE("a@b.test", START, "30.0")], [MEET], "", HARM),
    "a start without seconds": ([CREATE("a@b.test", START[:-3], "30")], [MEET], "", HARM),
    "a start with a T": ([CREATE("a@b.test", START.replace(" ", "T"), "30")], [MEET], "", HARM),
    "a start in words": ([CREATE("a@b.test", "tomorrow at 9:30", "30")], [MEET], "", HARM),
    "a list in another case": (
        [TODO(ASSIGNEE, "backlog", "2023-12-04")],
        [TODO(ASSIGNEE, "Backlog", "2023-12-04")],
        "",
        NOTHING,
    ),
    "a day in another form": (
        [TODO(ASSIGNEE, "Backlog", "4 December")],
        [TODO(ASSIGNEE, "Backlog", "2023-12-04")],
        "",
        HARM,
    ),
    "an assignee from nowhere": ([TODO("x@y.test", "Backlog", "2023-12-04")], [], "", RIGHT),
    "an empty telephone number": ([ADD(', customer_phone=""')], [ADD("")], "", HARM),
    "empty notes": ([ADD(', notes=""')], [ADD("")], "", RIGHT),
    "an update to what is there": (
        [UPDATE(EVENT_ID, "duration", EVENT["duration"])],
        [],
        "",
        RIGHT,
    ),
    "a field that is not there": ([UPDATE(EVENT_ID, "status", "done")], [], "", HARM),
    "an id overwritten": ([UPDATE(EVENT_ID, "event_id", "00000099")], [], "", HARM),
    "two calls in one text": ([f"{GONE}, {MAIL}"], [GONE, MAIL], "", RIGHT),
    "two statements in one text": ([f"{GONE}; {MAIL}"], [GONE, MAIL], "", NOTHING),
    "no call": (["I deleted it.", "", "Final Answer.func()"], [], "", RIGHT),
    "a bracket missing": ([GONE[:-1]], [GONE], "", NOTHING),
    "a tool in a code fence": ([f"```{GONE}```"], [GONE], "", NOTHING),
}


def test_the_tools_are_those_of_the_publication():
    assert {name: " ".join(names) for name, names in signatures().items()} == {**WRITES, **READS}
    assert writing_tools() == WRITES.keys()
    assert (len(WRITES), len(READS)) == (14, 13)


@pytest.fixture(scope="module")
def replayer():
    return Replayer(lambda seed: SMALL, SMALL.seed)


@pytest.mark.parametrize(
    ("predicted", "truth", "error", "verdict"), TABLE.values(), ids=list(TABLE)
)
def test_a_run_gets_the_published_verdicts(replayer, predicted, truth, error, verdict):
    assert verdicts(SMALL.tables, predicted, truth, error) == verdict
    ours = replayer.score(predicted, truth, error)
    assert (ours.correct, ours.side_effects) == verdict


IDS = st.sampled_from([*KNOWN, NEXT_ID, "6", "500", "1", "", "None", "last"])
WORDS = st.one_of(
    st.text(max_size=8),
    st.sampled_from(
        [
            *("Bye", "BYE", "a@b.test", "A@b.Test", "a.b", ASSIGNEE, ASSIGNEE.upper(), "30", "0"),
            *(
                "Backlog",
                "backlog",
                "Design",
                "design",
                "Won",
                "won",
                "Software",
                "bar",
                "total_visits",
            ),
            *("2023-11-30", "30/11/2023", "2023-12-01 09:30:00", "2023-12-01T09:30", "None", ""),
            *('say "hi"', "it's", "a\nb", "a\\nb", "C:\\", "\\ud83d", "Grüße", "ß", '", body="'),
        ]
    ),
)
FIELDS = st.sampled_from(
    [
        *("event_id", "event_name", "participant_email", "status", "board", "list_name", "room"),
        *("assigned_to_email", "product_interest", "notes", "customer_email", "due_date", ""),
    ]
)


@st.composite
def actions(draw):
    """An action as a recorder would have left it, of a model that is often wrong."""
    name = draw(st.sampled_from(sorted(writing_tools())))
    arguments = {}
    for key in signatures()[name]:
        if draw(st.integers(0, 9)):
            drawn = IDS if key.endswith("_id") else FIELDS if key == "field" else WORDS
            arguments[key] = draw(drawn)
    spoilt = draw(st.integers(0, 30))
    if spoilt == 0:
        arguments["extra"] = "x"
    text = write_action(name, arguments)
    if spoilt == 1:
        text = text.replace(".func", draw(st.sampled_from(["", ".run", "s.func", " .func"])))
    if spoilt == 2:
        text = text.replace("=", draw(st.sampled_from([" = ", ":", "=="])))
    if spoilt == 3:
        text = text[: draw(st.integers(0, len(text)))]
    return text


@settings(max_examples=80, deadline=None)
@given(
    st.lists(actions(), max_size=4),
    st.lists(actions(), max_size=2),
    st.booleans(),
    st.sampled_from(["", "", LIMIT]),
)
@example([ADD("")], [ADD(', customer_email=""')], False, "")
@example([GONE, UPDATE(EVENT_ID, "room", "a")], [], True, "")
@example([UPDATE(EVENT_ID, "room", "a"), GONE], [UPDATE(EVENT_ID, "room", "b"), GONE], False, "")
@pytest.mark.slow
def test_any_run_gets_the_published_verdicts(predicted, truth, alike, error):
    wanted = [*reversed(predicted)] if alike else truth
    scorer = Replayer(lambda seed: SMALL, SMALL.seed)
    ours = scorer.score(predicted, wanted, error)
    assert (ours.correct, ours.side_effects) == verdicts(SMALL.tables, predicted, wanted, error)


@given(actions(), actions())
def test_what_is_skipped_is_told(first, second):
    scorer = Replayer(lambda seed: SMALL, SMALL.seed)
    raising = [text for text in (first, second) if read_actions(text).error is not None]
    assert len(scorer.run([first, second])[1]) == len(raising)
