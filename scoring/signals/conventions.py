"""Signals about what an answer knows of the company: its conventions, and how its database stores things."""

from __future__ import annotations

import re

from scoring.alignment.conventions import conventions
from scoring.display import show_filter
from scoring.linking import operand_words
from scoring.signals.finding import Finding
from scoring.specification import SqlFilter
from scoring.values import Choices, Number, Text
from scoring.verdict import Case

_CODED = frozenset("status state type kind code cd category class tier level segment channel reason role stage".split())
_CODE = re.compile(r"[A-Z]{1,4}[0-9]{0,2}|[0-9]{1,3}")
_QUOTED = re.compile(r"'([A-Za-z0-9]{1,6})'")


def convention_followed(case: Case) -> Finding | None:
    """The SQL leaves out rows that companies seldom count: deleted, of tests, void, or of other tenants.

    Nobody says so in a question. An agent that does it knows the house.

    >>> convention_followed(case("How many shops are there?", "SELECT COUNT(*) FROM shops WHERE NOT is_test")).detail
    'is_test = false'
    """
    found = conventions(case.sql.filters, case.question.stems)
    if not found:
        return None
    shown = list(dict.fromkeys(show_filter(each) for each in found))
    return Finding(min(1.0, 0.5 + len(shown) / 4), "; ".join(shown[:3]))


def stored_code_used(case: Case) -> Finding | None:
    """The SQL compares a status, type or the like with a short code that the question does not hold.

    A guess would be a word of the question. A code that is in no question comes from the data dictionary.

    >>> stored_code_used(case("How many open orders?", "SELECT COUNT(*) FROM orders WHERE status_code = 'NW'")).detail
    "status_code = 'nw'"
    """
    codes = {match.casefold() for match in _QUOTED.findall(case.query.sql) if _CODE.fullmatch(match)}
    found = [each for each in case.sql.filters if _is_coded(each, codes, case.question.stems)]
    if not found:
        return None
    return Finding(1.0, "; ".join(list(dict.fromkeys(map(show_filter, found)))[:3]))


def _is_coded(each: SqlFilter, codes: set[str], spoken: frozenset[str]) -> bool:
    if each.lhs is None or len(each.lhs.columns) != 1 or _CODED.isdisjoint(operand_words(each.lhs)):
        return False
    values = each.rhs.members if isinstance(each.rhs, Choices) else (each.rhs,)
    return any(
        (isinstance(value, Text) and value.folded in codes and value.folded not in spoken)
        or (isinstance(value, Number) and value.value > 1)
        for value in values
    )
