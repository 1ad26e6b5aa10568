"""A trace whose spans are still arriving: its queries, each with the chain of spans above it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from consumers.spans.answers import Candidate, Chosen, choose, is_catalogue_read, words_of
from consumers.spans.kinds import SpanKind
from consumers.spans.span import Span
from consumers.spans.span_event import question_of
from consumers.spans.span_parts import ReadSpan
from consumers.spans.span_reader import SpanFields
from consumers.spans.unanswered import NoAnswer, no_answer

MAX_ANCESTORS = 64
"""Most spans above a query in which its question is looked for."""


@dataclass(slots=True)
class _Node:
    parent_id: str | None
    remote: bool
    start_nanos: int
    fields: SpanFields
    unread: tuple[str, ...]


@dataclass(slots=True)
class _Queries:
    """The queries of a trace, each with the chain of spans above it."""

    open: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Queries whose chain is incomplete, with the chain so far: span ids from the query upwards."""
    ready: list[list[str]] = field(default_factory=list[list[str]])
    """Complete chains with a question."""
    lacking: list[list[str]] = field(default_factory=list[list[str]])
    """Complete chains without a question."""
    calls: list[str] = field(default_factory=list[str])
    """Tool calls with SQL: queries once the trace closes, if no span below them has SQL."""
    above: set[str] = field(default_factory=set[str])
    """Spans above a query."""
    waiting: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """For each missing span, the queries whose chain continues there."""


_NO_QUERIES = _Queries()
"""Of every trace without a query, so that a hundred thousand of them hold no containers; never changed."""


@dataclass(slots=True)
class OpenTrace:
    """The spans of a trace so far."""

    opened_at: float
    size: int = 0
    nodes: dict[str, _Node] = field(default_factory=dict[str, _Node])
    gave: bool = False
    """Whether it gave an answer."""
    _queries: _Queries = field(default_factory=lambda: _NO_QUERIES)
    _given: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """For each question that has its answer, the queries that are counted."""

    def insert(self, span: Span | ReadSpan, fields: SpanFields) -> None:
        """Adds a span, and extends the chains that it continues."""
        self.nodes[span.span_id] = _Node(span.parent_id, span.parent_is_remote, span.start_nanos, fields, span.unread)
        if fields.sql is not None and self._queries is _NO_QUERIES:
            self._queries = _Queries()
        queries = self._queries
        moved = queries.waiting.pop(span.span_id, [])
        if fields.called:
            queries.calls.append(span.span_id)
        elif fields.sql is not None:
            queries.open[span.span_id] = []
            moved.append(span.span_id)
        for query in moved:
            if self._climb(query):
                chain = queries.open.pop(query)
                (queries.ready if any(map(_asks, self._fields(chain))) else queries.lacking).append(chain)

    def settle(self) -> list[Chosen]:
        """Answers that no further span of an agent in this process changes: the chains of all queries are complete."""
        queries = self._queries
        if not queries.ready or queries.open or not queries.above.issuperset(queries.calls):
            return []
        ready, queries.ready = queries.ready, []
        return self._choose([self._candidate(chain) for chain in ready])

    def close(self) -> list[Chosen]:
        """The answers that are left, when no span is waited for."""
        queries = self._queries
        chains = [*queries.ready, *queries.lacking, *queries.open.values(), *self._chains_of_calls()]
        written = self._written()
        only = (self._only_question() if chains or written else None) or ""
        asked = {words_of(each.sql): each.question for each in written if each.question}
        chosen = self._choose(
            _asking(each, asked.get(words_of(each.sql), only)) for each in map(self._candidate, chains)
        )
        return chosen + self._choose(self._unasked([_asking(each, only) for each in written]))

    def _unasked(self, written: Iterable[Candidate]) -> list[Candidate]:
        """The queries in outputs whose question has no answer, and that no other question has."""
        texts = {words_of(text) for texts in self._given.values() for text in texts}
        return [
            each for each in written if words_of(each.question) not in self._given and words_of(each.sql) not in texts
        ]

    def why_unanswered(self, trace_id: str) -> NoAnswer:
        """Why it gave no answer."""
        return no_answer(trace_id, ((node.fields, node.unread) for node in self.nodes.values()))

    def _choose(self, queries: Iterable[Candidate]) -> list[Chosen]:
        """One answer for each question; a query that its question had already is none."""
        new = [each for each in queries if each.sql not in self._given.get(words_of(each.question), ())]
        chosen = choose(new)
        for each in chosen:
            given = self._given.setdefault(words_of(each.answer.question), set())
            given.update(query.sql for query in (each.answer, *each.attempts))
        self.gave = self.gave or bool(chosen)
        return chosen

    def _candidate(self, chain: Sequence[str], *, from_output: bool = False) -> Candidate:
        fields = self._fields(chain)
        return Candidate(
            chain=chain,
            fields=fields,
            start_nanos=self.nodes[chain[0]].start_nanos,
            question=question_of(fields, from_output=from_output),
            from_output=from_output,
        )

    def _fields(self, chain: Iterable[str]) -> list[SpanFields]:
        return [self.nodes[each].fields for each in chain]

    def _climb(self, query: str) -> bool:
        """Extends the query's chain through the spans at hand; returns whether it is complete."""
        chain = self._queries.open[query]
        here = self.nodes[chain[-1]].parent_id if chain else query
        while here is not None and len(chain) < MAX_ANCESTORS and here not in chain:
            if chain and self.nodes[chain[-1]].remote and self._has_question_and_agent(chain):
                return True
            if here not in self.nodes:
                self._queries.waiting.setdefault(here, []).append(query)
                return False
            if chain:
                self._queries.above.add(here)
            chain.append(here)
            here = self.nodes[here].parent_id
        return True

    def _has_question_and_agent(self, chain: Sequence[str]) -> bool:
        """Whether the chain has both; a caller in another process, which may never report, is then not waited for."""
        fields = self._fields(chain)
        return any(each.question is not None for each in fields) and any("agent" in each.inheritable for each in fields)

    def _chains_of_calls(self) -> list[list[str]]:
        """The chain of each tool call that has no span with SQL below it, apart from reads of the catalogue."""
        if not self._queries.calls:
            return []
        chains = [self._chain(each) for each, node in self.nodes.items() if _counts(node.fields)]
        above = {each for chain in chains for each in chain[1:]}
        return [self._chain(each) for each in sorted(self._queries.calls) if each not in above]

    def _written(self) -> list[Candidate]:
        """The queries that models gave back; without one, those that other steps did."""
        found = [each for each, node in self.nodes.items() if node.fields.written is not None]
        models = [each for each in found if self.nodes[each].fields.kind is SpanKind.MODEL]
        queries = [self._candidate(self._chain(each), from_output=True) for each in models or found]
        # a step that calls another one shows the same SQL, and a prompt holds more than the question
        queries.sort(key=lambda each: (not each.question, len(each.question), each.start_nanos, each.span_id))
        return list({words_of(each.sql): each for each in reversed(queries)}.values())

    def _chain(self, query: str) -> list[str]:
        """The spans from a query upwards, as far as they are at hand."""
        chain: list[str] = []
        here: str | None = query
        while here in self.nodes and len(chain) < MAX_ANCESTORS and here not in chain:
            chain.append(here)
            here = self.nodes[here].parent_id
        return chain

    def _only_question(self) -> str | None:
        """The question of a trace with exactly one, for a query that is not below the question's span."""
        fields = [node.fields for node in self.nodes.values()]
        asked = {each.question for each in fields if each.question is not None}
        asked = asked or {each.input for each in fields if each.input is not None}
        return next(iter(asked)) if len(asked) == 1 else None


def _asking(query: Candidate, question: str) -> Candidate:
    """The query with a question, where it has none."""
    return query if query.question else replace(query, question=question)


def _asks(fields: SpanFields) -> bool:
    return fields.question is not None or fields.input is not None


def _counts(fields: SpanFields) -> bool:
    return fields.sql is not None and not is_catalogue_read(fields.sql)
