"""An answer tells a question's facts, and no other value in their place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_dataset.workbench.generator import generate_tasks
from ossia_evaluation.workbench.answers import judge_answer, options, rivals_of

QUESTIONS = generate_tasks("retrieval")


def asking(*facts):
    """A question with these facts, the form of which stays."""
    same = next(t for t in QUESTIONS if len(t.gold.facts) == len(facts))
    gold = same.gold.model_copy(update={"facts": facts})
    return same.model_copy(update={"gold": gold, "utterance": "What is it?"})


@pytest.mark.parametrize(
    ("facts", "answer"),
    [
        (("Won", "Software"), "Elin Castell: not Lost but Won; interested in software."),
        (("Won", "Software"), "status: WON\nproduct interest: SOFTWARE"),
        (("Hugo",), "hugo.bernard@halden.test"),
        (("Hugo",), "That is Hugo Bernard, not Edda Lindner."),
        (("2023-12-01", "13:30"), "On Friday at 1:30 pm."),
        (("2023-12-01", "13:30"), "Tomorrow from 13:30 to 14:00."),
        (("2023-12-01", "13:30"), "Friday, December 1st, 2023, 13:30-14:30."),
        (("2023-12-01", "13:30"), "1.12.2023, 13:30"),
        (("2023-12-01", "13:30"), "On 12/01/2023 at 1:30 PM"),
        (("2023-12-01", "13:30"), "2023-12-01T13:30:00"),
        (("Jonas", "2023-12-04"), "Jonas Wikstrom, 4.12.2023"),
        (("Jonas", "2023-12-04"), "Jonas, not later than 4 December"),
        (("9",), "nine visits"),
        (("9",), "On November 14, 2023, there were 9 visits."),
        (("21",), "Twenty-one."),
        (("2",), "She has two tasks:\n1. Fix the menu\n2. Sketch the screen"),
        (("2",), "2: 1) Fix the menu 2) Sketch the screen (00000017, 00000018)"),
        (("3", "1"), "Here are the two numbers: three engaged users and one visit."),
        (("Broken link on the site",), "The subject is 'Broken link on the site'."),
    ],
)
def test_a_right_answer(facts, answer):
    assert judge_answer(asking(*facts), answer).fault is None


@pytest.mark.parametrize(
    ("facts", "answer", "untold", "rivals"),
    [
        (("9",), "It is not 9.", ("9",), ()),
        (("Won", "Software"), "It is not Won, but the product is Software.", ("Won",), ()),
        (("2023-12-01", "13:30"), "On Friday, December 15 at 13:30", ("2023-12-01",), ()),
        (("2023-12-01", "13:30"), "On December 1, 2024 at 13:30", ("2023-12-01",), ()),
        (("2023-12-01", "13:30"), "Tomorrow at 1:30 am", ("13:30",), ()),
        (("2023-12-01", "13:30"), "Tomorrow at 13:30 or 15:00", (), ("15:00",)),
        (("2023-12-01", "13:30"), "At 13:30 on 2023-12-01 or 2023-12-05", (), ("2023-12-05",)),
        (("2",), "2) Fix the menu", ("2",), ()),
        (("9",), "12 visits (1 2 ... 10)", ("9",), ()),
        (("9",), "9 or 10 visits", (), ("10",)),
        (("9",), "nine, or ten", (), ("10",)),
        (("Hugo",), "Hugo or Edda", (), ("Edda",)),
        (("Broken link on the site",), "Broken link on the site; New badge system", (), None),
    ],
)
def test_a_wrong_answer(facts, answer, untold, rivals):
    told = judge_answer(asking(*facts), answer)
    assert told.untold == untold
    if rivals is not None:
        assert told.rivals == rivals
    assert told.fault is not None


def test_all_options_are_no_answer():
    said = "It is not Won. It may be Won, Lost, Lead, Proposal, Qualified, Software, Hardware."
    told = judge_answer(asking("Won", "Software"), said)
    assert told.contested == told.open == ("Won", "Software")
    assert {"Lost", "Lead", "Hardware"} <= {*told.rivals}


def test_what_the_question_names_is_no_rival():
    task = next(t for t in QUESTIONS if t.gold.intent == "rt-visits")
    (fact,) = task.gold.facts
    said = f"{task.utterance} There were {fact} visits."
    assert judge_answer(task, said).fault is None


@pytest.mark.parametrize("task", QUESTIONS, ids=lambda task: task.id)
def test_every_fact_is_one_of_several_options(task):
    for fact in task.gold.facts:
        assert fact in options(task, fact)
        for rival in list(rivals_of(task, fact))[:3]:
            told = judge_answer(task, f"{', '.join(task.gold.facts)} or {rival}")
            assert (told.untold, fact in told.contested) == ((), True)


@given(st.text())
def test_any_answer_can_be_judged(answer):
    for facts in (("9",), ("2023-12-01", "13:30"), ("Won", "Software")):
        told = judge_answer(asking(*facts), answer)
        assert {*told.open} <= {*facts}


def test_nothing_is_owed_where_nothing_was_asked():
    change = next(task for task in generate_tasks("test") if task.gold.gold_requests())
    assert judge_answer(change, "").fault is None
