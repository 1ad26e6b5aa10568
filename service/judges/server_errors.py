"""What a model server's error says: its whole message, its cause and what to correct."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import cast

import orjson

from consumers.judging.ports import FailureCause, ModelFailed
from consumers.wire.texts import shorten
from service.judges.transport import NotConnectedError, ServerResponse, TooLargeError

LONGEST_WAIT = 300.0
"""Most seconds that a server's Retry-After counts for."""
_LONGEST_SAID = 300
_LONGEST_READ = 4000
"""Most bytes of a body without JSON that are searched for what it says."""
_MAY_NAME_WAIT = frozenset({429, 503})
"""Statuses whose Retry-After is read."""
_RETRYABLE = frozenset({408, 409, 425, 429})
"""Client errors after which another call may succeed."""
_NO_CREDIT = "insufficient_quota"
_QUOTA = re.compile(
    rf"{_NO_CREDIT}|insufficient credits|exceeded your current quota|billing|payment required|credit balance"
    "|budget has been exceeded|budget_exceeded"
)
_BAD_KEY = re.compile(r"(?:api|access)[-_ ]key (?:is )?(?:not valid|invalid)|(?:invalid|incorrect) (?:x-)?api[-_ ]key")
_NO_MODEL = re.compile(
    r"(?:invalid|unknown|no such) model\b|model[^.:;]{0,80}(?:does not exist|not found|identifier is invalid)"
)
"""How gateways say with status 400 what others say with 401 and 404."""
_KEY = re.compile(r"\b(?:(?:sk|pk|rk|gsk|hf|xai|key)[-_]|AIza|AKIA|Bearer (?=\S*\d))[^\s\"',]{4,}")
"""Keys that servers repeat in their errors."""
_MESSAGES = ("error", "detail", "message", "Message", "errors", "msg", "error_message")
"""The fields of a body in which servers say what is wrong."""
_TITLE = re.compile(r"<title[^>]*>([^<]*)", re.IGNORECASE)
_FIXES: Mapping[FailureCause, str] = {
    FailureCause.KEY: "check SQLASSAY_JUDGE__API_KEY, and that it may use the model",
    FailureCause.NOT_FOUND: "check SQLASSAY_JUDGE__BASE_URL and SQLASSAY_JUDGE__MODEL",
    FailureCause.QUOTA: "raise the quota or the credit of the account",
}


def status_failure(response: ServerResponse) -> ModelFailed:
    """The failure that a response with an error status is."""
    status, said = response.status, response_error(response)
    failure = _failure(status, said, _retry_after(response.headers.get("retry-after")))
    if failure.cause is FailureCause.REDIRECT:
        target = shorten(str(response.headers.get("location", "another address")), 200)
        return ModelFailed(
            f"the model server redirects (status {status}) to {target}, and redirects are not followed: "
            "set SQLASSAY_JUDGE__BASE_URL to that address",
            retryable=False,
            cause=FailureCause.REDIRECT,
        )
    return failure


def body_failure(body: object) -> ModelFailed | None:
    """The failure that a body with status 200 tells of, as some gateways send it."""
    choices = _field(body, "choices")
    # some gateways put the failure of the server behind them into the choice
    holder = cast("Sequence[object]", choices)[0] if isinstance(choices, list) and choices else body
    error = _field(holder, "error")
    if not error:
        return None
    code = _field(error, "code")
    status = code if isinstance(code, int) and 400 <= code < 600 else 502
    return _failure(status, error_text(holder), None)


def no_json(content: bytes) -> ModelFailed:
    """The failure that a body with status 200 is which holds no JSON, such as a login page."""
    said = error_text(_json(content)) or "nothing"
    return ModelFailed(f"the model server sent no JSON but {said}", billed=True, cause=FailureCause.REPLY)


def is_filtered(response: ServerResponse) -> bool:
    """Whether a filter of the server refused the prompt, as Azure's does: the model declined, and nothing failed."""
    return response.status == 400 and _field(_field(_json(response.content), "error"), "code") == "content_filter"


def _failure(status: int, said: str, after: float | None) -> ModelFailed:
    cause = _cause(status, said, after)
    if status == 429 and after is None and cause is FailureCause.RATE_LIMIT:
        after = 1.0
    detail = f"the model server answers with status {status}{f': {said}' if said else ''}"
    fix = _FIXES.get(cause)
    return ModelFailed(
        f"{detail}; {fix}" if fix else detail,
        retry_after=after if status in _MAY_NAME_WAIT and cause is not FailureCause.QUOTA else None,
        retryable=(status >= 500 or status in _RETRYABLE) and cause is not FailureCause.QUOTA,
        cause=cause,
    )


def _cause(status: int, said: str, after: float | None) -> FailureCause:
    if 300 <= status < 400:
        return FailureCause.REDIRECT
    lowered = said.lower()
    # a server that names when to come back has a limit for each minute, not an empty account
    is_spent = status == 400 or (status == 429 and (after is None or _NO_CREDIT in lowered))
    if status == 402 or (is_spent and _QUOTA.search(lowered)):
        return FailureCause.QUOTA
    if status == 400:
        no_model = FailureCause.NOT_FOUND if _NO_MODEL.search(lowered) else FailureCause.REQUEST
        return FailureCause.KEY if _BAD_KEY.search(lowered) else no_model
    named = {401: FailureCause.KEY, 403: FailureCause.KEY, 404: FailureCause.NOT_FOUND, 429: FailureCause.RATE_LIMIT}
    return named.get(status, FailureCause.SERVER if status >= 500 else FailureCause.REQUEST)


def call_failure(error: Exception) -> ModelFailed:
    """A failure below HTTP: only a call whose connection was never made is certainly not billed."""
    unmade = isinstance(error, NotConnectedError)
    too_large = isinstance(error, TooLargeError)
    detail = shorten(str(error) or type(error).__name__, 120)
    kind = FailureCause.REPLY if too_large or isinstance(error, ValueError) else FailureCause.CONNECTION
    return ModelFailed(f"the model server failed: {detail}", retryable=not too_large, billed=not unmade, cause=kind)


def error_text(body: object) -> str:
    """The message of an error body in any of the usual forms, with its code, and without keys.

    >>> error_text({"error": {"message": "No such model", "code": "model_not_found"}})
    'No such model (model_not_found)'
    >>> error_text({"detail": [{"loc": ["body", "n"], "msg": "Extra inputs are not permitted"}]})
    'body.n: Extra inputs are not permitted'
    >>> error_text([{"error": {"code": 404, "message": "no such route"}}]), error_text({"Message": "Denied"})
    ('no such route', 'Denied')
    >>> error_text("<html><title>Sign in</title>"), error_text(None)
    ('a page “Sign in”', '')
    """
    if isinstance(body, list) and body:
        return error_text(cast("Sequence[object]", body)[0])
    fields = cast("Mapping[str, object]", body) if isinstance(body, dict) else dict[str, object]()
    said = next((text for each in _MESSAGES if (text := _said(fields.get(each)))), "")
    plain = _plain(body) if isinstance(body, str) else ""
    return shorten(" ".join(_KEY.sub("…", said or plain).split()), _LONGEST_SAID)


def _plain(body: str) -> str:
    """A body that is no JSON; of a page only its title."""
    if "<" not in body:
        return body
    title = _TITLE.search(body)
    return f"a page “{title[1].strip()}”" if title is not None else "a page"


def error_parameter(response: ServerResponse) -> str | None:
    """The parameter that an error names."""
    said = _field(_field(_json(response.content), "error"), "param")
    return said if isinstance(said, str) else None


def response_error(response: ServerResponse) -> str:
    """The message of a response with an error status."""
    return error_text(_json(response.content))


def _said(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "; ".join(filter(None, [_said(each) for each in cast("Sequence[object]", value)[:4]]))
    message = next((found for each in ("message", "msg", "detail", "error") if (found := _field(value, each))), None)
    text = _said(message) if message is not None else ""
    where, code = _field(value, "loc"), _field(value, "code") or _field(value, "type")
    raw = _field(_field(value, "metadata"), "raw")
    if isinstance(where, list):
        return f"{'.'.join(map(str, cast('Sequence[object]', where)))}: {text}"
    shown = f"{text}: {raw}" if isinstance(raw, str) else text
    return f"{shown} ({code})" if isinstance(code, str) and code not in shown else shown


def _json(content: bytes) -> object:
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        return content[:_LONGEST_READ].decode("utf-8", "replace")


def _field(value: object, name: str) -> object:
    return cast("Mapping[str, object]", value).get(name) if isinstance(value, dict) else None


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
