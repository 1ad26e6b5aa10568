"""Reads, replaces and removes the schema of a tenant's database. The next event is scored with it."""

from __future__ import annotations

from typing import Annotated, Any, cast

from fastapi import APIRouter, Header, Path, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from consumers.wire.schema_document import MAX_SCHEMA_BYTES, SchemaDocument
from service.api.access import Administrator, Reader, RunningService
from service.api.bodies import read_body
from service.api.errors import ApiError, errors
from service.api.replies import as_json
from service.api.rules import TenantName, expected_version
from service.storage.rule_store import StoredSchema

router = APIRouter(tags=["schemas"])
_JSON = "application/json"
_DDL = "application/sql"
_IfMatch = Annotated[
    str,
    Header(pattern=r'^\s*(\*|(W/)?"?\d{1,18}"?)\s*$', description="The ETag of the schema that you changed."),
]


class SchemaReply(BaseModel):
    """The schema of a tenant's database."""

    tenant: str
    version: int = Field(description="The version of the rules with which it came into force; 0 without a schema.")
    tables: int
    columns: int
    database: SchemaDocument | None = Field(description="The catalogue; null without a schema.")


class DdlDocument(BaseModel):
    """A schema as DDL in JSON."""

    model_config = ConfigDict(extra="forbid")

    ddl: str = Field(max_length=MAX_SCHEMA_BYTES, description="CREATE TABLE, CREATE VIEW and ALTER TABLE statements.")
    dialect: str | None = Field(default=None, description="The dialect of the DDL; without it several are tried.")


@router.get(
    "/v1/tenants/{tenant}/schema",
    response_model=SchemaReply,
    responses=errors(400, 401, 403, 503),
    summary="Schema in force",
)
async def get_schema(tenant: TenantName, service: RunningService, caller: Reader) -> Response:
    """Returns the schema of the tenant's database, or version 0 without one."""
    caller.only(tenant)
    return _reply(await service.rules.schema(tenant) or StoredSchema(tenant=tenant, version=0))


@router.put(
    "/v1/tenants/{tenant}/schema",
    response_model=SchemaReply,
    responses=errors(400, 401, 403, 412, 413, 422, 503),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                _JSON: {
                    "schema": {
                        "anyOf": [{"$ref": "#/components/schemas/SchemaDocument"}, DdlDocument.model_json_schema()]
                    }
                },
                _DDL: {"schema": {"type": "string"}},
            },
        }
    },
    summary="Replace the schema",
)
async def put_schema(
    tenant: TenantName, request: Request, service: RunningService, caller: Administrator, if_match: _IfMatch = "*"
) -> Response:
    """Stores a catalogue, or the tables of DDL, as a new version of the rules. The next event is scored with it."""
    caller.only(tenant)
    async with read_body(request, service, caller, {_JSON, _DDL}) as body:
        if len(body.raw) > MAX_SCHEMA_BYTES:
            message = f"the schema has {len(body.raw)} bytes, more than {MAX_SCHEMA_BYTES}"
            raise ApiError(413, "BODY_TOO_LARGE", message, "Leave out tables that no agent reads.")
        document = await service.rules.decode_schema(bytes(body.raw), as_json=body.kind == _JSON)
    await service.rules.put_schema(tenant, document, author=caller.name, expected=expected_version(if_match))
    return _reply(await service.rules.schema(tenant) or StoredSchema(tenant=tenant, version=0))


@router.delete(
    "/v1/tenants/{tenant}/schema",
    response_model=SchemaReply,
    responses=errors(400, 401, 403, 412, 503),
    summary="Remove the schema",
)
async def delete_schema(
    tenant: TenantName, service: RunningService, caller: Administrator, if_match: _IfMatch = "*"
) -> Response:
    """Scores the next event without a schema. Nothing changes where there is none."""
    caller.only(tenant)
    found = await service.rules.schema(tenant)
    if found is not None and found.version:
        await service.rules.put_schema(tenant, None, author=caller.name, expected=expected_version(if_match))
    return _reply(StoredSchema(tenant=tenant, version=0))


@router.get(
    "/v1/tenants/{tenant}/schema/versions/{version}",
    response_model=SchemaReply,
    responses=errors(400, 401, 403, 404, 503),
    summary="One version of the schema",
)
async def get_schema_version(
    tenant: TenantName, version: Annotated[int, Path(ge=0, lt=2**31)], service: RunningService, caller: Reader
) -> Response:
    """Returns one version, such as the one that a version of the rules names."""
    caller.only(tenant)
    found = await service.rules.schema(tenant, version)
    if found is None:
        message = f"tenant {tenant!r} has no schema version {version}"
        raise ApiError(404, "NOT_FOUND", message, "Take `schema_version` from /v1/tenants/{tenant}/rules/versions.")
    return _reply(found)


def _reply(stored: StoredSchema) -> Response:
    found: Any = stored.document["tables"] if stored.document is not None else []
    tables = cast("list[dict[str, Any]]", found)
    reply = {
        "tenant": stored.tenant,
        "version": stored.version,
        "tables": len(tables),
        "columns": sum(len(each["columns"] or ()) for each in tables),
        "database": stored.document,
    }
    return as_json(reply, headers={"ETag": f'"{stored.version}"'})
