"""Which span attributes hold which field of an event: the documented table, and the reader that applies it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import islice
from types import MappingProxyType

from pydantic import JsonValue

from consumers.spans.earlier_turns import turns_before
from consumers.spans.model_input import question_in, question_of_event, question_of_input
from consumers.spans.span import Attributes, Span
from consumers.spans.tool_calls import TOOL_NAMES, sql_of_call
from consumers.wire.run_results import MAX_ERROR, MOST_ROWS
from scoring.sql import KNOWN_DIALECTS
from scoring.sql.parameters.binding import MOST_PARAMETERS, bound

PARAMETER = "db.query.parameter."
"""Prefix of the attributes that hold the values of the SQL's placeholders, by name or by place from 0."""
USER_MESSAGE, TOOL_MESSAGE = "gen_ai.user.message", "gen_ai.tool.message"
"""Events that hold a message, and the attributes as which they are read."""
RESOURCE = "resource:"
"""Prefix for attributes of the process that wrote the SQL; they are read where no span has the field."""

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanTable:
    """For each field of an event, the attributes that may hold it, in order of preference.

    Question, agent and similar fields are looked up on the span of the SQL, then on its parent, and so on.
    """

    sql: Names = ("sqlassay.sql", "db.query.text", "db.statement")
    """A span with one of these is an answer, unless its database is known not to speak SQL."""
    tool_sql: Names = ("gen_ai.tool.call.arguments", TOOL_MESSAGE, "input.value")
    """Arguments of a tool call. Their SQL is an answer unless a span below has SQL, such as that of the database."""
    dialect: Names = ("sqlassay.dialect", "db.system.name", "db.system")
    """Read only on the span of the SQL."""
    error: Names = ("sqlassay.result.error", "error.type")
    """Why the database did not run the SQL. Read only on the span of the SQL, as `rows`."""
    rows: Names = ("sqlassay.result.rows", "db.response.returned_rows")
    question: Names = (
        "sqlassay.question",
        "gen_ai.input.messages",
        "gen_ai.prompt",
        "pydantic_ai.all_messages",
        USER_MESSAGE,
    )
    input: Names = ("input.value", "traceloop.entity.input")
    """What a span was called with; its question counts where none of the above is found."""
    enriched_question: Names = ("sqlassay.enriched_question",)
    """Not read above the span of the question."""
    tenant: Names = ("sqlassay.tenant", "resource:sqlassay.tenant")
    agent: Names = ("sqlassay.agent", "gen_ai.agent.name", "agent.name", "gen_ai.agent.id", "resource:service.name")
    agent_version: Names = ("sqlassay.agent_version", "gen_ai.agent.version", "resource:service.version")
    attributes: Names = (
        "gen_ai.conversation.id",
        "gen_ai.request.model",
        "llm.model_name",
        "session.id",
        "db.namespace",
    )
    """Copied to the event's attributes under their own names."""

    def span_names(self) -> frozenset[str]:
        """The span attributes that are read."""
        return frozenset(name for name in (*self._names(), *TOOL_NAMES) if not name.startswith(RESOURCE))

    def resource_names(self) -> frozenset[str]:
        """The resource attributes that are read."""
        return frozenset(name.removeprefix(RESOURCE) for name in self._names() if name.startswith(RESOURCE))

    def _names(self) -> Iterator[str]:
        for each in fields(self):
            yield from getattr(self, each.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanFields:
    """The fields of an event that one span holds."""

    sql: str | None = None
    dialect: str | None = None
    question: str | None = None
    input: str | None = None
    """The question that the span was called with, as far as can be told."""
    history: Sequence[Mapping[str, str | None]] = ()
    """The earlier turns of the messages that hold the question."""
    called: bool = False
    """Whether the SQL is an argument of a tool call."""
    result: Mapping[str, object] | None = None
    """What running the SQL gave, if the span says so."""
    inheritable: Mapping[str, str] = field(default_factory=dict[str, str])
    """Fields that a span above the SQL may hold too."""
    fallback: Mapping[str, str] = field(default_factory=dict[str, str])
    """The same fields, from the attributes of its process."""
    attributes: Attributes = field(default_factory=dict[str, JsonValue])

    @property
    def size(self) -> int:
        """Approximate number of characters held."""
        texts = (
            self.sql or "",
            self.question or "",
            self.input or "",
            *self.inheritable.values(),
            *self.fallback.values(),
        )
        turns = (text for turn in self.history for text in turn.values())
        values = (*self.attributes.values(), *(self.result or {}).values(), *(text or "" for text in turns))
        return sum(map(len, texts)) + sum(len(str(value)) for value in values)


_EMPTY = SpanFields()
INHERITED = frozenset({"enriched_question", "tenant", "agent", "agent_version"})
"""Fields that a span above the SQL may hold."""
_NO_FALLBACK: Mapping[str, str] = MappingProxyType({})


class SpanReader:
    """Reads spans by a table.

    >>> span = Span(trace_id="t", span_id="s", attributes={"db.query.text": "SELECT 1"})
    >>> SpanReader(SpanTable()).read(span).sql
    'SELECT 1'
    """

    def __init__(self, table: SpanTable) -> None:
        names = {each.name: getattr(table, each.name) for each in fields(table) if each.name != "attributes"}
        self._own = _ranked(names, lambda name: None if name.startswith(RESOURCE) else name)
        self._process = _ranked(names, lambda name: name.removeprefix(RESOURCE) if name.startswith(RESOURCE) else None)
        self._asking = (*table.question, *table.input)
        self._copied = frozenset(table.attributes)
        self._systems = tuple(name for name in table.dialect if name.startswith("db."))

    def read(self, span: Span) -> SpanFields:
        """The fields that the span holds."""
        if not span.attributes:
            return _EMPTY
        found = _first_values(span.attributes, self._own)
        question, dialect, asked = found.pop("question", None), found.pop("dialect", None), found.pop("input", None)
        result = _result(found.pop("error", None), found.pop("rows", None))
        own, argument, is_call = found.pop("sql", None), found.pop("tool_sql", None), _is_call(span)
        sql = self._sql(span, argument if own is None and is_call else own, dialect)
        return SpanFields(
            sql=sql,
            dialect=dialect if sql is not None else None,
            question=question,
            input=None if is_call else asked,
            history=self._turns(span, question or asked) if not is_call else (),
            called=own is None and sql is not None,
            result=result if sql is not None else None,
            inheritable=found,
            fallback=_first_values(span.resource, self._process) if sql is not None else _NO_FALLBACK,
            attributes={name: value for name, value in span.attributes.items() if name in self._copied},
        )

    def _turns(self, span: Span, question: str | None) -> Sequence[Mapping[str, str | None]]:
        """The turns before the question, from the attribute that holds it."""
        if question is None:
            return ()
        values = (value for name in self._asking if (value := span.attributes.get(name)) is not None)
        return next((found for value in values if (found := turns_before(value, question))), ())

    def _sql(self, span: Span, sql: str | None, dialect: str | None) -> str | None:
        """The SQL with its parameters; `None` where the database speaks no SQL."""
        if sql is None or any(str(span.attributes.get(name)) in _NO_SQL for name in self._systems):
            return None
        return _with_parameters(sql, span.attributes, dialect)


def _is_call(span: Span) -> bool:
    """Whether a span is the call of a tool; what it was called with is then no question."""
    return any(name in span.attributes for name in TOOL_NAMES)


def _result(error: str | None, rows: str | None) -> Mapping[str, object] | None:
    """What running the SQL gave; rows beside an error are those before it, and say nothing."""
    if error is not None:
        return {"executed": False, "error": error}
    return {"rows": int(rows)} if rows is not None else None


def is_read(name: str, names: frozenset[str]) -> bool:
    """Whether an attribute is one of the names, or holds a parameter."""
    return name in names or name.startswith(PARAMETER)


_WHOLE = re.compile(r"\d{1,15}", re.ASCII)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?", re.ASCII)


def _with_parameters(sql: str, attributes: Attributes, dialect: str | None) -> str:
    """The SQL with the values of its placeholders, which spans hold as texts."""
    values = {
        name.removeprefix(PARAMETER): _parameter(value)
        for name, value in islice(attributes.items(), MOST_PARAMETERS)
        if name.startswith(PARAMETER)
    }
    return bound(sql, values, dialect) if values else sql


def _parameter(value: JsonValue) -> JsonValue:
    return float(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else value


_Ranks = Mapping[str, Sequence[tuple[str, int]]]
"""For each attribute, the fields it may hold, each with the attribute's position in that field's row."""


def _ranked(names: Mapping[str, Names], own: Callable[[str], str | None]) -> _Ranks:
    ranks: dict[str, list[tuple[str, int]]] = {}
    for row, listed in names.items():
        for place, name in enumerate(listed):
            if (read := own(name)) is not None:
                ranks.setdefault(read, []).append((row, place))
    return ranks


def _first_values(attributes: Attributes, ranks: _Ranks) -> dict[str, str]:
    """For each field, the value of the first attribute in its row that has one."""
    found: dict[str, tuple[int, str]] = {}
    for name, value in attributes.items():
        for row, place in ranks.get(name, ()):
            read = _READ.get(name) or _READ.get(row, _text)
            if (row not in found or place < found[row][0]) and (text := read(value)) is not None:
                found[row] = (place, text)
    return {row: text for row, (_, text) in found.items()}


_TRANSACTIONAL = frozenset("begin start commit end rollback abort savepoint release".split())
_LONGEST_TRANSACTIONAL = 60
"""Characters; a longer text is a program that starts with such a statement."""


def _sql(value: JsonValue) -> str | None:
    """The SQL; `None` for transaction statements, which drivers trace too."""
    if not isinstance(value, str):
        return None
    words = value.lower().replace(";", " ").split(None, 1) if len(value) <= _LONGEST_TRANSACTIONAL else ()
    return None if words and words[0] in _TRANSACTIONAL else value


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _rows(value: JsonValue) -> str | None:
    """The number of rows, as text; `None` for what is none. JSON writes 64-bit integers as texts."""
    number = int(value) if isinstance(value, str) and _WHOLE.fullmatch(value) else value
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= MOST_ROWS:
        return None
    return str(number)


def _error(value: JsonValue) -> str | None:
    """The error, shortened; `None` for a blank one."""
    return value[:MAX_ERROR] if isinstance(value, str) and value.strip() else None


_NO_SQL = frozenset(
    "redis memcached mongodb couchdb couchbase elasticsearch opensearch neo4j hbase geode influxdb dynamodb"
    " aws.dynamodb cassandra".split()
)
_DIALECTS = {
    "postgresql": "postgres",
    "cockroachdb": "postgres",
    "mariadb": "mysql",
    "microsoft.sql_server": "tsql",
    "mssql": "tsql",
    "oracle.db": "oracle",
    "aws.redshift": "redshift",
    "gcp.bigquery": "bigquery",
    "trinodb": "trino",
}
"""Values of `db.system.name` and `db.system` for which the SQL parser has another name."""


def dialect_of(value: JsonValue) -> str | None:
    """The dialect of a database system; `None` where it is unknown and must be guessed.

    >>> dialect_of("microsoft.sql_server"), dialect_of("sqlite"), dialect_of("other_sql")
    ('tsql', 'sqlite', None)
    """
    name = value.strip().lower() if isinstance(value, str) else ""
    return _DIALECTS.get(name, name if name in KNOWN_DIALECTS else None)


_READ: Mapping[str, Callable[[JsonValue], str | None]] = {
    "sql": _sql,
    "question": question_in,
    USER_MESSAGE: question_of_event,
    "input": question_of_input,
    "tool_sql": sql_of_call,
    "dialect": dialect_of,
    "error": _error,
    "rows": _rows,
}
