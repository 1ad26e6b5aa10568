"""A tenant's rules as the fields of a form: one for each key of the document, from its JSON schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, cast

import orjson

from consumers.wire.rules_document import InvalidRules, RulesDocument


class FieldKind(StrEnum):
    """How a key is written in the form."""

    LINES = "lines"
    """A list of texts, one a line."""
    PAIRS = "pairs"
    """A phrase, ` = ` and a column, one pair a line."""
    OBJECTS = "objects"
    """A list of objects, one as JSON a line."""
    TABLES = "tables"
    """An object of objects: a name and its own object as JSON, one a line."""
    NUMBER = "number"
    CHOICE = "choice"
    TRUTH = "truth"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleField:
    """One field of the form."""

    name: str
    """The key; `judge.bar` is the key `bar` of `judge`."""
    words: str
    """What the key is called in words."""
    kind: FieldKind
    hint: str
    choices: tuple[str, ...] = ()
    optional: bool = False
    """Whether the key may be null, which an empty field says."""

    @property
    def several(self) -> bool:
        """Whether it holds several entries, one a line."""
        return self.kind in _EMPTY

    @property
    def pair(self) -> str:
        """What stands on both sides of ` = `."""
        return "column = unit" if self.name == "units" else "phrase = column"

    @property
    def line(self) -> str:
        """A line of a field that holds objects."""
        return OBJECT_LINES.get(self.name, "")


RULE_WORDS: Mapping[str, str] = {
    "column_mappings": "Words and the columns they mean",
    "benign_filters": "Conditions that an agent may add",
    "conventions": "Conditions that come with a table",
    "look_alikes": "Columns that look alike, and the right one",
    "fiscal_year.starts": "The fiscal year starts in month",
    "fiscal_year.named_after": "FY26 is the year that has 2026 at its",
    "fiscal_year.words": "Words that mean fiscal years too",
    "time_zones": "Zones in which hours and days are cut",
    "units": "Units of columns",
    "codes": "Stored codes and what they mean",
    "ignore_filters": "Columns whose conditions do not count",
    "decision_rules": "What reasons together say",
    "lambda_min": "Smallest harmless LIMIT",
    "tiers.excellent": "Excellent from",
    "tiers.good": "Good from",
    "tiers.marginal": "Marginal from",
    "confidence.full": "Confidence that counts in full",
    "confidence.most": "Confidence that counts by 0.8",
    "dialect": "SQL dialect",
    "strict_form": "Forms count against answers",
    "rules_may_excuse": "Learned rules may excuse missing conditions",
    "unparseable": "SQL that cannot be read",
    "judge.policy": "Judge",
    "judge.bar": "Confidence from which no model is asked",
    "judge.watched_bar": "The same for agents under suspicion and new versions",
    "judge.random_share": "Share of the sure answers that a model is asked about",
    "judge.budget": "Money a day for models",
    "judge.tokens": "Tokens a day for models",
    "judge.when_unavailable": "When the model does not answer",
    "judge.when_spent": "When the budget is spent",
    "sample_rate": "Share of answers that are scored",
    "store_raw": "Store questions and SQL",
    "memory": "Compare with earlier answers",
    "retention_days": "Days that answers are kept",
}
"""The keys in words, as labels of the form."""


@cache
def rule_fields() -> tuple[RuleField, ...]:
    """The fields of the form, in the order of the document."""
    schema = RulesDocument.model_json_schema()
    return tuple(_fields(schema, schema.get("$defs", {}), ""))


def _fields(schema: Mapping[str, Any], known: Mapping[str, Any], before: str) -> Iterator[RuleField]:
    for key, own in cast("Mapping[str, dict[str, Any]]", schema["properties"]).items():
        kinds: list[dict[str, Any]] = [_resolved(each, known) for each in own.get("anyOf", [own])]
        kind = next(each for each in kinds if each.get("type") != "null")
        nested = any(_resolved(each, known).get("type") == "object" for each in _members(kind))
        if "properties" in kind:
            yield from _fields(kind, known, f"{before}{key}.")
            continue
        yield RuleField(
            name=before + key,
            words=RULE_WORDS.get(before + key, (before + key).replace("_", " ").replace(".", ": ")),
            kind=_NESTED[kind["type"]] if nested else _kind(kind),
            hint=str(own.get("description", "")),
            choices=tuple(map(str, kind.get("enum", ()))),
            optional=len(kinds) > 1,
        )


def _resolved(schema: dict[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    return {**known[name], **schema} if name else schema


def _members(schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The schemas of what a list or a mapping holds."""
    single = [schema[part] for part in ("items", "additionalProperties") if isinstance(schema.get(part), dict)]
    return [*single, *schema.get("patternProperties", {}).values()]


_NESTED: Mapping[str, FieldKind] = {"array": FieldKind.OBJECTS, "object": FieldKind.TABLES}


def _kind(schema: Mapping[str, Any]) -> FieldKind:
    if "enum" in schema:
        return FieldKind.CHOICE
    kinds = {
        "array": FieldKind.LINES,
        "object": FieldKind.PAIRS,
        "integer": FieldKind.NUMBER,
        "number": FieldKind.NUMBER,
        "boolean": FieldKind.TRUTH,
    }
    return kinds.get(schema.get("type", ""), FieldKind.TEXT)


def shown_fields(document: Mapping[str, Any]) -> dict[str, str]:
    """The document as what the form's fields hold.

    >>> shown = shown_fields({"ignore_filters": ["a", "b"], "column_mappings": {"p": "c"}, "judge": {"bar": 0.5}})
    >>> shown["ignore_filters"], shown["column_mappings"], shown["judge.bar"], shown["dialect"]
    ('a\\nb', 'p = c', '0.5', '')
    """
    return {each.name: _written(each, _value(document, each.name)) for each in rule_fields()}


def _value(document: Mapping[str, Any], name: str) -> Any:
    group, _, key = name.rpartition(".")
    held: Mapping[str, Any] = (document.get(group) or {}) if group else document
    return held.get(key)


def _written(field: RuleField, value: Any) -> str:
    if value is None:
        return ""
    if field.kind is FieldKind.LINES:
        return "\n".join(value)
    if field.kind is FieldKind.PAIRS:
        return "\n".join(f"{phrase} = {column}" for phrase, column in value.items())
    if field.kind is FieldKind.OBJECTS:
        return "\n".join(orjson.dumps(each).decode() for each in value)
    if field.kind is FieldKind.TABLES:
        return "\n".join(orjson.dumps({name: own}).decode() for name, own in value.items())
    return (
        str(value).lower() if isinstance(value, bool) else f"{value:.15g}" if isinstance(value, float) else str(value)
    )


def fits_form(document: Mapping[str, Any]) -> bool:
    """Whether the form can hold the document: an entry with several lines, or with ` = ` in a column, needs JSON."""
    shown = shown_fields(document)
    listed = [each for each in rule_fields() if each.kind in _EMPTY]
    return all(_read(each, shown[each.name]) == (_value(document, each.name) or _EMPTY[each.kind]) for each in listed)


_EMPTY: Mapping[FieldKind, Any] = {
    FieldKind.LINES: [],
    FieldKind.PAIRS: {},
    FieldKind.OBJECTS: [],
    FieldKind.TABLES: {},
}


def document_of(fields: Mapping[str, str]) -> bytes:
    """The document that the fields say, as JSON; raises `InvalidRules` where a field cannot be read.

    >>> orjson.loads(document_of({"lambda_min": "50", "judge.bar": "x", "ignore_filters": "a\\r\\n"}))
    {'ignore_filters': ['a'], 'lambda_min': 50, 'judge': {'bar': 'x'}}
    """
    document: dict[str, Any] = {}
    for each in rule_fields():
        text = fields.get(each.name)
        # a field that was not sent, or was left empty, stands for the default
        if text is None or (not text.strip() and each.kind not in _EMPTY):
            continue
        group, _, key = each.name.rpartition(".")
        held = document.setdefault(group, {}) if group else document
        held[key] = _read(each, text)
    return orjson.dumps(document)


def _read(field: RuleField, text: str) -> Any:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    match field.kind:
        case FieldKind.LINES:
            return lines
        case FieldKind.PAIRS:
            return dict(_pair(field.name, line) for line in lines)
        case FieldKind.OBJECTS | FieldKind.TABLES:
            objects = [_object(field.name, line) for line in lines]
            return objects if field.kind is FieldKind.OBJECTS else _joined(objects)
        case FieldKind.NUMBER:
            return _number(text.strip())
        case FieldKind.TRUTH:
            return {"true": True, "false": False}.get(text.strip().lower(), text)
        case _:
            return text.strip()


def _pair(name: str, line: str) -> tuple[str, str]:
    phrase, equals, column = line.rpartition("=")
    if not equals:
        raise InvalidRules(f"{name}: {line[:80]!r} has no =: write the question's phrase, = and the column")
    return phrase.strip(), column.strip()


def _joined(objects: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    return {name: own for each in objects for name, own in each.items()}


def _object(name: str, line: str) -> Mapping[str, Any]:
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise InvalidRules(f"{name}: {line[:80]!r} is not one JSON object: write {OBJECT_LINES[name]}")
    return cast("Mapping[str, Any]", found)


OBJECT_LINES: Mapping[str, str] = {
    "conventions": '{"table": "orders", "predicate": "deleted_at IS NULL"}',
    "look_alikes": '{"column": "orders.placed_at", "instead_of": ["orders.created_at"], "when": ["sales"]}',
    "time_zones": '{"zone": "Europe/Vienna", "columns": ["orders.placed_at"], "parts": ["hour", "day"]}',
    "codes": '{"orders.status": {"P": "paid", "X": "cancelled"}}',
}
"""A line of each field that holds objects."""


def _number(text: str) -> int | float | str:
    """The number, or the text itself, which the document then refuses by its key."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
