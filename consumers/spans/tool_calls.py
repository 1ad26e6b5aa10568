"""Finds the SQL in the arguments of a tool call, for agents whose database is not traced."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import cast

import orjson

_KEYS = ("sql", "query", "sql_query", "statement", "sql_statement")
_WRAPPERS = ("kwargs", "inputs", "input", "input_str", "arguments", "args", "tool_input", "parameters")
_DEEPEST = 4
_LONGEST_REPR = 20_000
"""Characters of a Python value that is read."""
_QUERY = re.compile(r"\s*(?:--[^\n]*\n\s*|/\*.*?\*/\s*)*\(*\s*(select|with)\b", re.IGNORECASE | re.DOTALL)


def sql_of_call(value: object, depth: int = 0) -> str | None:
    """The query among the arguments, as text, JSON or the text of a Python dictionary.

    >>> sql_of_call('{"query": "SELECT name FROM kites"}'), sql_of_call("SELECT name FROM kites")
    ('SELECT name FROM kites', 'SELECT name FROM kites')
    >>> sql_of_call('{"query": "kites in Lisbon"}')
    """
    if depth > _DEEPEST:
        return None
    if isinstance(value, str):
        held = _parsed(value)
        return sql_of_call(held, depth + 1) if held is not None else value if is_query(value) else None
    if not isinstance(value, Mapping):
        return None
    held = cast("Mapping[str, object]", value)
    texts = (text for key in _KEYS if isinstance(text := held.get(key), str) and is_query(text))
    inner = (found for key in _WRAPPERS if (found := sql_of_call(held.get(key), depth + 1)) is not None)
    return next(texts, None) or next(inner, None)


def is_query(text: str) -> bool:
    """Whether a text begins as a query; prose that begins with such a word has no FROM or SELECT after it.

    >>> is_query("-- all\\nselect * from kites"), is_query("With love"), is_query("select a kite")
    (True, False, False)
    """
    found = _QUERY.match(text)
    rest = "select" if found is not None and found.group(1).lower() == "with" else "from"
    return found is not None and re.search(rf"\b{rest}\b", text[found.end() :], re.IGNORECASE) is not None


def _parsed(text: str) -> object:
    """What a text holds as JSON or as a Python dictionary; `None` for any other text."""
    if text.lstrip()[:1] != "{":
        return None
    try:
        return cast("object", orjson.loads(text))
    except orjson.JSONDecodeError:
        pass
    try:
        return cast("object", ast.literal_eval(text)) if len(text) <= _LONGEST_REPR else None
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
