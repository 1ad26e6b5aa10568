"""Conditions of the question that a model proposes: which are accepted, and how they are read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from scoring.linking import content_words
from scoring.query import Query, Unscored
from scoring.specification import Column, FilterOrigin, Operand, QuestionFilter, SqlFilter
from scoring.sql import read_predicate
from scoring.verdict import Case
from scoring.words import letters

MOST_PROPOSALS = 8
"""Most proposals of one reply that are read."""
LONGEST = 400
"""Longest left side, value or span read, in characters."""
OFFERED_OPERATORS = ("=", "!=", ">", ">=", "<", "<=", "in", "not in", "contains", "is null", "is not null")
"""The operators a model may propose."""
_BARE = frozenset({"is null", "is not null"})
_UNNAMED = "value"
"""Replaces a column that the question does not name, while the predicate is read."""

Scalar = str | float | bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A condition as the model states it, not yet checked."""

    lhs: str | None
    op: str
    rhs: Scalar | tuple[Scalar, ...] | None
    span: str
    """The words that the model claims to have read it from."""


def accepted(case: Case, proposals: Iterable[Proposal]) -> tuple[QuestionFilter, ...]:
    """The proposals whose span is verbatim in Qu or Qe, as filters of the question.

    Words of Qu make a required filter, words that only Qe has a permitted one. A proposal that cannot be read as a
    condition is left out.
    """
    found: list[QuestionFilter] = []
    for proposal in list(proposals)[:MOST_PROPOSALS]:
        place = _place(case.query, proposal.span)
        if place is not None:
            found += [_filter(case, proposal, term, *place) for term in _terms(proposal)]
    return tuple(found)


def _place(query: Query, span: str) -> tuple[FilterOrigin, int] | None:
    """Which text contains the span, and where. A span without a content word is in none."""
    if len(span) > LONGEST or not content_words(span):
        return None
    for source, text in (
        (FilterOrigin.QUESTION, query.question),
        (FilterOrigin.ENRICHED, query.enriched_question or ""),
    ):
        start = text.find(span)
        if start >= 0:
            return source, start
    return None


def _terms(proposal: Proposal) -> tuple[SqlFilter, ...]:
    text = _predicate(proposal)
    terms = read_predicate(text, "postgres") if text is not None else ()
    return () if isinstance(terms, Unscored) else terms


def _predicate(proposal: Proposal) -> str | None:
    """The proposal as SQL. Every name and value is quoted, so that it is one condition and no more."""
    if proposal.op not in OFFERED_OPERATORS or len(proposal.lhs or "") > LONGEST:
        return None
    name = '"' + (proposal.lhs or _UNNAMED).replace('"', "").replace("\0", "") + '"'
    if proposal.op in _BARE:
        return f"{name} {proposal.op}"
    if proposal.op == "contains":
        return _contains(name, proposal.rhs)
    values = proposal.rhs if isinstance(proposal.rhs, tuple) else (proposal.rhs,)
    literals = [_literal(value) for value in values if value is not None]
    return _compared(name, proposal.op, literals)


def _contains(name: str, part: Scalar | tuple[Scalar, ...] | None) -> str | None:
    whole = isinstance(part, str) and not set(part) & set("%_\\")
    return f"{name} LIKE {_literal(f'%{part}%')}" if whole else None


def _compared(name: str, op: str, literals: list[str]) -> str | None:
    listed = op.endswith("in")
    most = LONGEST if listed else 1
    if not 0 < len(literals) <= most:
        return None
    return f"{name} {op} ({', '.join(literals)})" if listed else f"{name} {op} {literals[0]}"


def _literal(value: Scalar) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return repr(value)
    return "'" + value[:LONGEST].replace("'", "''") + "'"


def _filter(case: Case, proposal: Proposal, term: SqlFilter, source: FilterOrigin, start: int) -> QuestionFilter:
    return QuestionFilter(
        lhs=_operand(case, proposal.lhs, term), op=term.op, rhs=term.rhs, source=source, span=proposal.span, start=start
    )


def _operand(case: Case, lhs: str | None, term: SqlFilter) -> Operand | None:
    """A column where the SQL reads or Qe defines one of that name, else a phrase that is matched by its words."""
    if lhs is None or not lhs.strip():
        return None
    name = " ".join(lhs.lower().split())
    if letters(lhs) in case.read | case.defined:
        return Operand(name=name, columns=term.lhs.columns if term.lhs is not None else (Column(name=name),))
    return Operand(name=name)
