import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_servers.assistant.offline.opening import open_offline
from ossia_servers.gateway import ROLES, RoleModels, open_model, read_specification
from ossia_servers.gateway.models import ModelCall


def read(text):
    return read_specification(text, ROLES)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("offline", "offline"),
        ("offline:noise=0.1,seed=3", "offline:noise=0.1,seed=3"),
        ("offline:seed=3,noise=0.10", "offline:noise=0.1,seed=3"),
        ("offline:noise=0,seed=3", "offline"),
        ("offline:delay=0.30,noise=0.5", "offline:noise=0.5,seed=0,delay=0.3"),
        ("offline:delay=0", "offline"),
        ("offline:file=a,b.json,noise=0.5", "offline:file=a,b.json,noise=0.5,seed=0"),
        ("offline:policy=literal", "offline:policy=literal"),
        (
            "offline:policy=persistent,noise=0.1",
            "offline:noise=0.1,seed=0,policy=persistent",
        ),
        ("scripted:a,b.json", "scripted:a,b.json"),
        ("replay:a=b,c.jsonl", "replay:a=b,c.jsonl"),
        ("openai/gpt-4o", "openai/gpt-4o"),
        ("ollama/llama3.1:8b", "ollama/llama3.1:8b"),
        # Of runs that were stored when Ossia served tuned models.
        ("intent=local:tuned,*=openai/gpt-4o", "intent=local:tuned,*=openai/gpt-4o"),
        ("*=offline,intent=openai/gpt-4o", "intent=openai/gpt-4o,*=offline"),
        (
            "url=offline:noise=0.1,seed=3,intent=offline:file=a,b,*=offline",
            "intent=offline:file=a,b,url=offline:noise=0.1,seed=3,*=offline",
        ),
        (
            " intent = offline:noise=0.2, *=scripted:x",
            "intent=offline:noise=0.2,seed=0,*=scripted:x",
        ),
        ("intent=offline,*=offline", "offline"),
    ],
)
def test_what_is_read_is_written_in_one_form(text, canonical):
    assert str(read(text)) == canonical
    assert read(canonical) == read(text)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("intent=offline", "names no model for the other roles"),
        ("intent=offline,intent=offline,*=offline", "names intent twice"),
        ("tiem=offline,*=offline", "names an unknown role: 'tiem'"),
        ("intent=tuned,tiem=offline,*=offline", "names an unknown role: 'tiem'"),
        ("offline,intent=openai/gpt-4o", "intent=..."),
        ("offline:noise=0.1,speed=3", "options of offline are"),
        ("offline:noise=2", "noise between 0 and 1"),
        ("offline:noise=nan", "noise between 0 and 1"),
        ("offline:delay=-1", "delay of 0 to 60 seconds"),
        ("offline:delay=61", "delay of 0 to 60 seconds"),
        ("offline:delay=inf", "delay of 0 to 60 seconds"),
        ("offline:delay=soon", "delay of 0 to 60 seconds"),
        ("offline:noise=0.1,seed=-1", "whole number"),
        ("offline:noise=0.1,noise=0.2", "noise twice"),
        ("offline:policy=stubborn", "a policy of persistent, literal, gullible"),
        ("offline:", "cannot be read"),
        ("offline:0.1", "cannot be read"),
        ("intent=,*=offline", "lacks the model of a role"),
        ("replay:", "needs a file"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_sentence(text, part):
    with pytest.raises(ValueError, match=part.replace("*", r"\*")) as caught:
        read(text)
    assert "\n" not in str(caught.value)


@given(st.text(alphabet="offline:nseds=0.1,3*itm/ ", max_size=40))
def test_any_text_is_read_or_refused_with_a_sentence(text):
    try:
        found = read(text)
    except ValueError as error:
        assert str(error).endswith(".")
    else:
        assert read(str(found)) == found


_SPECS = st.sampled_from(
    ["offline", "offline:noise=0.1,seed=3", "scripted:a,b", "openai/gpt-4o", "replay:t.jsonl"]
)


@given(default=_SPECS, named=st.dictionaries(st.sampled_from(ROLES), _SPECS, min_size=1))
def test_every_role_gets_the_model_that_is_named_for_it(default, named):
    text = ",".join([*(f"{role}={spec}" for role, spec in named.items()), f"*={default}"])
    found = read(text)
    for role in ROLES:
        assert str(found.by_role.get(role, found.default)) == named.get(role, default)


def test_roles_are_answered_by_their_models(tmp_path):
    script = tmp_path / "script.json"
    script.write_text('{"rules": [{"answer": "scripted"}]}')
    model = open_model(f"url=scripted:{script},*=offline", offline=open_offline)
    assert isinstance(model, RoleModels)

    async def ask(role):
        request = {"model": f"ossia-{role}", "messages": [{"role": "user", "content": "hi"}]}
        return await model.complete(ModelCall(role, "episode", request))

    assert asyncio.run(ask("url")).message["content"] == "scripted"
    assert asyncio.run(ask("intent")).model == "offline"
