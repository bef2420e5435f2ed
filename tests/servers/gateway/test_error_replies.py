"""What providers are known to answer when an account is at its end, or only has to slow down."""

import json

import pytest

from ossia_servers.gateway.client import LOCATION
from ossia_servers.gateway.error_replies import closes_endpoint, error_status, error_text


def error(message, **fields):
    return {"error": {"message": message, **fields}}


def google(*quotas):
    violations = [{"quotaId": f"GenerateRequests{quota}PerProjectPerModel"} for quota in quotas]
    text = "You exceeded your current quota, please check your plan and billing details."
    delay = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"}
    details = [{"violations": violations}, delay]
    return [error(text, code=429, status="RESOURCE_EXHAUSTED", details=details)]


def groq(unit):
    return error(
        f"Rate limit reached for model `llama-3.3-70b` on tokens per {unit}: Limit 100000,"
        " Used 97050, Requested 3619. Please try again in 9m38.016s. Need more tokens? Upgrade to"
        " Dev Tier today at https://console.groq.com/settings/billing",
        type="tokens",
        code="rate_limit_exceeded",
    )


ENDED = {
    "openai": error("You exceeded your current quota", type="insufficient_quota"),
    "google": google("PerMinute", "PerDay"),
    "groq": groq("day (TPD)"),
    "openrouter": error(
        "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model"
        " requests per day",
        code=429,
    ),
    "xai": {
        "code": "Some resource has been exhausted",
        "error": "Your team 16f2 has either used all available credits or reached its monthly"
        " spending limit.",
    },
    "zhipu": error("余额不足或无可用资源包,请充值。", code="1113"),
    "zai": error("Insufficient balance or no resource package. Please recharge.", code="1113"),
    "moonshot": error(
        "Your account org-1 is suspended due to insufficient balance, please recharge your account"
        " or check your plan and billing details",
        type="exceeded_current_quota_error",
    ),
    "moonshot by a router": error(
        "Provider returned error",
        code=429,
        metadata={"raw": '{"error":{"message":"suspended due to insufficient balance"}}'},
    ),
    "litellm": error("Your allowance is used", type="budget_exceeded", code="429"),
    "litellm's router": error("No deployments available - crossed budget: Exceeded budget for x"),
    "cohere": {"message": "You are using a Trial key, which is limited to 1000 API calls / month."},
}

PASSING = {
    "google": google("PerMinute"),
    "google without details": error("Resource has been exhausted (e.g. check quota).", code=429),
    "groq": groq("minute (TPM)"),
    "openai": error(
        "Rate limit reached for gpt-4 on requests per min. Limit: 3 / min. Please try again in 20s."
        " Add a payment method to your account at https://platform.openai.com/account/billing"
        " to raise your usage limit."
    ),
    "mistral": {"object": "error", "message": "Rate limit exceeded", "type": "rate_limited"},
    "cerebras": {
        "message": "Tokens per minute limit exceeded - too many tokens processed.",
        "type": "too_many_tokens_error",
        "code": "token_quota_exceeded",
    },
    "moonshot": error(
        "Your account x reached max request: 3, please try again after 1 seconds",
        type="rate_limit_reached_error",
    ),
    "azure": error("Exceeded token rate limit. Please retry after 6 seconds.", code="429"),
    "anthropic": error("would exceed the limit of 50,000 input tokens per minute"),
    "nothing": {},
    "a list of nothing": [],
    "a text": "slow down",
}


@pytest.mark.parametrize("provider", ENDED)
def test_an_account_at_its_end_closes_the_endpoint(provider):
    assert closes_endpoint(429, json.dumps(ENDED[provider]).encode())
    assert not closes_endpoint(500, json.dumps(ENDED[provider]).encode())


@pytest.mark.parametrize("provider", PASSING)
def test_a_limit_of_a_minute_does_not(provider):
    assert not closes_endpoint(429, json.dumps(PASSING[provider]).encode())


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "Your credit balance is too low to access the Anthropic API. Please go to Plans"),
        (400, "You have reached your specified API usage limits. You will regain access on 2026"),
        (400, "Budget has been exceeded! Current cost: 76.16, Max budget: 10.0"),
        (400, "litellm.BadRequestError: OpenAIException - Budget has been exceeded! Current cost"),
        (412, "Account mine is suspended, possibly due to reaching the monthly spending limit"),
    ],
)
def test_other_statuses_close_it_where_the_words_are_unmistakable(status, said):
    assert closes_endpoint(status, json.dumps(error(said, type="invalid_request_error")).encode())


@pytest.mark.parametrize(
    "said",
    [
        "Invalid value: 'Your credit balance is too low to access'.",
        "The prompt 'insufficient balance, budget has been exceeded' is too long.",
    ],
)
def test_a_refusal_that_quotes_a_prompt_does_not(said):
    assert not closes_endpoint(400, json.dumps(error(said)).encode())


def test_an_error_in_a_reply_of_200_ends_it_by_its_error_alone():
    ended = {"error": "Your team has used all available credits"}
    assert error_status(json.dumps(ended).encode()) == 429
    told = {"error": "busy", "choices": [{"text": "insufficient balance"}]}
    assert error_status(json.dumps(told).encode()) is None


@pytest.mark.parametrize("raw", [b"null", b"5", b"true", b'"x"', b"[1]"])
def test_an_error_whose_body_is_no_object_is_told_by_its_status(raw):
    assert error_text(500, {}, raw, "http://here:1") == raw.decode()
    assert [closes_endpoint(status, raw) for status in (401, 402, 403)] == [True] * 3
    assert not any(closes_endpoint(status, raw) for status in (400, 429, 500, 503))


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (
            b"\n<!DOCTYPE HTML><html><head>\n<title>Error &amp; response</title></head><body>x"
            * 90,
            "a web page: Error & response",
        ),
        (b"<HTML><body>Bad gateway</body></HTML>", "a web page"),
        (b"<html><title>  </title>", "a web page"),
        (b"<Error><Code>AccessDenied</Code></Error>", "<Error><Code>AccessDenied</Code></Error>"),
        (b"< 3 requests a minute", "< 3 requests a minute"),
        (b'{"error": {"message": "<html> is no model"}}', "<html> is no model"),
        (b"<html><title>" + b"<" * 1_000_000, "a web page"),
    ],
)
def test_a_web_page_is_told_by_its_title(raw, shown):
    assert error_text(501, {}, raw, "http://here:1") == shown


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("https://other.example/v1/chat/completions?token=1#x", "https://other.example/v1/chat/c"),
        ("/v2/chat/completions", "http://here:1/v2/chat/completions"),
        ("", "none was told"),
        ("http://[", "http://["),
    ],
)
def test_a_redirect_says_where_it_points_and_what_to_change(location, shown):
    text = error_text(307, {LOCATION: location}, b"", "http://here:1/v1/chat/completions")
    assert text.startswith("redirects are not followed")
    assert f"name it with --base-url: {shown}" in text
    assert "token" not in text
    assert closes_endpoint(307, b"")
