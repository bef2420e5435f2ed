import pytest
from jinja2 import Environment, TemplateError

from ossia_servers.local import prompt_text

SYSTEM = {"role": "system", "content": "You are the intent agent."}
USER = {"role": "user", "content": 'The user says: "hello"'}


class Templated:
    """A tokenizer with a chat template, run by the engine that transformers uses."""

    def __init__(self, template):
        self.chat_template = template

    def apply_chat_template(self, messages, *, tokenize, add_generation_prompt):
        assert not tokenize

        def refuse(message):
            raise TemplateError(message)

        return (
            Environment()
            .from_string(self.chat_template)
            .render(
                messages=messages,
                add_generation_prompt=add_generation_prompt,
                raise_exception=refuse,
            )
        )


PLAIN = Templated(None)
SIMPLE = Templated(
    "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}"
)
NO_SYSTEM = Templated(
    "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system') }}"
    "{% endif %}[{{ m.role }}]{{ m.content }}{% endfor %}"
)
BROKEN = Templated("{{ raise_exception('never') }}")


def test_without_a_template_each_message_stands_under_its_role():
    assert prompt_text(PLAIN, [SYSTEM, USER]) == (
        '<system>\nYou are the intent agent.\n<user>\nThe user says: "hello"\n<assistant>\n'
    )


def test_a_template_is_used_where_there_is_one():
    assert prompt_text(SIMPLE, [SYSTEM, USER]) == (
        '[system]You are the intent agent.[user]The user says: "hello"[assistant]'
    )


def test_a_template_without_a_system_role_gets_its_words_in_the_users():
    assert prompt_text(NO_SYSTEM, [SYSTEM, USER]) == (
        '[user]You are the intent agent.\n\nThe user says: "hello"'
    )
    assert prompt_text(NO_SYSTEM, [SYSTEM]) == "[user]You are the intent agent."


def test_a_template_that_fails_anyway_says_so():
    for messages in ([USER], [SYSTEM, USER]):
        with pytest.raises(TemplateError, match="never"):
            prompt_text(BROKEN, messages)


def test_speakers_tools_and_parts_become_words():
    text = prompt_text(
        SIMPLE,
        [
            {"role": "developer", "content": [{"type": "text", "text": "Be short."}]},
            {"role": "user", "name": "time", "content": "07:30"},
            {"role": "assistant", "content": None, "tool_calls": []},
            {"role": "tool", "tool_call_id": "1", "content": "done"},
        ],
    )
    assert text == "[system]Be short.[user]time: 07:30[assistant][user]done[assistant]"
