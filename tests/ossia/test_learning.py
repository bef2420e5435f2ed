"""What is learnt: chats of roles and texts, apart from what is measured."""

import pytest

from ossia.errors import UserError
from ossia.examples import Example
from ossia.learning import refuse_test_tasks, split
from ossia.tasks import find_tasks

TRAIN = find_tasks("train", "assistant")


def test_a_chat_has_roles_and_texts_alone_and_ends_with_the_answer():
    parts = [{"type": "text", "text": "You are"}, {"type": "text", "text": "the intent agent."}]
    messages = ({"role": "system", "content": parts}, {"role": "user", "content": "a", "name": "b"})
    assert Example(messages, "{}").chat() == [
        {"role": "system", "content": "You are\nthe intent agent."},
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "{}"},
    ]


def test_test_tasks_cannot_be_learnt():
    refuse_test_tasks(TRAIN, find_tasks("test", "assistant"))
    leaked = find_tasks("test", "assistant")[3]
    hidden = TRAIN[0].model_copy(update={"utterance": f"  {leaked.utterance.upper()} "})
    with pytest.raises(UserError, match=f"1 of the tasks are test tasks.*{hidden.id}"):
        refuse_test_tasks([TRAIN[1], hidden], find_tasks("test", "assistant"))


def test_a_split_follows_from_its_seed_and_leaves_something_to_learn():
    learnt, held = split(TRAIN, 0.1, 3)
    assert (learnt, held) == split(TRAIN, 0.1, 3)
    assert held != split(TRAIN, 0.1, 4)[1]
    assert len(held) == round(len(TRAIN) * 0.1)
    assert {task.id for task in learnt} | {task.id for task in held} == {t.id for t in TRAIN}
    assert split(TRAIN[:1], 0.9, 0) == (TRAIN[:1], ())
    assert split(TRAIN, 0.0, 0) == (TRAIN, ())
