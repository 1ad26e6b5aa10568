"""The servers that people have: each refuses, limits and fails in its own words, and none of it is silent."""

from __future__ import annotations

import json
from typing import Any

import pytest

from consumers.judging.breaker import BreakerState
from consumers.judging.ports import FailureCause
from scoring.query import ModelUnscored, UnscoredReason
from scoring.verdict import Reply
from service.settings.judge_settings import PriceSettings
from tests.servers.model_server import VERDICT, ModelServer, model_process_server, model_server
from tests.service.test_openai_judge import MET, WAITING, Opened, asked, opened

__all__ = ["model_process_server", "model_server", "opened"]

PRICES = {"stand-in": PriceSettings(sent=1.0, received=10.0)}


def refused(name: str, words: str, **more: Any) -> dict[str, Any]:
    return {name: {"error": {"message": words, "type": "invalid_request_error", **more}}}


REASONING = {
    **refused(
        "max_tokens",
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        param="max_tokens",
        code="unsupported_parameter",
    ),
    **refused(
        "temperature",
        "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
        param="temperature",
        code="unsupported_value",
    ),
}
SHAPES: dict[str, tuple[str, dict[str, Any], str, dict[str, Any]]] = {
    # path of the base URL, what the server does, path of the requests, what it is sent in the end (None: nothing)
    "OpenAI chat": ("/v1", VERDICT, "/v1/chat/completions", {"temperature": 0, "n": None, "max_tokens": 700}),
    "OpenAI chat with a reasoning model": (
        "/v1", {"do": "strict", "refuses": REASONING}, "/v1/chat/completions",
        {"temperature": None, "max_tokens": None, "max_completion_tokens": 700},
    ),
    "OpenAI responses": (
        "/v1/responses", {"do": "responses"}, "/v1/responses",
        {"max_output_tokens": 700, "store": False, "messages": None, "n": None, "response_format": None},
    ),
    "OpenAI responses with a reasoning model": (
        "/v1/responses",
        {"do": "strict", "refuses": {"temperature": REASONING["temperature"]}},
        "/v1/responses", {"temperature": None, "max_output_tokens": 700},
    ),
    "Azure": (
        "/openai/deployments/judge?api-version=2024-10-21", VERDICT,
        "/openai/deployments/judge/chat/completions?api-version=2024-10-21", {"temperature": 0},
    ),
    "vLLM": (
        "/v1",
        {"do": "strict", "status": 422, "refuses": {
            "temperature": {"detail": [{"loc": ["body", "temperature"], "msg": "Extra inputs are not permitted"}]}}},
        "/v1/chat/completions", {"temperature": None, "max_tokens": 700},
    ),
    "vLLM with a short context": (
        "/v1", {"do": "strict", "refuses": {"max_tokens": {"object": "error", "message":
            "This model's maximum context length is 2048 tokens. However, you requested 2200 tokens (1500 in the "
            "messages, 700 in the completion). Please reduce the length of the messages or completion."}}},
        "/v1/chat/completions", {"max_tokens": None, "max_completion_tokens": None},
    ),
    "a template without a system message": (
        "/v1", {"do": "one_message"}, "/v1/chat/completions", {"max_tokens": 700},
    ),
    "Vertex": (
        "/v1beta1/openapi", {"do": "strict", "refuses": {"temperature": [{"error": {"code": 400, "message":
            'Invalid JSON payload received. Unknown name "temperature": Cannot find field.',
            "status": "INVALID_ARGUMENT"}}]}},
        "/v1beta1/openapi/chat/completions", {"temperature": None, "max_tokens": 700},
    ),
    "Bedrock": (
        "/openai/v1", {"do": "strict", "before": "<reasoning>It is {0}.</reasoning>", "refuses": {"temperature": {
            "message": "Malformed input request: #: extraneous key [temperature] is not permitted"}}},
        "/openai/v1/chat/completions", {"temperature": None, "max_tokens": 700},
    ),
    "a server that leaves reasoning without its first tag": (
        "/v1", {"do": "strict", "before": "It is right.\n</think>\n", "refuses": {}},
        "/v1/chat/completions", {"max_tokens": 700},
    ),
    "an older Azure": (
        "/openai/deployments/judge?api-version=2023-05-15",
        {"do": "strict", "refuses": {"response_format": {"error": {"message":
            "Unrecognized request argument supplied: response_format", "param": None}}}},
        "/openai/deployments/judge/chat/completions?api-version=2023-05-15", {"response_format": None},
    ),
    "Ollama": (
        "/v1/", {"do": "thinking", "needs": 100}, "/v1/chat/completions", {"max_tokens": 700},
    ),
    "OpenRouter": (
        "/api/v1",
        {"do": "strict", "refuses": {"response_format": {"error": {
            "message": "Provider returned error", "code": 400,
            "metadata": {"raw": "structured output is not supported by this provider"}}}}},
        "/api/v1/chat/completions", {"response_format": None},
    ),
    "a gateway that names the endpoint": (
        "/gateway/chat/completions?route=eu",
        {"do": "strict", "refuses": {"temperature": {"message": "unknown field `temperature`"}}},
        "/gateway/chat/completions?route=eu", {"temperature": None},
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
async def test_each_server_gives_a_verdict_and_is_asked_in_its_own_form_from_then_on(
    opened: Opened, model_server: ModelServer, shape: str
) -> None:
    path, step, requested, sent = SHAPES[shape]
    model_server.script(step)
    async with opened(base_url=model_server.url.removesuffix("/v1") + path, api_key="a-key") as (panel, _):
        first = await asked(panel)
        tried = len(model_server.seen())
        assert isinstance(await asked(panel), Reply)
    assert isinstance(first, Reply)
    assert not first.fallback, first.rationale
    assert (first.tokens_in, first.tokens_out) == (900, 100)
    seen = model_server.seen()
    assert len(seen) == tried + 1
    assert {each["path"] for each in seen} == {requested}
    body = json.loads(seen[-1]["body"])
    assert {name: body.get(name) for name in sent} == sent
    key = "api-key" if "Azure" in shape else "authorization"
    assert seen[-1]["headers"][key].endswith("a-key")
    assert len({"api-key", "authorization"} & set(seen[-1]["headers"])) == 1


async def test_a_model_that_reasons_gets_a_higher_limit_once_and_both_calls_are_paid(
    opened: Opened, model_server: ModelServer
) -> None:
    model_server.script({"do": "thinking", "needs": 2000})
    async with opened(prices=PRICES, max_tokens=300) as (panel, counts):
        reply = await asked(panel)
        assert isinstance(await asked(panel), Reply)
    assert isinstance(reply, Reply)
    assert (reply.tokens_in, reply.tokens_out) == (1800, 400)
    assert reply.cost == pytest.approx(0.0058)
    assert counts.cost == pytest.approx(0.0058 + 0.0019)
    limits = [json.loads(each["body"])["max_tokens"] for each in model_server.seen()]
    assert limits == [300, 2400, 2400]


FAILURES: list[tuple[dict[str, Any], FailureCause, str]] = [
    ({"status": 401, "body": {"error": {"message": "Incorrect API key provided: sk-abcdef123", "code": "bad"}}},
     FailureCause.KEY, "Incorrect API key provided: … (bad); check SQLASSAY_JUDGE__API_KEY"),
    ({"status": 403, "body": {"message": "No access to the model"}}, FailureCause.KEY, "No access to the model"),
    ({"status": 404, "body": {"detail": "Not Found"}}, FailureCause.NOT_FOUND, "SQLASSAY_JUDGE__BASE_URL"),
    ({"status": 400, "body": {"detail": [{"loc": ["body", "messages"], "msg": "too long"}]}},
     FailureCause.REQUEST, "body.messages: too long"),
    ({"status": 402, "body": {"error": {"message": "Insufficient credits", "code": 402}}},
     FailureCause.QUOTA, "Insufficient credits"),
    ({"status": 429, "body": {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}},
     FailureCause.QUOTA, "insufficient_quota"),
    ({"status": 307, "headers": {"location": "https://models.example/v2"}},
     FailureCause.REDIRECT, "to https://models.example/v2"),
    ({"status": 200, "body": {"error": {"message": "User not found", "code": 401}}}, FailureCause.KEY, "not found"),
    ({"status": 500, "body": {"error": "out of memory"}}, FailureCause.SERVER, "status 500: out of memory"),
    ({"status": 404, "body": [{"error": {"code": 404, "message": "models/x is not found", "status": "NOT_FOUND"}}]},
     FailureCause.NOT_FOUND, "models/x is not found; check"),
    ({"status": 400, "body": [{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key."}}]},
     FailureCause.KEY, "API key not valid"),
    ({"status": 400, "body": {"message": "The provided model identifier is invalid."}},
     FailureCause.NOT_FOUND, "SQLASSAY_JUDGE__MODEL"),
    ({"status": 400, "body": {"error": {"message": "Budget has been exceeded!", "code": "400"}}},
     FailureCause.QUOTA, "Budget has been exceeded"),
    ({"status": 429, "headers": {"retry-after": "1"}, "body": {"error": {"code": "insufficient_quota"}}},
     FailureCause.QUOTA, "raise the quota"),
    ({"status": 403, "body": {"Message": "User x is not authorized"}}, FailureCause.KEY, "User x is not authorized"),
    ({"status": 403, "body": {"message": "Bearer Token has expired"}}, FailureCause.KEY, "Bearer Token has expired"),
    ({"status": 200, "body": {"choices": [{"finish_reason": "error", "message": {"content": ""},
                                           "error": {"code": 502, "message": "Upstream idle timeout"}}]}},
     FailureCause.SERVER, "Upstream idle timeout"),
    ({"status": 200, "body": {"code": 1001, "msg": "invalid token"}}, FailureCause.REPLY, "invalid token"),
    ({"status": 200, "body": {"choices": [{"finish_reason": "stop", "message": {"reasoning_content": "It is."}}]}},
     FailureCause.REPLY, "reasoning alone"),
    ({"status": 401, "body": {"error": "the key azure-key-0123 is unknown"}}, FailureCause.KEY, "the key ... is unk"),
]  # fmt: skip


@pytest.mark.parametrize(("step", "cause", "said"), FAILURES, ids=[f"{each[1]} {each[2]}" for each in FAILURES])
async def test_the_cause_of_a_fallback_stands_in_the_row_and_in_the_counts(
    opened: Opened, model_server: ModelServer, step: dict[str, Any], cause: FailureCause, said: str
) -> None:
    model_server.script({"do": "status", "headers": {}, **step})
    async with opened(tries=1, api_key="azure-key-0123") as (panel, counts):
        reply = await asked(panel)
    assert isinstance(reply, Reply)
    assert reply.fallback
    assert said in reply.rationale
    assert "abcdef" not in reply.rationale
    assert counts.causes == {cause: 1}


PAGES = {
    "<html><head><title>Sign in</title></head></html>": "no JSON but a page “Sign in”",
    "data: [DONE]": "no JSON but data: [DONE]",
    "": "no JSON but nothing",
}


@pytest.mark.parametrize("text", PAGES)
async def test_a_body_that_is_no_json_is_named(opened: Opened, model_server: ModelServer, text: str) -> None:
    model_server.script({"do": "raw", "text": text})
    async with opened(tries=1) as (panel, counts):
        reply = await asked(panel)
    assert isinstance(reply, Reply)
    assert PAGES[text] in reply.rationale
    assert counts.causes == {FailureCause.REPLY: 1}


FILTERED = {"error": {"message": "The response was filtered", "param": "prompt", "code": "content_filter"}}


async def test_a_prompt_that_a_filter_of_the_server_refuses_is_refused_and_opens_no_breaker(
    opened: Opened, model_server: ModelServer
) -> None:
    model_server.script({"do": "status", "status": 400, "headers": {}, "body": FILTERED})
    async with opened(breaker_failures=2, prices=PRICES) as (panel, counts):
        replies = [await asked(panel) for _ in range(4)]
    for reply in replies:
        assert isinstance(reply, ModelUnscored)
        assert reply.reason is UnscoredReason.JUDGE_REFUSED
        assert reply.cost > 0
    assert counts.state is BreakerState.CLOSED


async def test_while_calls_pause_rows_say_what_the_server_said_last(opened: Opened, model_server: ModelServer) -> None:
    down = {"error": {"message": "no GPU is free"}}
    model_server.script({"do": "status", "status": 503, "headers": {}, "body": down})
    async with opened(breaker_failures=2, tries=4) as (panel, counts):
        replies = [await asked(panel) for _ in range(3)]
    for reply in replies:
        assert isinstance(reply, Reply)
        assert "status 503: no GPU is free" in reply.rationale
    assert counts.causes == {FailureCause.SERVER: 1, FailureCause.BREAKER: 2}


async def test_a_quota_that_is_used_up_opens_the_breaker_at_once(opened: Opened, model_server: ModelServer) -> None:
    used_up = {"error": {"message": "no credit", "code": "insufficient_quota"}}
    model_server.script({"do": "status", "status": 429, "headers": {}, "body": used_up})
    async with opened() as (panel, counts):
        await asked(panel)
        assert counts.state is BreakerState.OPEN
        await asked(panel)
    assert len(model_server.seen()) == 1
    assert counts.causes == {FailureCause.QUOTA: 1, FailureCause.BREAKER: 1}


async def test_a_server_that_keeps_asking_to_wait_opens_the_breaker(opened: Opened, model_server: ModelServer) -> None:
    model_server.script({"do": "status", "status": 429, "headers": {"retry-after": "0.01"}})
    async with opened(breaker_failures=3, tries=6) as (panel, counts):
        await asked(panel, WAITING)
    assert counts.state is BreakerState.OPEN
    assert len(model_server.seen()) == 3


async def test_an_invalid_reply_is_asked_for_once_more_and_both_are_paid(
    opened: Opened, model_server: ModelServer
) -> None:
    invalid = {"do": "text", "text": "Correct"}
    async with opened(prices=PRICES) as (panel, _):
        model_server.script(VERDICT, first=(invalid,))
        mended = await asked(panel, MET)
        model_server.script(invalid)
        failed = await asked(panel, MET)
    assert isinstance(mended, Reply)
    assert mended.cost == pytest.approx(0.0038)
    assert isinstance(failed, ModelUnscored)
    assert failed.reason is UnscoredReason.JUDGE_REPLY_INVALID
    assert (failed.model, failed.tokens_in, failed.cost) == ("stand-in", 1800, pytest.approx(0.0038))
    assert len(model_server.seen()) == 2
