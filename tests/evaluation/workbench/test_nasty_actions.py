"""Action strings that other models may have left in results files, and what they come to.

The published recorder writes `tool.func(k="v", ...)` with whatever the model gave as tool and
values, and escapes nothing. The published evaluator hands that text to `eval`.
"""

import pytest

from ossia_dataset.workbench.generated import generated_database, office_seed
from ossia_evaluation.workbench.actions import foreign, write_action
from ossia_evaluation.workbench.reading import read_actions
from ossia_evaluation.workbench.replay import Replayer

SEED = office_seed(1)
DELETE_1 = 'email.delete_email.func(email_id="00000001")'
DELETE_2 = 'email.delete_email.func(email_id="00000002")'


@pytest.fixture(scope="module")
def replayer():
    return Replayer(generated_database, SEED)


def arguments(text):
    (action,) = read_actions(text).actions
    return dict(action.arguments)


def reply(body):
    return write_action("email.reply_email", {"email_id": "00000001", "body": body})


@pytest.mark.parametrize(
    ("body", "said"),
    [
        # Quotes of the other kind, letters of any script and spaces around stay as they are.
        ("it's fine", "it's fine"),
        ("  Grüße, 你好 🎉 ", "  Grüße, 你好 🎉 "),
        # A real line break is escaped first, so it comes back as one.
        ("Hi,\nbye", "Hi,\nbye"),
        # Two characters that look like an escape are one.
        ("Hi,\\nbye", "Hi,\nbye"),
        ("caf\\u00e9", "café"),
        ('say \\"hi\\"', 'say "hi"'),
        # A backslash that escapes nothing stays.
        ("C:\\dir", "C:\\dir"),
        # Quotes that leave two texts side by side, or a sum of them, are one text.
        ('a""b', "ab"),
        ('a" "b', "ab"),
        ('a" + "b', "ab"),
        # The second choice is never looked at, unless the first one is empty.
        ('a" or "b', "a"),
        ('" or "b', "b"),
        # A backslash before a line break escapes the backslash that the line break has become.
        ("a\\\nb", "a\\nb"),
        # A hash is a comment only outside of a text.
        ("ticket #4", "ticket #4"),
    ],
)
def test_what_a_body_becomes(body, said):
    assert arguments(reply(body))["body"] == said


@pytest.mark.parametrize(
    "body",
    [
        'say "hi" to all',  # the text ends before hi
        '"hi"',  # two quotes, a name, two quotes
        '"',  # three quotes open a text that nobody closes
        "dir\\",  # the closing quote is escaped
        "\\N{no such name}",  # an escape of no character
        "\\x4",
        "a\rb",  # Python reads a carriage return as a line break, which ends the line
        "\x00",
        'a" # ',  # the rest of the call is a comment
        'a", body="b',  # the argument is given twice
        'a", subject="b',  # replies have no subject
        'a" - "b',
    ],
)
def test_bodies_that_python_cannot_read_make_no_call(body):
    found = read_actions(reply(body))
    assert found.actions == () and found.error is not None


def test_arguments_are_bound_as_a_function_binds_them():
    by_name = 'email.send_email.func(body="c", subject="b", recipient="a@b.c")'
    assert arguments(by_name) == {"recipient": "a@b.c", "subject": "b", "body": "c"}
    by_place = 'email.send_email.func("a@b.c", "b", body="c")'
    assert arguments(by_place) == arguments(by_name)
    assert read_actions('email.send_email.func(recipient="a@b.c", "b", "c")').actions == ()
    assert read_actions('email.send_email.func("a@b.c", recipient="b")').actions == ()
    # A value that was not given is written as the text None, which is a text like any other.
    assert arguments('calendar.search_events.func(query="None")') == {"query": "None"}
    assert arguments("calendar.search_events.func(query=None)") == {}


def test_values_that_are_no_texts_equal_no_text():
    assert arguments("email.delete_email.func(email_id=1)") == {"email_id": foreign(1)}
    assert arguments("email.delete_email.func(email_id=0)") == {"email_id": ""}
    assert arguments('email.delete_email.func(email_id=["00000001"])')["email_id"] != "00000001"


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (f"{DELETE_1}; {DELETE_2}", 0),  # two statements are no expression
        (f"{DELETE_1}\n{DELETE_2}", 0),  # the line break becomes a backslash outside of a text
        (f"{DELETE_1}, {DELETE_2}", 2),  # a tuple
        (f"[{DELETE_1}, {DELETE_2}]", 2),
        (f"({DELETE_1})", 1),
        (f"{DELETE_1}, {DELETE_1}, email.delete_mail.func()", 2),  # what was done stays done
        (f"{DELETE_1}, oops(", 0),  # nothing of what cannot be read is done
        (f"{DELETE_1}.strip()", 1),
        (f"{DELETE_1}  # done", 1),
        (f"  {DELETE_1}  ", 1),
        (f"\n{DELETE_1}", 0),
        # A model that names two tools at once: the first one is true, so the second one is called.
        (f"email.search_emails and {DELETE_1}", 1),
        (f"email.search_emails or {DELETE_1}", 0),
        (f"email.search_emails, {DELETE_1}", 1),
        # Both sides are worked out before it shows that tools cannot be divided.
        (f"email.search_emails / {DELETE_1}", 1),
        (f"email and {DELETE_1}", 1),
        (f"crm and {DELETE_1}", 0),
        # No tools: what agents say when they mean to end, or make up.
        ("Final Answer.func()", 0),
        ("None.func()", 0),
        (".func()", 0),
        ("", 0),
        ("_Exception.func(tool_input='x')", 0),
        ("functions.email.delete_email.func(email_id='1')", 0),
        ("email.delete_emails.func(email_id='1')", 0),
        ("Email.delete_email.func(email_id='1')", 0),
        ("email.delete_email (a letter).func(email_id='1')", 0),
        ("`email.delete_email`.func(email_id='1')", 0),
        ("email . delete_email . func ( email_id = '1' , )", 1),
        ("email.delete_email.func.func(email_id='1')", 0),
        ("email.delete_email.func", 0),
        ("email.delete_email(email_id='1').func()", 0),
        ("__import__('os').system('true')", 0),
    ],
)
def test_how_many_calls_a_text_makes(text, calls):
    assert len(read_actions(text).actions) == calls


def test_a_deep_text_is_skipped():
    deep = '"a"' + ' + "a"' * 5000
    assert read_actions(f"email.delete_email.func(email_id={deep})").actions == ()
    assert read_actions("(" * 3000 + DELETE_1 + ")" * 3000).actions == ()


def test_verdicts_on_nasty_runs(replayer):
    truth = [DELETE_1, DELETE_2]
    both = replayer.score([f"{DELETE_1}, {DELETE_2}"], truth)
    assert (both.correct, both.side_effects) == (True, False)
    half = replayer.score([f"{DELETE_1} / email", DELETE_1, "oops("], truth)
    assert (half.correct, half.side_effects) == (False, True)
    assert len(half.skipped) == 2
    nothing = replayer.score([f"{DELETE_1}; {DELETE_2}"], truth)
    assert (nothing.correct, nothing.side_effects) == (False, False)
    # An error of the framework spoils a right state, but leaves no side effect.
    late = replayer.score(truth, truth, "Agent stopped due to iteration limit")
    assert (late.correct, late.side_effects) == (False, False)


def test_case_and_order_play_no_part_but_for_list_board_and_status(replayer):
    update = 'project_management.update_task.func(task_id="{}", field="{}", new_value="{}")'
    row = generated_database(SEED).tables["project_management.tasks"][0]
    task, other = row["task_id"], "Front end" if row["board"] != "Front end" else "Design"
    truth = [update.format(task, "task_name", "Write it"), update.format(task, "board", other)]
    loud = [update.format(task, "board", other), update.format(task, "task_name", "WRITE IT")]
    assert replayer.score(loud, truth).correct
    wrong = [truth[0], update.format(task, "board", other.upper())]
    assert not replayer.score(wrong, truth).correct
    # A change of case alone is a change, and still the state that an empty truth leaves.
    same = update.format(task, "task_name", str(row["task_name"]).upper())
    found = replayer.score([same], [])
    assert (found.correct, found.side_effects) == (True, False)
    both = replayer.score([same], truth)
    assert (both.correct, both.side_effects) == (False, True)


def test_an_id_that_a_run_overwrites_is_part_of_the_state(replayer):
    run = 'calendar.update_event.func(event_id="00000001", field="event_id", new_value="00000999")'
    found = replayer.score([run], [])
    assert (found.correct, found.side_effects) == (False, True)
    # A column that the table does not have grows, and the state is another one.
    grown = 'calendar.update_event.func(event_id="00000001", field="room", new_value="B2")'
    assert replayer.score([grown], []).side_effects
    assert replayer.score([grown], [grown]).correct
