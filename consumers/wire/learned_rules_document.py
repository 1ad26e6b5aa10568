"""The document of a set of learned rules: what `sqlassay learn rules` writes, people edit, and promotion stores."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Annotated, Literal, Self, cast

import orjson
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator

from consumers.wire.texts import shorten
from scoring.learned_rules import (
    MOST_RULES,
    LearnedRule,
    LearnedRules,
    RuleSide,
    clean_text,
    distinct_rules,
)

MAX_LEARNED_BYTES = 2 * 1024 * 1024
"""Largest document, in bytes of JSON."""
MOST_LABELS = 200
"""Most labels that are listed for one rule."""


class InvalidLearnedRules(Exception):  # noqa: N818 named beside InvalidRules
    """The document is no valid set of learned rules; the message names the fault and the fix."""


class LearnedRuleEntry(BaseModel):
    """One rule, with what it rests on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    side: RuleSide = Field(description="The verdict that it speaks for: supports_right or supports_wrong.")
    text: str = Field(strict=True, max_length=4000, description="When it applies, on one line.")
    precision: float | None = Field(
        default=None, ge=0, le=1, description="Share of the answers it was applied to whose label is its side."
    )
    support: int | None = Field(default=None, ge=0, description="Labelled answers it was applied to in training.")
    labels: list[str] = Field(
        default_factory=list[str], max_length=MOST_LABELS, description="The labelled answers that gave it."
    )


class AccuracyFigures(BaseModel):
    """How a judge agrees with labels; right answers are the positive class."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    accuracy: float = Field(ge=0, le=1)
    balanced_accuracy: float | None = Field(ge=0, le=1)
    precision: float | None = Field(ge=0, le=1)
    recall: float | None = Field(ge=0, le=1)
    f1: float | None = Field(ge=0, le=1)
    unjudged: int = Field(ge=0, description="Answers without a valid reply; they count as misjudged.")
    auc: float | None = Field(default=None, ge=0, le=1, description="Of the scores of pairs; null for answers.")


class ChangeFigures(BaseModel):
    """A paired test of the judge with and without the rules, by groups of labels."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    better: int = Field(ge=0, description="Groups of which more answers are judged as labelled.")
    worse: int = Field(ge=0, description="Groups of which fewer are.")
    p_value: float = Field(ge=0, le=1, description="Exact sign test, in both directions.")
    gain: float | None = Field(default=None, ge=-1, le=1, description="Accuracy after minus accuracy before.")
    low: float | None = Field(default=None, ge=-1, le=1, description="Lower bound of the 90 % interval of the gain.")
    high: float | None = Field(default=None, ge=-1, le=1, description="Upper bound of it.")


class HeldOutFigures(BaseModel):
    """The judge on labels that no rule was read from, and by which the set was not chosen."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    labels: int = Field(ge=0)
    before: AccuracyFigures = Field(description="Without these rules.")
    after: AccuracyFigures = Field(description="With these rules.")
    change: ChangeFigures | None = Field(default=None, description="Whether the difference may be luck.")


class LearnedRulesDocument(BaseModel):
    """A set of learned rules with its origin. Only `rules` is needed; edit it freely."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    rules: Annotated[list[LearnedRuleEntry], Field(min_length=1, max_length=MOST_RULES)]
    held_out: HeldOutFigures | None = None
    made: dict[str, JsonValue] | None = Field(default=None, description="With which models, options and labels.")
    seen: list[Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]] = Field(
        default_factory=list[str],
        description="Digests of the groups of labels that gave or chose the rules: no promotion is measured on them.",
    )

    @model_validator(mode="after")
    def _can_stand_in_a_prompt(self) -> Self:
        # it raises where a prompt may not hold them
        plain = self.learned(0).rules
        if len(distinct_rules(plain)) < len(plain):
            raise ValueError("two rules have the same text: keep one of them")
        return self

    def learned(self, version: int) -> LearnedRules:
        """The rules ready to apply."""
        rules = tuple(LearnedRule(side=each.side, text=each.text) for each in self.rules)
        return LearnedRules(version=version, rules=rules)


def decode_learned(raw: bytes) -> LearnedRulesDocument:
    """Reads a document as people write it: line breaks in a text are joined. Raises `InvalidLearnedRules`."""
    if len(raw) > MAX_LEARNED_BYTES:
        raise InvalidLearnedRules(f"the document has {len(raw)} bytes: at most {MAX_LEARNED_BYTES} are read")
    try:
        document: object = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise InvalidLearnedRules(f"the document is not JSON: {error}") from None
    try:
        return LearnedRulesDocument.model_validate(_tidied(document))
    except ValidationError as error:
        raise InvalidLearnedRules("; ".join(_faults(error))) from None


def _tidied(document: object) -> object:
    if not isinstance(document, dict):
        return document
    fields = cast("dict[str, object]", document)
    rules = fields.get("rules")
    if not isinstance(rules, list):
        return fields
    return {**fields, "rules": [_one_line(each) for each in cast("list[object]", rules)]}


def _one_line(entry: object) -> object:
    if not isinstance(entry, dict):
        return entry
    fields = cast("dict[str, object]", entry)
    text = fields.get("text")
    return {**fields, "text": clean_text(text)} if isinstance(text, str) else fields


def _faults(error: ValidationError) -> Iterable[str]:
    for each in error.errors()[:5]:
        where = ".".join(str(part) for part in each["loc"])
        yield shorten(f"{where}: {each['msg']}" if where else each["msg"].removeprefix("Value error, "), 300)


def group_digest(group: str) -> str:
    """The digest by which a document names a group of labels, without its text.

    >>> group_digest("How many loaves?") == group_digest(" how many  loaves?")
    True
    """
    return sha256(" ".join(group.casefold().split()).encode("utf-8", "surrogatepass")).hexdigest()[:16]
