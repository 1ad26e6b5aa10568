"""Finds the SQL in what a model gave back: a text, a message with its tool calls, or a structured answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import takewhile
from typing import cast

from consumers.spans.json_texts import decoded
from consumers.spans.model_input import ASKING_ROLES
from consumers.spans.tool_calls import is_query, sql_of_call

_FENCE = re.compile(r"```[ \t]*([\w+-]*)[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)
_LANGUAGES = frozenset(
    "sql postgresql postgres mysql sqlite tsql bigquery snowflake duckdb redshift oracle plsql".split()
)
_OTHER_ROLES = frozenset({"system", "user", "human", "tool", "developer", "function"})
"""Roles whose messages are no output of the model."""
_SQL_KEYS = ("sql", "sql_query", "generated_sql", "query", "statement", "sql_statement")
_CALL_KEYS = ("arguments", "args", "input", "kwargs")
_HOLDERS = (
    *("content", "contents", "parts", "text", "message", "messages", "output", "outputs", "choices", "candidates"),
    *("tool_calls", "toolCalls", "function", "function_call", "functionCall", "kwargs", "additional_kwargs"),
    *("generations", "result", "response", "answer", "final_result", "data", "update", "lc_kwargs"),
)
_DEEPEST = 12
_MOST_VALUES = 2_000
"""Most values of one output that are looked at."""
_LONGEST = 400_000
"""Characters of an output that is read."""


def sql_of_output(value: object) -> str | None:
    r"""The last query in an output; `None` where it holds none.

    >>> sql_of_output("Try this:\n```sql\nSELECT id FROM kites\n```"), sql_of_output('{"sql": "SELECT id FROM kites"}')
    ('SELECT id FROM kites', 'SELECT id FROM kites')
    >>> sql_of_output([{"role": "user", "content": "SELECT id FROM kites"}])
    """
    return _Search().find(value, 0)


class _Search:
    def __init__(self) -> None:
        self._left = _MOST_VALUES

    def find(self, value: object, depth: int) -> str | None:
        self._left -= 1
        if depth > _DEEPEST or self._left < 0:
            return None
        if isinstance(value, str):
            held = decoded(value, _LONGEST)
            return _sql_of_text(value) if held is None else self.find(held, depth + 1)
        if isinstance(value, list):
            items = takewhile(_is_no_question, reversed(cast("list[object]", value)))
            return next((found for each in items if (found := self.find(each, depth + 1)) is not None), None)
        return self._of_mapping(cast("Mapping[str, object]", value), depth) if isinstance(value, Mapping) else None

    def _of_mapping(self, held: Mapping[str, object], depth: int) -> str | None:
        if _role(held) in _OTHER_ROLES:
            return None
        named = (text for key in _SQL_KEYS if isinstance(text := held.get(key), str) and is_query(text))
        called = (found for key in _CALL_KEYS if (found := sql_of_call(held.get(key))) is not None)
        inner = (found for key in _HOLDERS if (found := self.find(held.get(key), depth + 1)) is not None)
        return next(named, None) or next(called, None) or next(inner, None)


def _role(message: Mapping[str, object]) -> str:
    """Who wrote a message; LangChain writes it among the arguments of its constructor."""
    inner = message.get("kwargs")
    held = cast("Mapping[str, object]", inner) if isinstance(inner, Mapping) and "type" in inner else message
    return str(held.get("role", held.get("type", ""))).lower()


def _is_no_question(item: object) -> bool:
    """Whether an item is no message of the user: what stands before one belongs to an earlier turn."""
    return not isinstance(item, Mapping) or _role(cast("Mapping[str, object]", item)) not in ASKING_ROLES


def _sql_of_text(text: str) -> str | None:
    """The last fenced query of a text, or the text where it is a query."""
    if len(text) > _LONGEST:
        return None
    fenced = [found[2].strip() for found in _FENCE.finditer(text) if not found[1] or found[1].lower() in _LANGUAGES]
    queries = [each for each in fenced if is_query(each)]
    return queries[-1] if queries else text.strip() if is_query(text) else None
