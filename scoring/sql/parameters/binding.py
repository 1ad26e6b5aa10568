"""Puts the values of parameters in the place of their placeholders."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias, cast

from scoring.patterns import lazy
from scoring.sql.dialects import canonical_dialect, guess, parser_dialect
from scoring.sql.parameters.placeholders import Placeholder, replaced

Parameters: TypeAlias = "Sequence[object] | Mapping[str, object]"
"""Values by place or by name."""
MOST_PARAMETERS = 1_000
"""Most values of one query."""
LONGEST_VALUE = 2_000
"""Longest text that is put in place, in characters."""
MOST_WRITTEN = 100_000
"""Characters that all values of one query may take, however often they are used."""
_NAME = lazy(r"\w+")
_IN_LIST = lazy(r"\bin\s{0,9}\([^()]{0,200}$", re.IGNORECASE)
_OF_ARRAY = lazy(r"\b(?:any|all)\s{0,9}\(\s{0,9}$", re.IGNORECASE)


def bound(sql: str, parameters: Parameters, dialect: str | None = None) -> str:
    """The SQL with the values that are given. A placeholder whose value is missing, too long or not plain stays.

    Texts are quoted as the dialect does. Where it is only guessed, and has its own way to write an apostrophe, a text
    with one stays unknown: read in another dialect, it could end too early.

    >>> bound("SELECT a FROM t WHERE b = ? AND c IN (?)", ["it's", [1, 2]])
    "SELECT a FROM t WHERE b = 'it''s' AND c IN (1, 2)"
    >>> bound("SELECT a FROM t WHERE b = :town AND c = :other", {"town": "Faro"})
    "SELECT a FROM t WHERE b = 'Faro' AND c = :other"
    >>> print(bound("SELECT a FROM t WHERE b = ?", ["it's"], "bigquery"))
    SELECT a FROM t WHERE b = 'it\\'s'
    """
    if len(sql) > MOST_WRITTEN:
        return sql
    values = _by_name(parameters)
    left = MOST_WRITTEN
    apostrophe = _apostrophe(sql, dialect)

    def write(place: Placeholder) -> str:
        nonlocal left
        own = sql[place.start : place.end]
        key = place.name.lower() or f"#{place.order}"
        text = _written(values[key], sql, place, apostrophe) if key in values else None
        if text is None or len(text) > left:
            return own
        left -= len(text)
        if place.alone:
            return f"({text})"
        return f" {text}" if text[0] == "-" and sql[place.start - 1] == "-" else text

    return replaced(sql, write)


def _by_name(parameters: Parameters) -> dict[str, object]:
    """The values by the names of their placeholders: `city`; `1` for `$1`; `#0` for the first without a name."""
    if isinstance(parameters, Mapping):
        names = {_plain(name): value for name, value in parameters.items()}
        if "0" not in names:
            return names
        parameters = [names[str(place)] for place in range(len(names)) if str(place) in names]
    found: dict[str, object] = {}
    for place, value in enumerate(parameters):
        found[f"#{place}"] = found[str(place + 1)] = value
    return found


def _plain(name: str) -> str:
    found = _NAME.search(name.removeprefix("%"))
    return found.group().lower() if found else ""


def _apostrophe(sql: str, dialect: str | None) -> str | None:
    """How an apostrophe within a text is written: twice, or where that begins another text, with a backslash."""
    name = canonical_dialect(dialect) if dialect is not None else guess(sql)
    if name is None or "'" in parser_dialect(name).tokenizer_class.STRING_ESCAPES:
        return "''"
    return "\\'" if dialect is not None else None


def _written(value: object, sql: str, place: Placeholder, apostrophe: str | None) -> str | None:
    """A value as SQL; `None` for one that is no plain value."""
    if not isinstance(value, list):
        return _literal(value, apostrophe)
    members = [_literal(each, apostrophe) for each in cast("list[object]", value[:MOST_PARAMETERS])]
    texts = [each for each in members if each is not None]
    if not texts or len(texts) < len(members):
        return None
    before = sql[max(0, place.start - 250) : place.start]
    if place.alone or _IN_LIST.search(before):
        return ", ".join(texts)
    return f"ARRAY[{', '.join(texts)}]" if _OF_ARRAY.search(before) else None


def _literal(value: object, apostrophe: str | None) -> str | None:
    if isinstance(value, str):
        # Dialects differ in what a backslash means.
        if len(value) > LONGEST_VALUE or "\\" in value or (apostrophe is None and "'" in value):
            return None
        return "'" + value.replace("'", apostrophe or "") + "'"
    if value is None or isinstance(value, bool):
        return {None: "NULL", True: "TRUE", False: "FALSE"}[value]
    if isinstance(value, int | float) and math.isfinite(value) and abs(value) < 1e18:
        return f"{value:.15g}" if isinstance(value, float) else str(value)
    return None
