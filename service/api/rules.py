"""Reads and replaces a tenant's rules. The next event is scored with the new version."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Request
from fastapi.responses import Response
from pydantic import BaseModel, BeforeValidator, Field

from consumers.wire.rules_document import MAX_RULES_BYTES, RulesDocument
from consumers.wire.tenants import TENANT_PATTERN
from consumers.wire.texts import one_form
from service.api.access import Administrator, Reader, RunningService
from service.api.bodies import read_body
from service.api.errors import ApiError, errors
from service.api.replies import as_json
from service.storage.rule_store import StoredRules

router = APIRouter(tags=["rules"])
TenantName = Annotated[
    str,
    Path(min_length=1, max_length=128, pattern=TENANT_PATTERN, examples=["meridian-retail"]),
    BeforeValidator(one_form),
]
_IfMatch = Annotated[
    str,
    Header(pattern=r'^\s*(\*|(W/)?"?\d{1,18}"?)\s*$', description="The ETag of the version that you changed."),
]


class RulesReply(BaseModel):
    """One version of a tenant's rules."""

    tenant: str
    version: int = Field(description="0 is the built-in default.")
    author: str | None = Field(description="The owner of the token that stored it.")
    created_at: datetime | None
    schema_version: int | None = Field(description="The schema in force with it; null without one.")
    calibration_version: int | None = Field(description="The calibration in force with it; null without one.")
    learned_version: int | None = Field(description="The learned rules in force with it; null without any.")
    rules: RulesDocument


class RulesHistory(BaseModel):
    """The versions of a tenant's rules, newest first."""

    versions: list[RulesReply]


@router.get(
    "/v1/tenants/{tenant}/rules",
    response_model=RulesReply,
    responses=errors(400, 401, 403, 503),
    summary="Rules in force",
)
async def get_rules(tenant: TenantName, service: RunningService, caller: Reader) -> Response:
    """Returns the tenant's newest rules, or the defaults as version 0."""
    caller.only(tenant)
    return _reply(await service.rules.current(tenant))


@router.put(
    "/v1/tenants/{tenant}/rules",
    response_model=RulesReply,
    responses=errors(400, 401, 403, 412, 413, 422, 503),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RulesDocument"}}},
        }
    },
    summary="Replace the rules",
)
async def put_rules(
    tenant: TenantName, request: Request, service: RunningService, caller: Administrator, if_match: _IfMatch = "*"
) -> Response:
    """Stores a new version and returns it. The next event is scored with it. Older versions stay readable."""
    caller.only(tenant)
    async with read_body(request, service, caller, {"application/json"}) as body:
        if len(body.raw) > MAX_RULES_BYTES:
            message = f"the rules have {len(body.raw)} bytes, more than {MAX_RULES_BYTES}"
            raise ApiError(413, "BODY_TOO_LARGE", message, "Remove entries that no question uses.")
        document = await service.rules.decode(bytes(body.raw))
    stored = await service.rules.put(tenant, document, author=caller.name, expected=expected_version(if_match))
    service.metrics.rules_in_force(await service.rules.rules([tenant]))
    return _reply(stored)


@router.get(
    "/v1/tenants/{tenant}/rules/versions",
    response_model=RulesHistory,
    responses=errors(400, 401, 403, 503),
    summary="Versions of the rules",
)
async def list_rules(tenant: TenantName, service: RunningService, caller: Reader) -> Response:
    """Returns the newest hundred versions, newest first."""
    caller.only(tenant)
    return as_json({"versions": [_document(each) for each in await service.rules.versions(tenant)]})


@router.get(
    "/v1/tenants/{tenant}/rules/versions/{version}",
    response_model=RulesReply,
    responses=errors(400, 401, 403, 404, 503),
    summary="One version of the rules",
)
async def get_rules_version(
    tenant: TenantName, version: Annotated[int, Path(ge=0, lt=2**31)], service: RunningService, caller: Reader
) -> Response:
    """Returns one version, such as the one that a stored score names."""
    caller.only(tenant)
    found = await service.rules.version(tenant, version)
    if found is None:
        message = f"tenant {tenant!r} has no rules version {version}"
        raise ApiError(404, "NOT_FOUND", message, "Take a version from /v1/tenants/{tenant}/rules/versions.")
    return _reply(found)


def expected_version(if_match: str) -> int | None:
    """The version that a writer has changed; `None` where any will do."""
    if if_match.strip() == "*":
        return None
    try:
        return int(if_match.strip().removeprefix("W/").strip('"'))
    except ValueError:
        message = f"If-Match {if_match[:40]!r} is not a version"
        raise ApiError(400, "INVALID_PARAMETER", message, "Send the ETag of the version that you changed.") from None


def _reply(stored: StoredRules) -> Response:
    return as_json(_document(stored), headers={"ETag": f'"{stored.version}"'})


def _document(stored: StoredRules) -> dict[str, Any]:
    return {
        "tenant": stored.tenant,
        "version": stored.version,
        "author": stored.author,
        "created_at": stored.created_at,
        "schema_version": stored.schema_version,
        "calibration_version": stored.calibration_version,
        "learned_version": stored.learned_version,
        "rules": stored.document,
    }
