"""What is told of a run that was in vain."""

import pytest

from ossia.runner.config import RunConfig
from ossia.runner.hints import told_why

NONE = ""
V1, BARE = "http://127.0.0.1:8000/v1/", "http://127.0.0.1:8000"


def config(url):
    return RunConfig(
        suite="assistant",
        tasks="test",
        dataset_hash="0",
        task_ids=("a",),
        frameworks=(),
        models=("tiny",),
        base_url=url,
    )


@pytest.mark.parametrize(
    ("said", "url", "hint"),
    [
        ("custom/tiny answered HTTP 404: Not Found", BARE, "--base-url should usually end in /v1"),
        ("custom/tiny answered HTTP 404: no such model", V1, NONE),
        ("openai/x answered HTTP 404: no such model", None, NONE),
        ("HTTP 400: 'temperature' must be 1", V1, "--model-param temperature= drops it"),
        ("HTTP 400: too hot", V1, "--model-param NAME= drops a parameter that it does not take"),
        ("custom/tiny answered HTTP 500: temperature", BARE, NONE),
        (
            "6 attempts failed: HTTP 429: slow",
            V1,
            "--rpm and --tpm keep a run below an endpoint's limits",
        ),
    ],
)
def test_the_endpoints_words_lead_to_what_may_mend_it(said, url, hint):
    told = told_why(f"{said}.", config(url), ["top_p", "temperature"])
    assert told == (f"{said} ({hint})" if hint else said)


def test_an_endpoints_page_is_one_line_and_cut():
    told = told_why("HTTP 404: <html>\n" + "x" * 900, config(BARE))
    assert "\n" not in told
    assert len(told) < 500
    assert told.endswith(" ... (--base-url should usually end in /v1)")
