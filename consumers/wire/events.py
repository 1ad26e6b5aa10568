"""The wire contract of events: validates what an agent publishes about one answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from typing import Annotated, NoReturn, Self, cast

import orjson
from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, ValidationError
from pydantic import model_validator as after_validation

from consumers.wire.canary import Canary
from consumers.wire.field_types import NAME_RULE, Moment, Name, OptionalName, ParameterValues, blank_as_absent
from consumers.wire.history import History, needs
from consumers.wire.json_values import count_values
from consumers.wire.masked_errors import mask_error
from consumers.wire.run_results import ResultDocument
from consumers.wire.span_source import SPAN_SOURCE, identifying
from consumers.wire.tenants import TenantName, tenant_fault
from consumers.wire.texts import bad_character, field_shown, json_type, shorten
from scoring.query import Query
from scoring.sql.parameters.binding import bound

MAX_EVENT_BYTES = 1024 * 1024
"""Largest event, in bytes of JSON."""
MAX_EVENT_VALUES = 50_000
"""Most JSON values in one event."""


class InvalidReason(StrEnum):
    """Why a record is not an event and is dead-lettered. `docs/reasons.md` documents each member."""

    NOT_JSON = "NOT_JSON"
    """The record is not JSON, or nests too deep."""
    INVALID_ENCODING = "INVALID_ENCODING"
    """The record is not UTF-8."""
    NOT_AN_OBJECT = "NOT_AN_OBJECT"
    """The record is JSON, but not an object."""
    MISSING_FIELD = "MISSING_FIELD"
    """A required field is absent."""
    MISSING_ID = "MISSING_ID"
    """The event has no `event_id` where one is required."""
    INVALID_FIELD = "INVALID_FIELD"
    """A field is of the wrong type, too long or out of range."""
    INVALID_TEXT = "INVALID_TEXT"
    """A text holds a NUL character or a lone surrogate."""
    INVALID_ENVELOPE = "INVALID_ENVELOPE"
    """The CloudEvents attributes violate version 1.0."""
    NO_VALUE = "NO_VALUE"
    """The record has no value: a tombstone."""
    NOT_OTLP = "NOT_OTLP"
    """The record is not OpenTelemetry trace data, neither in protobuf nor in JSON."""
    EVENT_TOO_LARGE = "EVENT_TOO_LARGE"
    """The event is larger than the limit."""
    TENANT_NOT_ALLOWED = "TENANT_NOT_ALLOWED"
    """The event names a tenant for which its sender may not write."""
    ID_CONFLICT = "ID_CONFLICT"
    """An earlier event has the same tenant, source and id but other content."""
    REFUSED_BY_STORE = "REFUSED_BY_STORE"
    """The database cannot store the event's values."""
    UNKNOWN_EVENT = "UNKNOWN_EVENT"
    """A label names an event that is not stored."""
    UNREADABLE_BATCH = "UNREADABLE_BATCH"
    """The record is part of a Kafka batch that cannot be read, and that an operator gave up."""


class InvalidEvent(Exception):  # noqa: N818 the design's name of a record that is never retried
    """The record can never become an evaluation: it is dead-lettered and never retried."""

    def __init__(self, reason: InvalidReason, detail: str) -> None:
        super().__init__(f"{reason.value}: {detail}")
        self.reason = reason
        self.detail = detail


def _identifier(value: object) -> object:
    number = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63
    return str(value) if number else value


def _answer(value: object) -> object:
    return "" if value is None else value


_Text = Annotated[str, Field(strict=True, max_length=MAX_EVENT_BYTES)]


class QueryEvent(BaseModel):
    """One answer of an agent. Keys that are not fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    event_id: Annotated[str, BeforeValidator(_identifier), Field(min_length=1, max_length=256, strict=True)] = Field(
        default="",
        validation_alias=AliasChoices("event_id", "id"),
        validate_default=False,
        description="Identifies the event within its tenant and source; the same event again is a duplicate. "
        "Without one, the SHA-256 of the event's content identifies it.",
    )
    source: Annotated[str, Field(strict=True, min_length=1, max_length=260)] = Field(
        default="", validate_default=False, description="Where the event comes from; default `/{tenant}/{agent}`."
    )
    tenant: TenantName = Field(default="default", description="The tenant whose rules apply and who owns the rows.")
    agent: Name = Field(default="default", description="The text-to-SQL agent that answered.")
    agent_version: OptionalName = Field(default=None, description="The agent's release.")
    occurred_at: Moment | None = Field(
        default=None, description="When the agent answered; relative dates refer to it. UTC if it has no zone."
    )
    question: _Text = Field(description="What the person asked (Qu).")
    enriched_question: _Text | None = Field(
        default=None,
        validation_alias=AliasChoices("enriched_question", "enriched_question_proxy"),
        description="The question as the agent understood it (Qe).",
    )
    sql: Annotated[_Text, BeforeValidator(_answer)] = Field(description="The answer (S); null or empty has no score.")
    dialect: OptionalName = Field(
        default=None, description="The SQL's dialect; default is the tenant's, else it is guessed."
    )
    parameters: ParameterValues | None = Field(
        default=None,
        exclude=True,
        description="Values of the SQL's placeholders, by place or name; they are put into `sql`, not kept beside it.",
    )
    result: ResultDocument | None = Field(
        default=None, description="What running the SQL gave; without it nothing is assumed."
    )
    history: History | None = Field(default=None, description="Earlier turns, oldest first; a follow-up needs them.")
    reference_sql: _Text | None = Field(default=None, description="A correct query, if known; never used by the score.")
    canary: Canary | None = Field(default=None, description="Set where a canary was asked and not a user's question.")
    attributes: dict[str, JsonValue] = Field(
        default_factory=dict[str, JsonValue], description="Anything by which to find the event later."
    )

    @after_validation(mode="after")
    def _complete(self) -> Self:
        if self.parameters is not None:
            object.__setattr__(self, "sql", bound(self.sql, self.parameters, self.dialect))
            object.__setattr__(self, "parameters", None)
        if self.result is not None and self.result.error is not None:
            masked = mask_error(self.result.error, self.sql)
            object.__setattr__(self, "result", self.result.model_copy(update={"error": masked}))
        if not self.source:
            object.__setattr__(self, "source", f"/{self.tenant}/{self.agent}")
        if not self.event_id:
            object.__setattr__(self, "event_id", self.payload_hash)
        return self

    @property
    def payload(self) -> bytes:
        """All fields but the id, the reference, the parameters and a trace's attempts, as canonical JSON."""
        absent = {name for name in ("result", "canary", "history") if not getattr(self, name)}
        fields = self.model_dump(exclude={"event_id", "reference_sql"} | absent)
        known = fields | {"attributes": identifying(self.source, self.attributes)}
        return orjson.dumps(known, option=orjson.OPT_SORT_KEYS | orjson.OPT_UTC_Z)

    @cached_property
    def payload_hash(self) -> str:
        """Equal for events of equal content. While the question may still be found, it is a hash of the SQL."""
        return hashlib.sha256(self.payload).hexdigest() if self.question_found else self._sql_hash

    @property
    def question_found(self) -> bool:
        """Whether the event has its question: only an event joined from spans may lack it."""
        return bool(self.question.strip()) or self.source != SPAN_SOURCE

    @property
    def _sql_hash(self) -> str:
        # the first character differs from all other hashes
        return f"?{hashlib.sha256(self.sql.encode()).hexdigest()[1:]}"

    def repeats(self, earlier_hash: str) -> bool:
        """Whether it adds nothing to the earlier event with this hash."""
        return self.payload_hash == earlier_hash or not self.question_found

    def completes(self, earlier_hash: str) -> bool:
        """Whether it adds the question that the earlier event with this hash lacked."""
        return self.question_found and earlier_hash == self._sql_hash

    @property
    def agent_release(self) -> str:
        """The agent and its version."""
        return f"{self.agent} {self.agent_version}" if self.agent_version else self.agent

    def query(self) -> Query:
        """The part of the event that is scored."""
        return Query(
            question=self.question,
            sql=self.sql,
            enriched_question=self.enriched_question,
            dialect=self.dialect,
            occurred_at=self.occurred_at,
            question_found=self.question_found,
            result=self.result.run_result() if self.result is not None else None,
            history=tuple([each.turn() for each in self.history or ()]),
        )


_IDS = frozenset({"event_id", "id"})
_KEYS = frozenset(QueryEvent.model_fields) | _IDS | {"enriched_question_proxy"}
_ESCAPE = b"\\u"
"""Only so can JSON bytes hold a character that no database can store: UTF-8 has no surrogates, JSON no bare NUL."""


def decode_event(
    raw: object, *, require_id: bool, tenant: str = "default", max_bytes: int = MAX_EVENT_BYTES
) -> QueryEvent:
    """Decodes an event from JSON bytes, JSON text or a parsed object; raises `InvalidEvent`.

    Without `require_id`, a missing id becomes the SHA-256 of the canonical payload. A missing tenant becomes `tenant`.

    >>> decode_event(b'{"question": "How many?", "sql": "SELECT 1", "id": 7}', require_id=True).event_id
    '7'
    """
    parsed = _parse(raw, max_bytes) if isinstance(raw, bytes | bytearray | str) else raw
    if not isinstance(parsed, Mapping):
        raise InvalidEvent(InvalidReason.NOT_AN_OBJECT, f"the record is {json_type(parsed)}: send one JSON object")
    document = cast("Mapping[object, object]", parsed)
    fields: dict[str, object] = {"tenant": tenant}
    for key in _KEYS & document.keys():
        value = document[key]
        if value is not None and (key not in _IDS or blank_as_absent(value) is not None):
            fields[key] = value
    if "sql" in document:
        fields.setdefault("sql", "")
    if require_id and fields.keys().isdisjoint(_IDS):
        detail = "field event_id is absent or blank: give each event an id, so that a resend is recognised"
        raise InvalidEvent(InvalidReason.MISSING_ID, detail)
    if not isinstance(raw, bytes | bytearray) or _ESCAPE in raw:
        refuse_bad_text(fields)
    event = _validated(fields)
    refuse_large(_size(event) + len(event.reference_sql or ""), max_bytes)
    return event


def _size(event: QueryEvent) -> int:
    try:
        return len(event.payload)
    except TypeError as error:
        detail = f"field attributes: {shorten(str(error))}; send numbers of at most 64 bits"
        raise InvalidEvent(InvalidReason.INVALID_FIELD, detail) from None


def parse_json(raw: bytes | bytearray | str) -> object:
    """Parses JSON and keeps lone surrogates; raises `InvalidEvent` (`NOT_JSON`, `INVALID_ENCODING`)."""
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        return _parse_leniently(raw if isinstance(raw, str) else bytes(raw))


def _parse(raw: bytes | bytearray | str, max_bytes: int) -> object:
    refuse_large(len(raw), max_bytes)
    refuse_many_values(raw)
    return parse_json(raw)


def _parse_leniently(raw: bytes | str) -> object:
    # orjson only says "invalid" for a lone surrogate; this parser keeps it, so that its field can be named later
    try:
        text = raw if isinstance(raw, str) else raw.decode("utf-8-sig")
        return json.loads(text, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        detail = f"byte {error.start} is not UTF-8: send JSON encoded as UTF-8"
        raise InvalidEvent(InvalidReason.INVALID_ENCODING, detail) from None
    except (ValueError, RecursionError) as error:
        what = "it nests too deep" if isinstance(error, RecursionError) else shorten(str(error))
        detail = f"the record is not JSON ({what}): send one JSON object per record"
        raise InvalidEvent(InvalidReason.NOT_JSON, detail) from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


_TOO_MANY = f"more than {MAX_EVENT_VALUES} values: leave out attributes that nobody searches for"


def refuse_large(size: int, max_bytes: int) -> None:
    """Raises `InvalidEvent` (`EVENT_TOO_LARGE`) for an event of more than `max_bytes`."""
    if size > max_bytes:
        detail = f"the event has {size} bytes: at most {max_bytes} are accepted; shorten its texts or attributes"
        raise InvalidEvent(InvalidReason.EVENT_TOO_LARGE, detail)


def refuse_many_values(raw: bytes | bytearray | str) -> None:
    """Raises `InvalidEvent` (`EVENT_TOO_LARGE`) for JSON with too many values, before they are built."""
    if len(raw) <= MAX_EVENT_VALUES:
        return
    if (
        count_values(raw.encode("utf-8", "replace") if isinstance(raw, str) else raw, MAX_EVENT_VALUES)
        > MAX_EVENT_VALUES
    ):
        raise InvalidEvent(InvalidReason.EVENT_TOO_LARGE, f"the event holds {_TOO_MANY}")


def refuse_bad_text(fields: Mapping[str, object]) -> None:
    """Raises `InvalidEvent` (`INVALID_TEXT`) where a text holds a character that no database can store."""
    pending: list[tuple[str, object]] = list(fields.items())
    seen = 0
    while pending:
        path, value = pending.pop()
        seen += 1
        if seen > MAX_EVENT_VALUES:
            raise InvalidEvent(InvalidReason.EVENT_TOO_LARGE, f"field {path} holds {_TOO_MANY}")
        if isinstance(value, str):
            _refuse_bad_character(path, value)
        elif isinstance(value, list):
            pending.extend((path, each) for each in cast("list[object]", value))
        elif isinstance(value, dict):
            for key, each in cast("dict[object, object]", value).items():
                _refuse_bad_character(path, str(key) if isinstance(key, str) else "")
                pending.append((f"{path.split('.')[0]}.{shorten(str(key), 40)}", each))


def _refuse_bad_character(path: str, value: str) -> None:
    place = bad_character(value)
    if place is not None:
        detail = f"field {path} holds U+{ord(value[place]):04X} at character {place}: remove it"
        raise InvalidEvent(InvalidReason.INVALID_TEXT, detail)


_MESSAGES = {"string_pattern_mismatch": NAME_RULE}
"""Messages in place of the validator's, which would quote the pattern."""


def _validated(fields: Mapping[str, object]) -> QueryEvent:
    try:
        return QueryEvent.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = ".".join(str(part) for part in first["loc"][:2]) or "event"
        if first["type"] == "missing":
            raise InvalidEvent(InvalidReason.MISSING_FIELD, f"field {path} is absent: {needs(path)}") from None
        message = _MESSAGES.get(first["type"]) or first["msg"].removeprefix("Value error, ")
        if path == "tenant":
            message = tenant_fault(first)
        detail = f"field {path}: {message}, got {field_shown(path, first['input'])}; fix the value or leave it out"
        raise InvalidEvent(InvalidReason.INVALID_FIELD, detail) from None
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidEvent(InvalidReason.INVALID_FIELD, f"attributes: {shorten(str(error))}; send plain JSON") from None
