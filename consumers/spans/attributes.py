"""Which span attributes hold which field of an event: the documented table, put together from the presets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, fields

from consumers.spans.presets import SPAN_NAME, STATUS, names_of

PARAMETER = "db.query.parameter."
"""Prefix of the attributes that hold the values of the SQL's placeholders, by name or by place from 0."""
USER_MESSAGE, TOOL_MESSAGE, CHOICE = "gen_ai.user.message", "gen_ai.tool.message", "gen_ai.choice"
"""Events that hold a message, and the attributes as which they are read."""
EVALUATION = "gen_ai.evaluation.result"
"""Events that hold an evaluation of the answer, and the attribute as which they are read: a list."""
RESOURCE = "resource:"
"""Prefix for attributes of the process that wrote the SQL; they are read where no span has the field."""

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanTable:
    """For each field of an event, the attributes that may hold it, in order of preference.

    Question, agent and similar fields are looked up on the span of the SQL, then on its parent, and so on.
    """

    sql: Names = field(default=names_of("sql"))
    """A span with one of these ran SQL, unless its database is known not to speak SQL."""
    kind: Names = field(default=names_of("kind"))
    """Whether a span is the call of a tool, of a model or of an agent."""
    tool: Names = field(default=names_of("tool"))
    """Only the span of a tool call has one of these."""
    tool_sql: Names = field(default=names_of("tool_sql"))
    """Arguments of a tool call. Their SQL counts unless a span below has SQL, such as that of the database."""
    tool_output: Names = field(default=names_of("tool_output"))
    """What a tool gave back. Only read for the error of a database."""
    output: Names = field(default=names_of("output"))
    """What a model or a step gave back. Its SQL counts where no tool and no database has SQL for the question."""
    dialect: Names = field(default=names_of("dialect"))
    """Read only on the span of the SQL."""
    error: Names = field(default=(*names_of("error"), STATUS))
    """Why the database did not run the SQL. Read only on the span of the SQL, as `rows`."""
    rows: Names = field(default=names_of("rows"))
    question: Names = field(default=names_of("question"))
    input: Names = field(default=names_of("input"))
    """What a span was called with; its question counts where none of the above is found."""
    enriched_question: Names = ("sqlassay.enriched_question",)
    """Not read above the span of the question."""
    tenant: Names = ("sqlassay.tenant", "resource:sqlassay.tenant")
    agent: Names = field(default=(*names_of("agent"), SPAN_NAME, "resource:service.name"))
    agent_version: Names = ("sqlassay.agent_version", "gen_ai.agent.version", "resource:service.version")
    feedback: Names = (
        *("gen_ai.evaluation.name", "gen_ai.evaluation.score.value", "gen_ai.evaluation.score.label"),
        *("gen_ai.evaluation.explanation", EVALUATION),
        *("langfuse.score.name", "langfuse.score.value", "langfuse.score.string_value", "langfuse.score.comment"),
        *("user.id", "enduser.id", "langfuse.user.id"),
    )
    """What a person says of the answer of the trace: read on every span and in its events."""
    attributes: Names = field(default=names_of("attributes"))
    """Copied to the event's attributes under their own names."""

    def span_names(self) -> frozenset[str]:
        """The span attributes that are read."""
        return frozenset(name for name in self._names() if not name.startswith(RESOURCE))

    def resource_names(self) -> frozenset[str]:
        """The resource attributes that are read."""
        return frozenset(name.removeprefix(RESOURCE) for name in self._names() if name.startswith(RESOURCE))

    def _names(self) -> Iterator[str]:
        for each in fields(self):
            yield from getattr(self, each.name)


_PLACE = re.compile(r"\.\d+(?=\.|$)", re.ASCII)


def is_read(name: str, names: frozenset[str]) -> bool:
    """Whether an attribute is one of the names, is a place in a list of that name, or holds a parameter.

    >>> is_read("llm.input_messages.0.message.role", frozenset({"llm.input_messages"}))
    True
    """
    if name in names or name.startswith(PARAMETER):
        return True
    place = _PLACE.search(name)
    return place is not None and name[: place.start()] in names


LONGEST_NAME = 100
"""Characters of an attribute's name that are kept where its value is not read."""


def without_places(name: str) -> str:
    """The name with `N` for each number between dots.

    >>> without_places("llm.tools.12.tool.json_schema")
    'llm.tools.N.tool.json_schema'
    """
    return _PLACE.sub(".N", name[:LONGEST_NAME])
