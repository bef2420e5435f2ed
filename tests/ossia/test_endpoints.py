"""What `--base-url` and `--api-key-env` may say, and where no key goes."""

import pytest

from ossia.endpoints import ALL, options_by_model, read_base_urls
from ossia.errors import UserError
from ossia.runner.config import RunConfig
from ossia_servers.gateway import ROLES, UpstreamOptions, read_specification

MIXED = [read_specification("intent=tuned,*=openai/gpt-4o", ROLES)]
OWN = "http://127.0.0.1:8000/v1"


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        ((), {}),
        ((OWN,), {ALL: OWN}),
        ((f"tuned={OWN}",), {"tuned": OWN}),
        ((f"openai/gpt-4o={OWN}", OWN), {"openai/gpt-4o": OWN, ALL: OWN}),
        # Not an address; who opens the model says so.
        (("localhost:8000",), {ALL: "localhost:8000"}),
        (("http://host/v1?to=http://x",), {ALL: "http://host/v1?to=http://x"}),
    ],
)
def test_an_address_is_for_all_models_or_for_one(texts, found):
    assert read_base_urls(texts, MIXED) == found


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        ((OWN, OWN), "twice for all upstream models"),
        ((f"tuned={OWN}", f"tuned={OWN}"), "twice for tuned"),
        ((f"intent={OWN}",), "no upstream model with 'intent'; they are: openai/gpt-4o, tuned"),
        (("gpt=http://me:secret@host",), "no upstream model with 'gpt'"),
    ],
)
def test_an_address_that_is_nobodys_is_refused(texts, sentence):
    with pytest.raises(UserError, match=sentence) as caught:
        read_base_urls(texts, MIXED)
    assert "secret" not in str(caught.value)


def reached(urls, *variables):
    found = options_by_model(urls, variables, MIXED, UpstreamOptions(retries=2))
    return {name: (each.base_url, each.key_variable, each.api_key) for name, each in found.items()}


def test_a_model_without_an_address_stays_with_its_provider(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    monkeypatch.setenv("TUNED_KEY", "sk-tuned")
    provider = (None, None, None)
    assert reached({"tuned": OWN}) == {"tuned": (OWN, None, None), "openai/gpt-4o": provider}
    assert reached({"tuned": OWN}, "tuned=TUNED_KEY") == {
        "tuned": (OWN, "TUNED_KEY", "sk-tuned"),
        "openai/gpt-4o": provider,
    }
    # All others are one endpoint, so a key for all others is that one's.
    assert reached({"tuned": OWN}, "tuned=TUNED_KEY", "OPENAI_API_KEY")["openai/gpt-4o"] == (
        None,
        "OPENAI_API_KEY",
        "sk-openai",
    )


@pytest.mark.parametrize(
    ("urls", "variables", "sentence"),
    [
        ({"tuned": OWN}, ("OPENAI_API_KEY",), r"several endpoints \(127.0.0.1:8000, openai\)"),
        (
            {"tuned": "http://me:secret@a/v1", ALL: "http://b/v1"},
            ("OPENAI_API_KEY",),
            r"endpoints \(a, b\)",
        ),
        ({ALL: OWN}, ("tuned=NO_SUCH_KEY",), "NO_SUCH_KEY is empty or not set"),
        ({ALL: OWN}, ("intent=OPENAI_API_KEY",), "no upstream model with 'intent'"),
        ({ALL: OWN}, ("OPENAI_API_KEY", "OPENAI_API_KEY"), "twice for all"),
        ({ALL: OWN}, ("tuned=",), "is empty or not set"),
    ],
)
def test_a_key_without_a_place_of_its_own_is_refused(monkeypatch, urls, variables, sentence):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with pytest.raises(UserError, match=sentence) as caught:
        reached(urls, *variables)
    assert "secret" not in str(caught.value)
    assert "sk-openai" not in str(caught.value)


def test_addresses_are_part_of_a_runs_identity_and_runs_without_keep_their_name():
    plain = RunConfig(
        suite="assistant", tasks="test", dataset_hash="0", task_ids=("a",), frameworks=(),
        models=("intent=tuned,*=openai/gpt-4o",),
    )  # fmt: skip
    assert plain.run_id == "assistant-gpt-4o-8caec2c2bf"
    named = plain.model_copy(update={"base_urls": (("tuned", OWN),)})
    assert named.run_id != plain.run_id
