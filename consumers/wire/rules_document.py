"""The wire contract of a tenant's rules (STEF, Stage 5): validates the JSON and converts it for the scorer."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import from_json

from consumers.wire.house_rules import (
    MOST_COLUMNS,
    MOST_CONVENTIONS,
    Codes,
    ColumnName,
    ConventionDocument,
    FiscalYearDocument,
    LookAlikeDocument,
    LookAlikes,
    Phrase,
    Predicate,
    TimeZoneDocument,
    TimeZones,
    Unit,
    codes_of,
    column_name,
    folded,
    texts_of_columns,
    units_of,
)
from consumers.wire.judging_rules import ConfidenceDocument, JudgeDocument, TiersDocument
from consumers.wire.texts import bad_character, json_type, shorten
from scoring.decision_rules import MOST_DECISION_RULES, DecisionRule, InvalidDecisionRule, read_decision_rules
from scoring.query import Unscored
from scoring.rules import (
    BenignFilter,
    ConfidenceBounds,
    Convention,
    Rules,
    TierBounds,
    UnparseablePolicy,
)
from scoring.sql import KNOWN_DIALECTS, read_predicate

MAX_RULES_BYTES = 512 * 1024
"""Largest rules document, in bytes of JSON."""


class InvalidRules(Exception):  # noqa: N818 named beside InvalidEvent
    """The document is not valid rules; the message names the fault and the fix."""


_Decision = Annotated[str, Field(strict=True, min_length=1, max_length=300)]


class RulesDocument(BaseModel):
    """One tenant's rules as written and stored. Every key is optional."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "column_mappings": {"region": "region_name"},
                    "benign_filters": ["is_deleted = 0"],
                    "conventions": [{"table": "orders", "predicate": "deleted_at IS NULL", "required": True}],
                    "look_alikes": [{"column": "orders.placed_at", "instead_of": ["orders.created_at"]}],
                    "fiscal_year": {"starts": 4, "named_after": "end", "words": ["ytd"]},
                    "time_zones": [{"zone": "Europe/Vienna", "columns": ["orders.placed_at"], "parts": ["day"]}],
                    "units": {"orders.total_cents": "cents"},
                    "codes": {"orders.status": {"P": "paid", "X": "cancelled"}},
                    "ignore_filters": ["tenant_id"],
                    "decision_rules": ["KEY_FOR_NAME and not FILTER_EXTRA: +0.8"],
                    "lambda_min": 1000,
                    "tiers": {"excellent": 90, "good": 75, "marginal": 50},
                    "confidence": {"full": 0.85, "most": 0.65},
                    "dialect": "postgres",
                    "strict_form": False,
                    "rules_may_excuse": False,
                    "unparseable": "unscored",
                    "judge": {"policy": "local", "bar": 0.75, "budget": None},
                    "sample_rate": 1.0,
                    "store_raw": True,
                    "memory": True,
                    "retention_days": None,
                }
            ]
        },
    )

    column_mappings: dict[Phrase, ColumnName] = Field(
        default_factory=dict[str, str], max_length=2000, description="A question's phrase to the column it means."
    )
    benign_filters: list[Predicate] = Field(
        default_factory=list[str],
        max_length=500,
        description="SQL predicates that an agent may add without being asked.",
    )
    conventions: list[ConventionDocument] = Field(
        default_factory=list[ConventionDocument],
        max_length=MOST_CONVENTIONS,
        description="Conditions that come with a table in this house, with their table.",
    )
    look_alikes: LookAlikes = Field(
        default_factory=list[LookAlikeDocument], description="Columns that look alike, and the words that mean each."
    )
    fiscal_year: FiscalYearDocument = Field(
        default_factory=FiscalYearDocument, description="The house's own year; January is the calendar year."
    )
    time_zones: TimeZones = Field(
        default_factory=list[TimeZoneDocument], description="The zones in which hours and days of columns are cut."
    )
    units: dict[ColumnName, Unit] = Field(
        default_factory=dict[str, str],
        max_length=MOST_COLUMNS,
        description="A column to the unit it is stored in.",
    )
    codes: dict[ColumnName, Codes] = Field(
        default_factory=dict[str, dict[str, str]],
        max_length=MOST_COLUMNS,
        description="A column, with or without its table, to its stored values and what each means.",
    )
    ignore_filters: list[ColumnName] = Field(
        default_factory=list[str],
        max_length=500,
        description="Columns whose filters are ignored in alignment; a table before the name is ignored.",
    )
    decision_rules: list[_Decision] = Field(
        default_factory=list[str],
        max_length=MOST_DECISION_RULES,
        description="Reason codes that an answer has or lacks, and how far they move the log-odds that it is right.",
    )
    lambda_min: int = Field(
        default=1000,
        strict=True,
        ge=1,
        le=10**12,
        description="Smallest LIMIT that counts as a safety default when the question asks for no top-k.",
    )
    tiers: TiersDocument = Field(default_factory=TiersDocument, description="Tier bounds.")
    confidence: ConfidenceDocument = Field(default_factory=ConfidenceDocument, description="Bounds of Γ.")
    dialect: str | None = Field(default=None, max_length=128, description="Dialect of events that name none.")
    strict_form: bool = Field(
        default=False,
        strict=True,
        description="Whether extra columns, order, rounding and other forms count against an answer.",
    )
    rules_may_excuse: bool = Field(
        default=False,
        strict=True,
        description="Whether a learned rule that a model applies may excuse a condition that the SQL lacks.",
    )
    unparseable: Literal["unscored", "incorrect"] = Field(
        default="unscored", description="What SQL that does not parse counts as."
    )
    judge: JudgeDocument = Field(default_factory=JudgeDocument, description="Who judges.")
    sample_rate: float = Field(default=1.0, strict=True, ge=0, le=1, description="Share of events that are scored.")

    store_raw: bool = Field(
        default=True, strict=True, description="Whether texts are stored; otherwise only scores and codes are."
    )
    memory: bool = Field(
        default=True,
        strict=True,
        description="Whether answers are compared with the tenant's earlier ones, where the service's memory is on.",
    )
    retention_days: int | None = Field(
        default=None, strict=True, ge=1, le=36_500, description="Days for which rows are kept, by event time."
    )

    @field_validator("dialect")
    @classmethod
    def _dialect_is_known(cls, dialect: str | None) -> str | None:
        if dialect is not None and dialect.strip().lower() not in KNOWN_DIALECTS:
            raise ValueError(f"use one of {', '.join(sorted(KNOWN_DIALECTS))}")
        return dialect

    def rules(self, version: int) -> Rules:
        """The rules ready to apply; raises `InvalidRules`, which names a predicate that does not parse."""
        return Rules(
            column_mappings=MappingProxyType(
                {folded(phrase): column_name(column) for phrase, column in self.column_mappings.items()}
            ),
            benign_filters=tuple(self._benign(text) for text in self.benign_filters),
            conventions=tuple(self._convention(each) for each in self.conventions),
            look_alikes=tuple(each.look_alike for each in self.look_alikes),
            fiscal_year=self.fiscal_year.year,
            time_zones=tuple(each.time_zone for each in self.time_zones),
            units=units_of(self.units),
            codes=codes_of(self.codes),
            ignore_filters=frozenset(column_name(column) for column in self.ignore_filters),
            decision_rules=self._decision_rules(),
            lambda_min=self.lambda_min,
            tiers=TierBounds(excellent=self.tiers.excellent, good=self.tiers.good, marginal=self.tiers.marginal),
            confidence=ConfidenceBounds(full=self.confidence.full, most=self.confidence.most),
            dialect=self.dialect.strip().lower() if self.dialect else None,
            strict_form=self.strict_form,
            rules_may_excuse=self.rules_may_excuse,
            unparseable=UnparseablePolicy(self.unparseable),
            judge=self.judge.rules(),
            sample_rate=self.sample_rate,
            store_raw=self.store_raw,
            memory=self.memory,
            version=version,
        )

    def _decision_rules(self) -> tuple[DecisionRule, ...]:
        try:
            return read_decision_rules(self.decision_rules)
        except InvalidDecisionRule as error:
            raise InvalidRules(f"decision_rules: {error}") from None

    def _convention(self, stated: ConventionDocument) -> Convention:
        found = stated.convention(self.dialect)
        if isinstance(found, str):
            raise InvalidRules(f"conventions: {found}")
        return found

    def _benign(self, text: str) -> BenignFilter:
        terms = read_predicate(text, self.dialect)
        if isinstance(terms, Unscored):
            raise InvalidRules(
                f"benign_filters: {shorten(text)!r} is not a predicate ({terms.reason.value}: {shorten(terms.detail)});"
                " write a condition as after WHERE, such as: status = 'active'"
            )
        if not terms:
            raise InvalidRules(f"benign_filters: {shorten(text)!r} restricts nothing; write a condition on a column")
        return BenignFilter(text=text, terms=terms)


def decode_rules(raw: object) -> RulesDocument:
    """Decodes rules from JSON bytes, JSON text or a parsed object, and parses every predicate.

    Raises `InvalidRules`, which names the key, the value and the fix.
    """
    parsed = _parse(raw) if isinstance(raw, bytes | bytearray | str) else raw
    if not isinstance(parsed, Mapping):
        raise InvalidRules(f"rules are {json_type(parsed)}: send one JSON object with keys such as benign_filters")
    try:
        document = RulesDocument.model_validate(dict(cast("Mapping[str, object]", parsed)))
        _refuse_bad_text(document)
    except ValidationError as error:
        raise InvalidRules(_first_fault(error)) from None
    except (TypeError, RecursionError) as error:
        raise InvalidRules(f"rules: {shorten(str(error))}; send plain JSON") from None
    document.rules(version=0)
    return document


def _parse(raw: bytes | bytearray | str) -> object:
    if len(raw) > MAX_RULES_BYTES:
        raise InvalidRules(f"rules have {len(raw)} bytes: at most {MAX_RULES_BYTES} are accepted")
    try:
        return from_json(raw, allow_inf_nan=False)
    except ValueError as error:
        raise InvalidRules(f"rules are not JSON ({shorten(str(error))}): send one JSON object") from None


def _refuse_bad_text(document: RulesDocument) -> None:
    texts = [
        *document.column_mappings,
        *document.column_mappings.values(),
        *document.benign_filters,
        *document.ignore_filters,
        *document.decision_rules,
        *(text for each in _stated(document) for text in each.texts),
        *texts_of_columns(document.units, document.codes),
    ]
    for text in texts:
        place = bad_character(text)
        if place is not None:
            raise InvalidRules(f"{shorten(text)!r} holds U+{ord(text[place]):04X} at character {place}: remove it")


def _stated(
    document: RulesDocument,
) -> tuple[ConventionDocument | LookAlikeDocument | TimeZoneDocument | FiscalYearDocument, ...]:
    return (*document.conventions, *document.look_alikes, *document.time_zones, document.fiscal_year)


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_url=False)[0]
    path = ".".join(str(part) for part in fault["loc"][:3]) or "rules"
    if fault["type"] == "extra_forbidden":
        document = _DOCUMENTS.get(str(fault["loc"][0]), RulesDocument) if len(fault["loc"]) > 1 else RulesDocument
        return f"{shorten(path)}: no such key; the keys are {', '.join(document.model_fields)}"
    message = fault["msg"].removeprefix("Value error, ")
    if fault["type"] == "string_pattern_mismatch":
        message = "this is a condition; name the column alone, such as tenant_id"
    return f"{shorten(path)}: {message}, got {shorten(repr(fault['input']))}"


_DOCUMENTS: Mapping[str, type[BaseModel]] = {
    "tiers": TiersDocument,
    "judge": JudgeDocument,
    "conventions": ConventionDocument,
    "look_alikes": LookAlikeDocument,
    "fiscal_year": FiscalYearDocument,
    "time_zones": TimeZoneDocument,
}
