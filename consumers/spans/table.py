"""Which attribute of a span says what of an event: the documented table, and how one span is read by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields

from pydantic import JsonValue

from consumers.spans.messages import question_in
from consumers.spans.span import Attributes, Span
from scoring.sql import KNOWN_DIALECTS

RESOURCE = "resource:"
"""Before a name: an attribute of the process that wrote the SQL, read where no span says it."""

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanTable:
    """For each field of an event the attributes that may say it, first to last.

    Question, agent and the like are looked up on the SQL's own span, then on the one it is part of, and so on.
    """

    sql: Names = ("sqlassay.sql", "db.query.text", "db.statement")
    """A span that has one of these is an answer, unless its database is known to speak no SQL."""
    dialect: Names = ("sqlassay.dialect", "db.system.name", "db.system")
    """Read on the SQL's own span only."""
    question: Names = ("sqlassay.question", "gen_ai.input.messages", "gen_ai.prompt")
    enriched_question: Names = ("sqlassay.enriched_question",)
    """Read no higher than the question."""
    tenant: Names = ("sqlassay.tenant", "resource:sqlassay.tenant")
    agent: Names = ("sqlassay.agent", "gen_ai.agent.name", "gen_ai.agent.id", "resource:service.name")
    agent_version: Names = ("sqlassay.agent_version", "gen_ai.agent.version", "resource:service.version")
    attributes: Names = ("gen_ai.conversation.id", "gen_ai.request.model", "session.id", "db.namespace")
    """Copied to the event's attributes under their own names."""

    def span_names(self) -> frozenset[str]:
        """Every attribute of a span that is read."""
        return frozenset(name for name in self._names() if not name.startswith(RESOURCE))

    def resource_names(self) -> frozenset[str]:
        """Every attribute of a resource that is read."""
        return frozenset(name.removeprefix(RESOURCE) for name in self._names() if name.startswith(RESOURCE))

    def _names(self) -> Iterator[str]:
        for each in fields(self):
            yield from getattr(self, each.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanFields:
    """What one span says, by the table."""

    sql: str | None = None
    question: str | None = None
    said: Mapping[str, str] = field(default_factory=dict[str, str])
    """Fields of an event that a span above the SQL may say too."""
    fallback: Mapping[str, str] = field(default_factory=dict[str, str])
    """The same, of its process."""
    attributes: Attributes = field(default_factory=dict[str, JsonValue])

    @property
    def size(self) -> int:
        """Characters held, about."""
        texts = (self.sql or "", self.question or "", *self.said.values(), *self.fallback.values())
        return sum(map(len, texts)) + sum(len(str(value)) for value in self.attributes.values())


INHERITED = frozenset({"enriched_question", "tenant", "agent", "agent_version"})
"""Fields that a span above the SQL may say."""


def read_span(span: Span, table: SpanTable) -> SpanFields:
    """What the span says by the table.

    >>> read_span(Span(trace_id="t", span_id="s", attributes={"db.query.text": "SELECT 1"}), SpanTable()).sql
    'SELECT 1'
    """
    sql = None if _speaks_no_sql(span, table) else _first(span.attributes, table.sql, _text)
    dialect = _first(span.attributes, table.dialect, dialect_of) if sql is not None else None
    inherited: dict[str, Names] = {name: getattr(table, name) for name in sorted(INHERITED)}
    said = {name: _first(span.attributes, names, _told) for name, names in inherited.items()} | {"dialect": dialect}
    own = {name: _first(span.resource, _of_resource(names), _told) for name, names in inherited.items()}
    return SpanFields(
        sql=sql,
        question=_first(span.attributes, table.question, question_in),
        said={name: text for name, text in said.items() if text is not None},
        fallback={name: text for name, text in own.items() if text is not None} if sql is not None else {},
        attributes={name: span.attributes[name] for name in table.attributes if name in span.attributes},
    )


def _first(attributes: Attributes, names: Names, read: Callable[[JsonValue], str | None]) -> str | None:
    return next((text for name in names if name in attributes and (text := read(attributes[name])) is not None), None)


def _of_resource(names: Names) -> Names:
    return tuple(name.removeprefix(RESOURCE) for name in names if name.startswith(RESOURCE))


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None


def _told(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


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
"""Values of `db.system.name` and `db.system` that the SQL parser calls otherwise."""


_NO_SQL = frozenset(
    "redis memcached mongodb couchdb couchbase elasticsearch opensearch neo4j hbase geode influxdb dynamodb"
    " aws.dynamodb cassandra".split()
)


def _speaks_no_sql(span: Span, table: SpanTable) -> bool:
    return any(str(span.attributes.get(name)) in _NO_SQL for name in table.dialect if name.startswith("db."))


def dialect_of(value: JsonValue) -> str | None:
    """The dialect that a database system speaks; `None` where it is not known, and then it is guessed.

    >>> dialect_of("microsoft.sql_server"), dialect_of("sqlite"), dialect_of("other_sql")
    ('tsql', 'sqlite', None)
    """
    name = value.strip().lower() if isinstance(value, str) else ""
    return _DIALECTS.get(name, name if name in KNOWN_DIALECTS else None)
