"""A model behind any server of the OpenAI protocol, with bounds on time, size and address."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import cast

import httpx2
import openai
import orjson
from pydantic import SecretStr

from consumers.judging.ports import Completion, ModelFailed
from consumers.wire.texts import shorten
from service.judges.transport import CONNECT_SECONDS, MAX_BODY, BoundedTransport, PlainClient, TooLargeError

LONGEST_WAIT = 300.0
"""Most seconds that a server's Retry-After counts for."""
_MAY_NAME_WAIT = frozenset({429, 503})
"""Statuses whose Retry-After is read."""
_RETRYABLE = frozenset({408, 409, 425, 429})
"""Client errors after which another call may succeed."""
_FORMATS = ("json_schema", "json_object", "text")
"""How a reply in JSON is requested, strictest first; a server that refuses a format is sent the next one."""

_FORMAT_NAMES = ("response_format", "json schema", "structured output", "grammar")
_UNKNOWN = re.compile(
    r"\b(?:un(?:supported|known|recogni[sz]ed|available|expected|permitted|able)"
    r"|not\b|only\b|must be|invalid|fail|extra)"
)
"""How servers say that they do not support a request."""


class OpenAIJudge:
    """A `Model`: temperature 0, a bounded reply, no retries and no redirects."""

    def __init__(self, client: openai.AsyncOpenAI, model: str, max_tokens: int) -> None:
        self._client = client
        self._model = model
        self._max_tokens = max_tokens
        self._format = 0
        # the full URL: the library would otherwise join it for each call
        self._url = f"{client.base_url}chat/completions"

    @property
    def name(self) -> str:
        """The model as its server knows it."""
        return self._model

    @property
    def max_tokens(self) -> int:
        """Most tokens of a reply."""
        return self._max_tokens

    async def complete(self, system: str, user: str, schema: Mapping[str, object], *, seconds: float) -> Completion:
        """Calls the model once, for at most `seconds`; raises `ModelFailed`.

        A server that refuses the format of the reply is called again at once with the next format.
        """
        try:
            async with asyncio.timeout(seconds):
                return _completion(orjson.loads((await self._create(system, user, schema)).content))
        except TimeoutError as error:
            raise ModelFailed(f"the model gave no complete reply within {seconds:.3g} seconds", billed=True) from error
        except openai.APIStatusError as error:
            raise status_failure(error) from error
        except (openai.OpenAIError, httpx2.HTTPError, ValueError) as error:
            raise call_failure(error) from error

    async def _create(self, system: str, user: str, schema: Mapping[str, object]) -> httpx2.Response:
        """Tries the formats in order, and keeps the first one that the server accepts."""
        first = self._format
        for place in range(first, len(_FORMATS)):
            try:
                response = await self._send(system, user, _response_format(_FORMATS[place], schema))
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if place + 1 == len(_FORMATS) or not _refuses_format(error, _FORMATS[place]):
                    raise
            else:
                if place > first:
                    self._format = max(self._format, place)
                return response
        raise AssertionError("unreachable: the refusal of the last format raises")

    async def _send(self, system: str, user: str, response_format: dict[str, object] | None) -> httpx2.Response:
        body: dict[str, object] = {
            "model": self._model,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
            "temperature": 0,
            "max_tokens": self._max_tokens,
            "n": 1,
        }
        if response_format is not None:
            body["response_format"] = response_format
        return await self._client.post(
            self._url,
            cast_to=httpx2.Response,
            # the typed call copies the whole schema each time: a third of the cost of a reply
            content=orjson.dumps(body),
            # the library copies the default of each missing option: a sixth of the cost. The key is never sent, since
            # nothing is retried; making one asks the system for randomness and releases the interpreter's lock
            options={"headers": {}, "params": {}, "max_retries": 0, "timeout": None, "idempotency_key": "unsent"},
        )


def _response_format(name: str, schema: Mapping[str, object]) -> dict[str, object] | None:
    if name == "text":
        return None
    if name == "json_object":
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": "verdict", "strict": True, "schema": schema}}


def _refuses_format(error: openai.APIStatusError, name: str) -> bool:
    """Whether the server says that it does not support the format; merely mentioning a schema is no refusal."""
    said = str(error.message).lower()
    named = error.param == "response_format" or name in said or any(each in said for each in _FORMAT_NAMES)
    return named and _UNKNOWN.search(said) is not None


def _completion(body: object) -> Completion:
    """Reads a response body; raises `ModelFailed` where it is not a completion."""
    choice = _first(_field(body, "choices"))
    message, usage = _field(choice, "message"), _field(body, "usage")
    text = _field(message, "content")
    refused = bool(_field(message, "refusal")) or _field(choice, "finish_reason") == "content_filter"
    if not refused and not isinstance(text, str):
        raise ModelFailed("the model server sent something other than a completion", billed=True)
    return Completion(
        text=text if isinstance(text, str) else "",
        tokens_in=_count(_field(usage, "prompt_tokens")),
        tokens_out=_count(_field(usage, "completion_tokens")),
        refused=refused,
    )


def _field(value: object, name: str) -> object:
    return cast("Mapping[str, object]", value).get(name) if isinstance(value, dict) else None


def _first(value: object) -> object:
    return cast("Sequence[object]", value)[0] if isinstance(value, list) and value else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31 else None


def status_failure(error: openai.APIStatusError) -> ModelFailed:
    """The failure that a status is."""
    status = error.status_code
    after = _retry_after(error.response.headers.get("retry-after")) if status in _MAY_NAME_WAIT else None
    if status == 429 and after is None:
        after = 1.0
    retryable = status >= 500 or status in _RETRYABLE
    return ModelFailed(f"the model server answers with status {status}", retry_after=after, retryable=retryable)


def call_failure(error: Exception) -> ModelFailed:
    """A failure below HTTP: only a call whose connection was never made is certainly not billed."""
    cause = error.__cause__ or error
    unmade = isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout)
    too_large = isinstance(cause, TooLargeError)
    detail = shorten(str(cause) or type(cause).__name__, 120)
    return ModelFailed(f"the model server failed: {detail}", retryable=not too_large, billed=not unmade)


def _retry_after(said: str | None) -> float | None:
    """The seconds to wait that a Retry-After header names, as a number or as a date."""
    if said is None:
        return None
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(said).astimezone(UTC) - datetime.now(UTC)).total_seconds()
        except (ValueError, OverflowError):
            return None
    return min(max(seconds, 0.0), LONGEST_WAIT) if math.isfinite(seconds) else None


@asynccontextmanager
async def open_openai_judge(
    *,
    base_url: str,
    api_key: SecretStr | None,
    model: str,
    max_tokens: int,
    connections: int,
    seconds: float,
    proxy: str | None = None,
) -> AsyncGenerator[OpenAIJudge]:
    """Opens the configured model. The first call connects."""
    async with open_client(base_url, api_key, connections=connections, seconds=seconds, proxy=proxy) as client:
        yield OpenAIJudge(client, model, max_tokens)


@asynccontextmanager
async def open_client(
    base_url: str,
    api_key: SecretStr | None,
    *,
    connections: int,
    seconds: float,
    max_body: int = MAX_BODY,
    proxy: str | None = None,
) -> AsyncGenerator[openai.AsyncOpenAI]:
    """Opens a client of one server, within the bounds of the transport."""
    key = api_key.get_secret_value() if api_key is not None else None
    transport = BoundedTransport(httpx2.URL(base_url), key, connections, max_body, proxy)
    http_client = PlainClient(transport=transport, follow_redirects=False, trust_env=False)
    client = openai.AsyncOpenAI(
        base_url=base_url,
        # without a value the library would read a key for another server from the environment
        api_key=key or "unset",
        max_retries=0,
        timeout=httpx2.Timeout(seconds, connect=CONNECT_SECONDS),
        http_client=http_client,
    )
    async with client:
        yield client
