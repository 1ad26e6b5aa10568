"""Signals about values that are tested in part, as part of others, or though all are asked for."""

from __future__ import annotations

import re

from scoring.signals.finding import Finding, differing
from scoring.signals.mistakes.wording import asked, said
from scoring.specification import Clause, Op, SqlFilter
from scoring.values import Text
from scoring.verdict import Case
from scoring.words import identifier_words

_DOTTED = re.compile(r"(?<![\w.])@?((?:[a-z0-9-]+\.)+[a-z]{2,6})(?![\w])")
_PARTLY = frozenset({Op.CONTAINS, Op.STARTS_WITH})


def value_cut_short(case: Case) -> Finding | None:
    """A domain or another dotted name is asked for, and the SQL looks for a part of it.

    `'%acme%'` also finds acme.org and acme-test.com.

    >>> value_cut_short(case("How many pilots have an acme.com address?",
    ...     "SELECT COUNT(*) FROM pilots WHERE email LIKE '%acme%'")).detail
    "expected → actual: acme.com → email contains 'acme'"
    """
    names = {match[1] for match in _DOTTED.finditer(asked(case))}
    for each in case.sql.filters if names else ():
        part = each.rhs.folded.strip("@.") if each.op in _PARTLY and isinstance(each.rhs, Text) else ""
        whole = next((name for name in sorted(names) if part and part != name and part in name.split(".")), None)
        if whole is not None:
            return differing(whole, each.text)
    return None


_LISTS = frozenset("tag label keyword list code topic skill category genre ids flag feature role permission".split())
_SINGLE = re.compile(
    r"\bcomma[- ]?separated\b|\bcommas?\b|\bsingle (?:tag|label|code|value)\b|\bexact(?:ly)? (?:the )?(?:tag"
    r"|label|code)\b"
    r"|\b(?:semicolon|pipe)[- ]separated\b|\bitself\b"
)


def member_as_substring(case: Case) -> Finding | None:
    """A member of a list that is written as one text is asked for, and any part of the text will do.

    `'%art%'` also finds `party` and `martial`. With the separators around both, only the member is found.

    >>> member_as_substring(case("Planes with the single tag 'jet' (tags are comma-separated)",
    ...     "SELECT name FROM planes WHERE tags LIKE '%jet%'")).detail
    "tags contains 'jet'"
    """
    if not _SINGLE.search(said(case)):
        return None
    for each in case.sql.filters:
        words = {word for column in (each.lhs.columns if each.lhs else ()) for word in identifier_words(column.name)}
        bare = each.op is Op.CONTAINS and isinstance(each.rhs, Text) and each.rhs.folded.isalnum()
        if bare and words & _LISTS and not re.search(r"\|\||concat|replace", each.lhs.name if each.lhs else ""):
            return Finding(1.0, each.text)
    return None


_WHATEVER = re.compile(
    r"\b(?:whatever|regardless of|irrespective of|no matter|in any|of any|with any|any|all) (?:the |their |its "
    r"|what the )?"
    r"(outcome|status|state|stage|result|decision|statuses|states|outcomes)\b"
)
_STATES = frozenset("status state stage outcome result decision".split())


def states_restricted(case: Case) -> Finding | None:
    """All states are asked for, and the SQL keeps some.

    Flights `whatever their status` include those that were cancelled.

    >>> states_restricted(case("How many flights were planned, whatever the status?",
    ...     "SELECT COUNT(*) FROM flights WHERE status IN ('flown', 'late')")).detail
    "status in ('flown', 'late')"
    """
    if not _WHATEVER.search(asked(case)):
        return None
    odd = next((each for each in case.filters.extra if _keeps_states(each)), None)
    return Finding(1.0, odd.text) if odd is not None else None


def _keeps_states(each: SqlFilter) -> bool:
    """Whether WHERE tests a state for some values."""
    words = {word for column in (each.lhs.columns if each.lhs else ()) for word in identifier_words(column.name)}
    return each.clause is Clause.WHERE and each.op in (Op.EQ, Op.IN, Op.NE, Op.NOT_IN) and bool(words & _STATES)
