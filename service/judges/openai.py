"""A model behind any server of the OpenAI protocol, with bounds on time, size and address."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

import orjson
from pydantic import SecretStr

from consumers.judging.ports import Completion, FailureCause, ModelFailed
from service.judges.completions import has_reasoned, read_completion
from service.judges.request_forms import CHAT, RequestForm, endpoint_url
from service.judges.server_errors import (
    call_failure,
    error_parameter,
    is_filtered,
    no_json,
    response_error,
    status_failure,
)
from service.judges.transport import MAX_BODY, PlainClient, StatusError, TransportError

_MAY_NAME_PARAMETER = frozenset({400, 422})
"""Statuses whose error may name a parameter that the server refuses."""
_MOST_FORMS = 8
"""Most requests of one call, each without what the server refused in the one before."""


class OpenAIJudge:
    """A `Model`: temperature 0, a bounded reply, no retries and no redirects.

    It learns which parameters its server refuses, and leaves them out from then on.
    """

    def __init__(self, client: PlainClient, base_url: str, model: str, max_tokens: int) -> None:
        self._client = client
        self._model = model
        self._max_tokens = max_tokens
        self._url = endpoint_url(base_url, CHAT)
        self._form = RequestForm.of(self._url)

    @property
    def name(self) -> str:
        """The model as its server knows it."""
        return self._model

    @property
    def max_tokens(self) -> int:
        """Most tokens of a reply."""
        return self._form.most(self._max_tokens)

    @property
    def form(self) -> RequestForm:
        """The form of the requests that the server accepts."""
        return self._form

    @property
    def url(self) -> str:
        """Where the requests are sent."""
        return self._url

    async def complete(self, system: str, user: str, schema: Mapping[str, object], *, seconds: float) -> Completion:
        """Calls the model once, for at most `seconds`; raises `ModelFailed`.

        A server that refuses a parameter is called again at once without it, and a model whose reasoning took all
        tokens of the reply once more with a higher limit.
        """
        try:
            async with asyncio.timeout(seconds):
                return await self._complete(system, user, schema)
        except TimeoutError as error:
            raise ModelFailed(
                f"the model gave no complete reply within {seconds:.3g} seconds",
                billed=True,
                cause=FailureCause.TIMEOUT,
            ) from error
        except StatusError as error:
            raise status_failure(error.response) from error
        except (TransportError, ValueError) as error:
            raise call_failure(error) from error

    async def _complete(self, system: str, user: str, schema: Mapping[str, object]) -> Completion:
        """Sends the request in the form that the server accepts; a form is kept only where it was accepted."""
        first = form = self._form
        spent: Completion | None = None
        for left in range(_MOST_FORMS, 0, -1):
            body = form.body(self._model, system, user, schema, self._max_tokens)
            try:
                content = await self._client.post_json(self._url, body)
            except StatusError as error:
                if is_filtered(error.response):
                    return Completion(text="", tokens_out=0, refused=True)
                if error.response.status not in _MAY_NAME_PARAMETER:
                    raise
                said = response_error(error.response)
                changed = form.without(said, error_parameter(error.response), body)
                if changed is None or left == 1:
                    raise
                form = changed
                continue
            said = _read_json(content)
            completion = _together(spent, read_completion(said))
            if form is not first:
                self._form = form
            if not completion.cut_short or form.reasons or left == 1 or not has_reasoned(said):
                return completion
            form, spent = replace(form, reasons=True), completion
        raise AssertionError("unreachable: the last request returns or raises")


def _read_json(content: bytes) -> object:
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise no_json(content) from error


def _together(spent: Completion | None, completion: Completion) -> Completion:
    """The completion with the tokens of an earlier one that was cut short."""
    if spent is None or None in (spent.tokens_in, spent.tokens_out, completion.tokens_in, completion.tokens_out):
        return completion
    return replace(
        completion,
        tokens_in=(spent.tokens_in or 0) + (completion.tokens_in or 0),
        tokens_out=(spent.tokens_out or 0) + (completion.tokens_out or 0),
    )


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
        yield OpenAIJudge(client, base_url, model, max_tokens)


@asynccontextmanager
async def open_client(
    base_url: str,
    api_key: SecretStr | None,
    *,
    connections: int,
    seconds: float,
    max_body: int = MAX_BODY,
    proxy: str | None = None,
) -> AsyncGenerator[PlainClient]:
    """Opens a client of one server, within the bounds of the transport."""
    key = api_key.get_secret_value() if api_key is not None else None
    async with PlainClient(base_url, key, connections, max_body, proxy) as client:
        yield client
