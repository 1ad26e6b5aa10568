"""Reads the fields of an event that one span holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import islice
from typing import cast

import orjson
from pydantic import JsonValue

from consumers.spans.attributes import PARAMETER, RESOURCE, USER_MESSAGE, SpanTable
from consumers.spans.earlier_turns import turns_before
from consumers.spans.indexed import gathered
from consumers.spans.kinds import SpanKind, kind_of
from consumers.spans.model_input import question_in, question_of_event, question_of_input
from consumers.spans.model_output import sql_of_output
from consumers.spans.presets import SPAN_NAME, STATUS
from consumers.spans.span import Attributes, Span
from consumers.spans.tool_calls import sql_of_call
from consumers.spans.tool_outputs import error_of_output
from consumers.wire.run_results import MAX_ERROR, MOST_ROWS
from scoring.sql import KNOWN_DIALECTS
from scoring.sql.parameters.binding import MOST_PARAMETERS, bound


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanFields:
    """The fields of an event that one span holds."""

    kind: SpanKind | None = None
    sql: str | None = None
    written: str | None = None
    """SQL in what a model or a step gave back."""
    dialect: str | None = None
    question: str | None = None
    input: str | None = None
    """The question that the span was called with, as far as can be told."""
    history: Sequence[Mapping[str, str | None]] = ()
    """The earlier turns of the messages that hold the question."""
    called: bool = False
    """Whether the SQL is an argument of a tool call."""
    tool: str | None = None
    """Name of the tool that is called."""
    result: Mapping[str, object] | None = None
    """What running the SQL gave, if the span says so."""
    inheritable: Mapping[str, str] = field(default_factory=dict[str, str])
    """Fields that a span above the SQL may hold too."""
    fallback: Mapping[str, str] = field(default_factory=dict[str, str])
    """The same fields, from the attributes of its process."""
    attributes: Attributes = field(default_factory=dict[str, JsonValue])
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    """The attribute that each field was read from."""

    @property
    def size(self) -> int:
        """Approximate number of characters held."""
        texts = (
            *(self.sql or "", self.written or "", self.question or "", self.input or ""),
            *self.inheritable.values(),
            *self.fallback.values(),
        )
        turns = (text or "" for turn in self.history for text in turn.values())
        values = (*self.attributes.values(), *(self.result or {}).values(), *turns)
        return sum(map(len, texts)) + sum(len(str(value)) for value in values)

    @property
    def failed(self) -> bool:
        """Whether the database did not run the SQL."""
        return self.result is not None and self.result.get("executed") is False


_EMPTY = SpanFields()
INHERITED = frozenset({"enriched_question", "tenant", "agent", "agent_version"})
"""Fields that a span above the SQL may hold."""
_NODES = frozenset({"graph.node.id", "traceloop.entity.name", SPAN_NAME})
"""Names of steps, which name an agent only on the span of its run."""


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
        self._agents = _ranked({"agent": table.agent}, lambda name: None if name.startswith(RESOURCE) else name)
        self._copied = frozenset(table.attributes)
        self._systems = tuple(name for name in table.dialect if name.startswith("db."))

    def read(self, span: Span) -> SpanFields:
        """The fields that the span holds."""
        if not span.attributes:
            return _EMPTY
        given = {**gathered(span.attributes), SPAN_NAME: span.name}
        found = self._found(given)
        said = {row: text for row, (_, text) in found.items()}
        kind = _kind(said)
        sql = self._sql(span, said, kind)
        return replace(
            _step_fields(said, kind),
            sql=sql,
            dialect=said.get("dialect") if sql is not None else None,
            history=_turns(given, found, kind),
            called="sql" not in said and sql is not None,
            tool=said.get("tool") or span.name if kind is SpanKind.TOOL else None,
            result=_result(said, kind) if sql is not None else None,
            fallback=self._fallback(span) if sql is not None or "output" in said else {},
            attributes={name: value for name, value in span.attributes.items() if name in self._copied},
            sources={row: name for row, (name, _) in found.items()},
        )

    def _found(self, attributes: Attributes) -> _Found:
        """For each field, the attribute that has it; names of steps name no agent outside its run."""
        found = _first_values(attributes, self._own)
        is_agent = "kind" in found and found["kind"][1] == SpanKind.AGENT
        if is_agent or "agent" not in found or found["agent"][0] not in _NODES:
            return found
        own = {name: value for name, value in attributes.items() if name not in _NODES}
        return {row: each for row, each in found.items() if row != "agent"} | _first_values(own, self._agents)

    def _fallback(self, span: Span) -> Mapping[str, str]:
        return {row: text for row, (_, text) in _first_values(span.resource, self._process).items()}

    def _sql(self, span: Span, said: Mapping[str, str], kind: SpanKind | None) -> str | None:
        """The SQL with its parameters; `None` where the database speaks no SQL."""
        sql = said.get("tool_sql") if "sql" not in said and kind is SpanKind.TOOL else said.get("sql")
        if sql is None or any(str(span.attributes.get(name)) in _NO_SQL for name in self._systems):
            return None
        return _with_parameters(sql, span.attributes, said.get("dialect"))


def _turns(attributes: Attributes, found: _Found, kind: SpanKind | None) -> Sequence[Mapping[str, str | None]]:
    """The turns before the question, from the attribute that holds it."""
    nothing = ("", "")
    name, question = nothing if kind is SpanKind.TOOL else found.get("question", found.get("input", nothing))
    return turns_before(attributes[name], question) if name else ()


def _step_fields(said: Mapping[str, str], kind: SpanKind | None) -> SpanFields:
    """What a span says beside its SQL; what a tool was called with is no question, and what it found no answer."""
    return SpanFields(
        kind=kind,
        written=None if kind in {SpanKind.TOOL, SpanKind.RETRIEVAL} else said.get("output"),
        question=said.get("question"),
        input=None if kind is SpanKind.TOOL else said.get("input"),
        inheritable={row: text for row, text in said.items() if row in INHERITED},
    )


def _kind(said: Mapping[str, str]) -> SpanKind | None:
    """The span's kind; what only a tool call has makes it one."""
    if "tool" in said:
        return SpanKind.TOOL
    return SpanKind(said["kind"]) if "kind" in said else None


def _result(said: Mapping[str, str], kind: SpanKind | None) -> Mapping[str, object] | None:
    """What running the SQL gave; rows beside an error are those before it, and say nothing."""
    error = said.get("error") or (said.get("tool_output") if kind is SpanKind.TOOL else None)
    if error is not None:
        return {"executed": False, "error": error}
    return {"rows": int(said["rows"])} if "rows" in said else None


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
_Found = dict[str, tuple[str, str]]
"""For each field, the attribute it was read from, and its value."""


def _ranked(names: Mapping[str, Sequence[str]], own: Callable[[str], str | None]) -> _Ranks:
    ranks: dict[str, list[tuple[str, int]]] = {}
    for row, listed in names.items():
        for place, name in enumerate(listed):
            if (read := own(name)) is not None:
                ranks.setdefault(read, []).append((row, place))
    return ranks


def _first_values(attributes: Attributes, ranks: _Ranks) -> _Found:
    """For each field, the value of the first attribute in its row that has one."""
    found: dict[str, tuple[int, str, str]] = {}
    for name, value in attributes.items():
        for row, place in ranks.get(name, ()):
            read = _READ_NAME.get((row, name)) or _READ.get(row, _text)
            if (row not in found or place < found[row][0]) and (text := read(value)) is not None:
                found[row] = (place, name, text)
    return {row: (name, text) for row, (_, name, text) in found.items()}


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


_SUCCESS = frozenset({"0", "00000", "OK", "ok", "200"})


def _code(value: JsonValue) -> str | None:
    """The database's status code where it is that of an error."""
    code = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return None if code in _SUCCESS else _error(code)


def _status(value: JsonValue) -> str | None:
    return "error" if value == "ERROR" else None


def _output_error(value: JsonValue) -> str | None:
    return _error(error_of_output(value))


def _kind_name(value: JsonValue) -> str | None:
    kind = kind_of(value)
    return None if kind is None else kind.value


def _name(value: JsonValue) -> str | None:
    """The name of an agent, which some write as JSON, and some with the method that ran it."""
    text = value.strip('" ').removesuffix(".run") if isinstance(value, str) else ""
    return text or None


def _agent_of_metadata(value: JsonValue) -> str | None:
    """The name of a LangChain agent in a step's metadata."""
    try:
        held: object = orjson.loads(value) if isinstance(value, str) else value
    except orjson.JSONDecodeError:
        return None
    name = cast("Mapping[str, object]", held).get("lc_agent_name") if isinstance(held, Mapping) else None
    return name if isinstance(name, str) and name.strip() else None


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
    "input": question_of_input,
    "tool_sql": sql_of_call,
    "tool_output": _output_error,
    "output": sql_of_output,
    "kind": _kind_name,
    "dialect": dialect_of,
    "error": _error,
    "rows": _rows,
    "agent": _name,
}
_READ_NAME: Mapping[tuple[str, str], Callable[[JsonValue], str | None]] = {
    ("question", USER_MESSAGE): question_of_event,
    ("error", "db.response.status_code"): _code,
    ("error", STATUS): _status,
    ("agent", "metadata"): _agent_of_metadata,
}
