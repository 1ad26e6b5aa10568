"""The columns that hold an answer: which the user named, and what to say when a table lacks them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import cast

import orjson

from consumers.wire.events import QueryEvent
from service.commands.exits import refuse
from service.commands.jsonl import InputLine

_SHOWN = 12
_OPTIONS = {
    "question": "--question-column",
    "sql": "--sql-column",
    "enriched_question": "--enriched-column",
    "event_id": "--id-column",
    "dialect": "--dialect-column",
}
_ALIASES = {"id": "event_id", "enriched_question_proxy": "enriched_question"}
FIELDS = frozenset(QueryEvent.model_fields) | frozenset(_ALIASES)
"""The names that an event's fields have in a file."""
DATABASE = "db_id"
"""What names the database of an answer and its reference; no field of an event."""
NESTED = frozenset({"attributes", "parameters", "result", "canary", "history"})
"""Fields that a table holds as JSON text, unless its columns are nested."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The columns, or keys, in which a file holds fields of an event under other names."""

    question: str | None = None
    sql: str | None = None
    enriched_question: str | None = None
    event_id: str | None = None
    dialect: str | None = None

    @property
    def named(self) -> dict[str, str]:
        """Each field that has another name, with that name."""
        named = {field: cast("str | None", getattr(self, field)) for field in _OPTIONS}
        return {field: column for field, column in named.items() if column is not None}

    def of_table(self, source: str, found: Collection[str]) -> dict[str, str]:
        """Each field that a table has, with its column. Ends the command if the question or the SQL is not there."""
        columns = field_names(found) | self.named
        for field, column in {"question": "question", "sql": "sql", **self.named}.items():
            if columns.get(field, column) not in found:
                refuse(f"{source} has no column {column!r}: name it with {_OPTIONS[field]}; {shown(found)}")
        return columns | ({DATABASE: DATABASE} if DATABASE in found else {})

    def renamed(self, line: InputLine) -> InputLine:
        """A line of JSON whose keys are the event's own. A line that is no object stays as it is."""
        if not self.named or line.raw is None:
            return line
        try:
            document: object = orjson.loads(line.raw)
        except orjson.JSONDecodeError:
            return line
        if not isinstance(document, dict):
            return line
        keys = cast("dict[str, object]", document)
        other = {name for name in keys if _ALIASES.get(name, name) in self.named}
        event = {name: value for name, value in keys.items() if name not in other}
        event |= {field: keys[column] for field, column in self.named.items() if column in keys}
        return InputLine(line.number, orjson.dumps(event))


def field_names(found: Collection[str]) -> dict[str, str]:
    """Each field of an event among the columns of a table, with its column."""
    return {_ALIASES.get(name, name): name for name in found if name in FIELDS}


def key_hint(raw: bytes) -> str:
    """How to name the keys of a JSON object that lacks a field of an event."""
    keys = cast("dict[str, object]", orjson.loads(raw))
    return f"; name the keys with --question-column and --sql-column: {shown(keys).replace('columns', 'keys')}"


def shown(found: Collection[str]) -> str:
    """The columns of a table in a sentence."""
    names = [name if name.isprintable() else ascii(name) for name in list(found)[:_SHOWN]]
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return f"its columns are {', '.join(names)}{more}" if names else "it has no columns"


def cell_value(field: str, value: object) -> object:
    """What a table's cell says of a field: a blank one nothing, and JSON text of a nested field its value."""
    if value == "" and field not in {"question", "sql"}:
        return None
    if field in NESTED and isinstance(value, str):
        try:
            return orjson.loads(value)
        except orjson.JSONDecodeError:
            return value
    return value


def table_line(number: int, row: Mapping[str, object], columns: Mapping[str, str]) -> InputLine:
    """One row of a table as a line of JSON."""
    event = {field: cell_value(field, row.get(column)) for field, column in columns.items()}
    return InputLine(number, orjson.dumps(event, default=_plain, option=orjson.OPT_NON_STR_KEYS))


def _plain(value: object) -> str:
    """A value that JSON lacks. Some tools write texts as bytes."""
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
