"""Reads the fields of a form that a page of the console sent, and tells its own forms from those of other sites."""

from __future__ import annotations

import hmac
from collections.abc import AsyncGenerator
from typing import Annotated, cast
from urllib.parse import parse_qsl

from fastapi import Depends, Request
from starlette.datastructures import ImmutableMultiDict

from service.api.bodies import content_type, read_body
from service.api.caller import Caller
from service.api.errors import ApiError
from service.api.forms.multipart import MULTIPART, multipart_fields
from service.api.visits import current_visit, unmasked
from service.pipeline.running import Service

FORM = "application/x-www-form-urlencoded"
MAX_FORM_BYTES = 1024 * 1024
CSRF_FIELD = "csrf"
"""The hidden field that each form of the console sends."""
CSRF_HEADER = "X-CSRF-Token"
"""The header that a script of the console sends in its place."""
_MOST_FIELDS, _MOST_UPLOADED = 2_000, 20
"""Most fields of a form, and of one that uploads a file."""
_FORMS = frozenset({FORM, MULTIPART})


async def form_fields(request: Request) -> AsyncGenerator[ImmutableMultiDict[str, str]]:
    """The fields of the form in the request's body, a file as its text; none where the body is no form.

    Raises a 413 for a form that is too large, and a 400 for one that cannot be read or is not UTF-8.
    """
    if content_type(request) not in _FORMS:
        yield ImmutableMultiDict()
        return
    service = cast("Service", request.app.state.service)
    async with read_body(request, service, Caller(tenant=None), _FORMS) as body:
        if body.kind == MULTIPART:
            body.reserve(2 * len(body.raw))
            yield await body.run(lambda: _uploaded(body.raw, request.headers["content-type"]))
            return
        if len(body.raw) > MAX_FORM_BYTES:
            raise ApiError(413, "BODY_TOO_LARGE", f"the form is over {MAX_FORM_BYTES} bytes", "Shorten its fields.")
        yield _fields(body.raw)


def _fields(raw: bytes) -> ImmutableMultiDict[str, str]:
    try:
        pairs = parse_qsl(raw.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise _invalid(f"the form is not UTF-8, or has more than {_MOST_FIELDS} fields") from None
    return ImmutableMultiDict(pairs)


def _uploaded(raw: bytes, content_type: str) -> ImmutableMultiDict[str, str]:
    try:
        return ImmutableMultiDict(multipart_fields(raw, content_type, most=_MOST_UPLOADED))
    except UnicodeDecodeError:
        raise _invalid("the form, or its file, is not UTF-8") from None
    except ValueError as error:
        raise _invalid(str(error)) from None


def _invalid(message: str) -> ApiError:
    return ApiError(400, "INVALID_FORM", message, "Reload the page and fill in the form again.")


FormFields = Annotated[ImmutableMultiDict[str, str], Depends(form_fields)]


def check_form(request: Request, fields: ImmutableMultiDict[str, str]) -> None:
    """Raises a 403 unless the form, or the script, sent the token of this browser."""
    sent, expected = request.headers.get(CSRF_HEADER) or fields.get(CSRF_FIELD) or "", current_visit().csrf
    if not expected or not hmac.compare_digest(unmasked(sent).encode(), expected.encode()):
        message = "this form comes from another site, or from a page that is too old"
        raise ApiError(403, "FORM_REFUSED", message, "Reload the page and send the form again.")
