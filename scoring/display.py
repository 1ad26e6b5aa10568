"""Filters and columns as one short line, for reasons and reports."""

from __future__ import annotations

from scoring.specification import Filter, QuestionFilter, SqlFilter
from scoring.verdict import FilterMatch

SHOWN = 80
"""Longest text shown of any construct, in characters."""


def short(text: str) -> str:
    """The text on one line, cut to `SHOWN` characters.

    >>> short("a" * 90)[-3:]
    'aa…'
    """
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"


def show_filter(each: Filter) -> str:
    """`country = 'china'`, or the words alone where no column is named."""
    subject = each.lhs.name if each.lhs is not None else "…"
    value = "" if each.rhs is None else f" {each.rhs}"
    return short(f"{subject} {each.op}{value}")


def show_match(match: FilterMatch) -> str:
    """The condition the question asks for → the conditions the SQL applies."""
    there = " and ".join(show_filter(each) for each in match.present)
    return f"{show_filter(match.required)} → {there}" if there else show_filter(match.required)


def span_of(each: Filter) -> str:
    """The question's words for a filter, or the SQL's predicate."""
    if isinstance(each, QuestionFilter):
        return short(each.span)
    return short(each.text) if isinstance(each, SqlFilter) and each.text else show_filter(each)
