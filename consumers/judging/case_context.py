"""What a model is told beside the answer: dialect, house, conversation, and what the local judge suspects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar, cast

from consumers.judging.masking.masked_sql import mask_sql, tokens_of
from consumers.judging.masking.masker import Masker
from scoring.reason_kinds import FORMS
from scoring.rules import Convention, LookAlike, TimeZone
from scoring.values import FiscalYear, Grain
from scoring.verdict import Case, Reason
from scoring.words import letters

Line = TypeVar("Line")
MOST_TURNS = 3
"""Most earlier turns shown, the latest."""
MOST_DOUBTS = 4
MOST_LINES = 12
"""Most lines of each kind of the house's rules."""
_LONGEST_DOUBT = 160
_WHOLE = "integer / integer drops the fraction"
_FRACTION = "integer / integer keeps the fraction"
_DIVISION: Mapping[str, str] = {
    **dict.fromkeys(("sqlite", "postgres", "tsql", "redshift", "trino", "presto", "athena", "materialize"), _WHOLE),
    **dict.fromkeys(
        ("mysql", "bigquery", "snowflake", "oracle", "duckdb", "clickhouse", "databricks", "spark", "hive"), _FRACTION
    ),
}
_CASTS: Mapping[str, str] = {
    "sqlite": "CAST of a text that is no number gives 0; dates are texts",
    "mysql": "a text beside a number is read as a number",
    "tsql": "CAST to INT drops the fraction",
    "postgres": "CAST to INTEGER rounds",
    "bigquery": "CAST to INT64 rounds",
    "oracle": "an empty text is NULL; DATE has a time",
}


def dialect_notes(dialect: str) -> str | None:
    """How the dialect divides and casts.

    >>> dialect_notes("tsql"), dialect_notes("")
    ('integer / integer drops the fraction; CAST to INT drops the fraction', None)
    """
    notes = [each[dialect] for each in (_DIVISION, _CASTS) if dialect in each]
    return "; ".join(notes) or None


def context_of(case: Case, masker: Masker | None, doubts: Sequence[Reason]) -> dict[str, object]:
    """The context of a case, by its keys in the data; `rules` are the house's own."""
    text = masker.text if masker is not None else str
    suspected = [each for each in doubts if each.weight < 0 and each.code not in FORMS][:MOST_DOUBTS]
    return {
        "dialect_notes": dialect_notes(case.sql.dialect),
        "history": [
            {"question": text(turn.question), "sql": _sql(turn.sql, case, masker)}
            for turn in case.query.history[-MOST_TURNS:]
        ],
        "doubts": [f"{each.code.value}: {text(each.detail[:_LONGEST_DOUBT])}" for each in suspected],
        "rules": _house(case, masker),
    }


def _house(case: Case, masker: Masker | None) -> dict[str, object]:
    """Conventions of the tables and dictionary lines of the columns that the SQL reads."""
    text, rules = masker.text if masker is not None else str, case.rules
    return {
        "conventions": [
            _convention(each, case, masker) for each in rules.conventions if letters(each.table) in case.read
        ][:MOST_LINES],
        "look_alikes": [
            _look_alike(each, text)
            for each in rules.look_alikes
            if letters(each.column.rpartition(".")[0]) in case.read
        ][:MOST_LINES],
        "fiscal_year": _fiscal_year(rules.fiscal_year, text),
        "time_zones": [each for zone in rules.time_zones if (each := _time_zone(zone, case))],
        "units": {name: text(unit) for name, unit in _read(rules.units, case)},
        "codes": {name: _meanings(meant, masker) for name, meant in _read(rules.codes, case)},
    }


def _convention(each: Convention, case: Case, masker: Masker | None) -> dict[str, object]:
    text = masker.text if masker is not None else str
    shown: dict[str, object] = {"table": each.table, "condition": _sql(each.text, case, masker)}
    return shown | ({"only_for": [text(word) for word in each.when]} if each.when else {})


def _look_alike(each: LookAlike, text: Callable[[str], str]) -> dict[str, object]:
    shown: dict[str, object] = {"column": each.column, "not": list(each.instead_of)}
    return shown | ({"only_for": [text(word) for word in each.when]} if each.when else {})


def _fiscal_year(year: FiscalYear, text: Callable[[str], str]) -> dict[str, object]:
    if year.starts == 1:
        return {}
    named = "end" if year.named_after_end else "start"
    return {"first_month": year.starts, "named_after": named, "also_called": [text(word) for word in year.words]}


def _time_zone(rule: TimeZone, case: Case) -> dict[str, object]:
    """The zone of the columns that the SQL reads."""
    read = [name for name in sorted(rule.columns) if letters(name.rpartition(".")[2]) in case.read][:MOST_LINES]
    parts = [part.value for part in Grain if part in rule.parts]
    return {"zone": rule.zone, "columns": read, **({"only_for": parts} if parts else {})} if read else {}


def _meanings(codes: Mapping[str, str], masker: Masker | None) -> dict[str, str]:
    shown = list(codes.items())[:MOST_LINES]
    return dict(shown) if masker is None else {masker.literal(code): masker.text(said) for code, said in shown}


def _read(lines: Mapping[str, Line], case: Case) -> list[tuple[str, Line]]:
    """The lines of columns that the SQL reads; a column stands with or without its table."""
    return [(name, line) for name, line in lines.items() if letters(name.rpartition(".")[2]) in case.read][:MOST_LINES]


def _sql(sql: str | None, case: Case, masker: Masker | None) -> str | None:
    if sql is None or masker is None:
        return sql
    tokens = tokens_of(sql, case.sql.dialect)
    return masker.text(sql) if tokens is None else mask_sql(masker, sql, tokens, case.sql.dialect)


def with_context(document: Mapping[str, object], context: Mapping[str, object]) -> dict[str, object]:
    """The data of a case with its context, without what is empty."""
    rules = cast("dict[str, object]", document["rules"]) | cast("dict[str, object]", context["rules"])
    return cast("dict[str, object]", compact({**document, **context, "rules": rules}))


def compact(value: object) -> object:
    """The value without what is empty, null or a dimension that matches.

    >>> compact({"a": [], "b": {"c": None}, "d": {"match": True, "missing": []}, "e": [1], "f": False})
    {'e': [1], 'f': False}
    """
    if isinstance(value, Mapping):
        items = cast("Mapping[str, object]", value).items()
        kept = {key: each for key, raw in items if not _is_empty(each := compact(raw))}
        return {} if kept == {"match": True} else kept
    if isinstance(value, list | tuple):
        return [compact(each) for each in cast("Sequence[object]", value)]
    return value


def _is_empty(value: object) -> bool:
    return value is None or (isinstance(value, list | dict | str) and not value)
