"""Reads what people say about answers, labels and feedback, into their documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from consumers.wire.events import InvalidEvent, InvalidReason, parse_json, refuse_bad_text, refuse_large
from consumers.wire.tenants import TenantName, tenant_fault
from consumers.wire.texts import json_type, shown

MAX_SAID_BYTES = 256 * 1024
"""Largest label or feedback, in bytes of JSON."""


class SaidDocument(BaseModel):
    """What a person says about the answer to one event."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    tenant: TenantName = Field(default="default", description="The event's tenant.")


Document = TypeVar("Document", bound=SaidDocument)


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidRecords(Generic[Document]):
    """How the records of one kind are read, and what is said of those that are not."""

    model: type[Document]
    name: str
    """As in `a label`."""
    needs: str
    """What a record cannot do without, as in `a label needs label, reviewer and its event`."""
    own_only: str
    """What to do where a record names another tenant than the token's."""

    def read(self, raw: object, *, tenant: str | None) -> Document:
        """Reads `raw` (JSON bytes or text, or a parsed object); raises `InvalidEvent` where it is not such a record.

        `tenant` is the only tenant its sender may write for, and the default of a record without one; `None` is any.
        """
        if isinstance(raw, bytes | bytearray | str):
            refuse_large(len(raw), MAX_SAID_BYTES)
            raw = parse_json(raw)
        if not isinstance(raw, Mapping):
            raise InvalidEvent(InvalidReason.NOT_AN_OBJECT, f"the record is {json_type(raw)}: send one JSON object")
        given = cast("Mapping[str, object]", raw)
        fields = {name: given[name] for name in self.model.model_fields if given.get(name) is not None}
        refuse_bad_text(fields)
        document = self._validated(fields if tenant is None else {"tenant": tenant, **fields})
        if tenant is not None and document.tenant != tenant:
            detail = f"field tenant names another tenant than your token's, {tenant!r}: {self.own_only}"
            raise InvalidEvent(InvalidReason.TENANT_NOT_ALLOWED, detail)
        return document

    def _validated(self, fields: Mapping[str, Any]) -> Document:
        try:
            return self.model.model_validate(fields)
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            path = ".".join(str(part) for part in fault["loc"][:2]) or self.name.removeprefix("a ")
            if fault["type"] == "missing":
                detail = f"field {path} is absent: {self.needs}"
                raise InvalidEvent(InvalidReason.MISSING_FIELD, detail) from None
            message = tenant_fault(fault) if path == "tenant" else fault["msg"].removeprefix("Value error, ")
            detail = f"field {path}: {message}, got {shown(fault['input'])}"
            raise InvalidEvent(InvalidReason.INVALID_FIELD, detail) from None
        except RecursionError:
            detail = f"a field nests too deeply: send {self.name} as documented"
            raise InvalidEvent(InvalidReason.INVALID_FIELD, detail) from None
