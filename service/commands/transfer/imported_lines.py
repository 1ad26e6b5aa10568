"""Reads lines out of `sqlassay score` back: JSON lines, or rows of Parquet whose nested fields are JSON text."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, Self, cast

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from consumers.evaluation.event_evaluation import FILLABLE
from consumers.wire.events import MAX_EVENT_BYTES, InvalidEvent, InvalidReason, parse_json, refuse_bad_text
from consumers.wire.field_types import Name
from consumers.wire.tenants import TenantName
from scoring.query import UnscoredReason
from scoring.record import MODEL_FIELDS, SCORED_FIELDS
from scoring.rules import Tier
from scoring.verdict import EnrichmentStatus, FilterStatus, Verdict
from service.commands.exits import refuse
from service.commands.files.formats import Format, parquet_module
from service.commands.jsonl import open_input, read_lines
from service.storage.scores.imported_rows import SCORE_COLUMNS, ScoreRow

LONGEST = 16 * MAX_EVENT_BYTES
"""A line out quotes its question and its SQL several times."""
NESTED = ("reasons", "follow_up", "enrichment", "alignment", "composite", "normalizations", "question_spec", "sql_spec")
"""The fields that Parquet holds as JSON text."""
_ALWAYS = ("event_id", *SCORED_FIELDS, "unscored", "evaluator_version", "rules_version")
_SOMETIMES = (*MODEL_FIELDS, "p_judge", "rules_applied", "p_alone")
_WITH_SCORE = frozenset(SCORED_FIELDS) - {"follow_up"}
_ESCAPE = b"\\u"
_Score = Annotated[float, Field(ge=0, le=100)]
_Share = Annotated[float, Field(ge=0, le=1)]
_Count = Annotated[int, Field(ge=0, le=2**31 - 1)]
_Word = Annotated[str, Field(min_length=1, max_length=256)]


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """A line that holds no score that can be stored."""

    why: str


class SkippedLine:
    """A line whose scoring failed: it says nothing about the answer."""


class _Enrichment(BaseModel):
    status: EnrichmentStatus
    score: _Score | None = None


class _Reason(BaseModel):
    code: _Word


class _ScoreLine(BaseModel):
    """A line out, of which the columns and the closed lists are checked."""

    model_config = ConfigDict(extra="ignore")

    event_id: _Word
    tenant: TenantName = "default"
    agent: Name = "default"
    source: Annotated[str, Field(max_length=260)] = ""
    score: _Score | None = None
    tier: Tier | None = None
    filter_status: FilterStatus | None = None
    verdict: Verdict | None = None
    confidence: _Share | None = None
    p_correct: _Share | None = None
    p_alone: _Share | None = None
    judge: _Word | None = None
    reasons: list[_Reason]
    enrichment: _Enrichment | None = None
    unscored: UnscoredReason | None = None
    evaluator_version: _Word
    rules_version: _Count
    fallback: bool = False
    model: _Word | None = None
    prompt_hash: _Word | None = None
    tokens_in: _Count = 0
    tokens_out: _Count = 0
    cost: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0

    @model_validator(mode="after")
    def _score_or_reason(self) -> Self:
        if (self.score is None) == (self.unscored is None):
            raise ValueError("give either score or unscored")
        return self

    def row(self, record: Mapping[str, object]) -> ScoreRow:
        """The row; `record` is the line out."""
        values: dict[str, object] = {name: getattr(self, name, None) for name in SCORE_COLUMNS}
        enrichment = self.enrichment
        values |= {
            "p_alone": self.p_correct if self.p_alone is None else self.p_alone,
            "reason_codes": [each.code for each in self.reasons],
            "enrichment_status": enrichment.status if enrichment is not None else None,
            "enrichment_score": enrichment.score if enrichment is not None else None,
            "record": orjson.dumps(record).decode(),
        }
        source = self.source or f"/{self.tenant}/{self.agent}"
        return ScoreRow((self.tenant, source, self.event_id), tuple(values.values()))


def read_score(
    raw: bytes | None, *, tenant: str | None = None, evaluator_version: str | None = None
) -> ScoreRow | RefusedLine | SkippedLine:
    """The score on a line, under another evaluator version if one is given; lines of other tenants are refused."""
    try:
        fields = _fields(raw)
        if evaluator_version is not None:
            fields["evaluator_version"] = evaluator_version
        line = _ScoreLine.model_validate(fields)
    except InvalidEvent as error:
        return RefusedLine(str(error))
    except ValidationError as error:
        return RefusedLine(_fault(error))
    if line.unscored in FILLABLE:
        return SkippedLine()
    if tenant is not None and line.tenant != tenant:
        return RefusedLine(f"it is of tenant {line.tenant!r}, and --tenant is {tenant!r}")
    lacking = sorted(_WITH_SCORE - fields.keys())
    if lacking and line.unscored is None:
        return RefusedLine(f"field {lacking[0]} is absent: give whole lines out of `sqlassay score`")
    return line.row(_record(fields))


def _fields(raw: bytes | None) -> dict[str, Any]:
    """The fields that have a value; raises `InvalidEvent`."""
    if raw is None:
        raise InvalidEvent(InvalidReason.EVENT_TOO_LARGE, f"it is longer than {LONGEST} bytes")
    document = parse_json(raw)
    if not isinstance(document, dict):
        raise InvalidEvent(InvalidReason.NOT_AN_OBJECT, "it is no JSON object: give lines out of `sqlassay score`")
    fields = {name: value for name, value in cast("dict[str, Any]", document).items() if value is not None}
    if _ESCAPE in raw:
        refuse_bad_text(fields)
    return fields


def _fault(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    path = ".".join(str(part) for part in first["loc"])
    return f"field {path}: {first['msg']}" if path else first["msg"].removeprefix("Value error, ")


def _record(fields: Mapping[str, object]) -> dict[str, object]:
    """The line out, in its own order."""
    names = (*_ALWAYS, *(name for name in _SOMETIMES if name in fields))
    return {name: fields.get(name, [] if name == "normalizations" else None) for name in names}


@dataclass(frozen=True, slots=True)
class ImportFile:
    """A file of lines out."""

    source: str

    @contextmanager
    def lines(self) -> Generator[Iterator[tuple[int, bytes | None]]]:
        """Opens the file; yields each line with its number. Ends the command if the file cannot be read."""
        kind = Format.of(self.source)
        if kind is Format.CSV:
            refuse(f"cannot import {self.source}: write the scores as JSONL or Parquet (`sqlassay score --out`)")
        if kind is Format.PARQUET:
            rows = parquet_module().parquet_records(self.source)
            yield ((number, _nested(row)) for number, row in enumerate(rows, start=1))
            return
        with open_input(self.source) as stream:
            yield ((line.number, line.raw) for line in read_lines(stream, LONGEST) if line.raw != b"")


def _nested(row: Mapping[str, object]) -> bytes:
    """A row of Parquet as a line of JSON. A text that is no JSON stays one, and is refused later."""
    fields = dict(row)
    for name in NESTED:
        value = fields.get(name)
        if isinstance(value, str):
            try:
                fields[name] = orjson.Fragment(orjson.dumps(orjson.loads(value)))
            except orjson.JSONDecodeError:
                continue
    return orjson.dumps(fields, default=str)
