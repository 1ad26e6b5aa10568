"""Signals about values and patterns of text: tested in part, at the wrong place, or though all are asked for."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.finding import Finding, differing
from scoring.signals.mistakes.wording import asked, cue, said
from scoring.specification import Clause, Op, SqlFilter
from scoring.values import Text
from scoring.verdict import Case
from scoring.words import identifier_words

_DOTTED = lazy(r"(?<![\w.])@?((?:[a-z0-9-]+\.)+[a-z]{2,6})(?![\w])")
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
_SINGLE = lazy(
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


_WHATEVER = lazy(
    r"\b(?:whatever|regardless of|irrespective of|no matter|in any|of any|with any|any|all) (?:the |their |its "
    r"|what the )?(?:current |present )?"
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
    if not _WHATEVER.search(said(case)):
        return None
    odd = next((each for each in case.filters.extra if _keeps_states(each)), None)
    return Finding(1.0, odd.text) if odd is not None else None


def _keeps_states(each: SqlFilter) -> bool:
    """Whether WHERE tests a state for some values."""
    words = {word for column in (each.lhs.columns if each.lhs else ()) for word in identifier_words(column.name)}
    return each.clause is Clause.WHERE and each.op in (Op.EQ, Op.IN, Op.NE, Op.NOT_IN) and bool(words & _STATES)


_BEGINS = cue("start begin", r"\b(?:start|begin)(?:s|ning|ting)? (?:with|in)\b|\b(?:start|begin)s? with\b")
_ENDS = cue("end", r"\bend(?:s|ing)? (?:with|in)\b")
_ANYWHERE = lazy(r"\b(?:contain\w*|anywhere|somewhere|includ\w* the|mention\w*|in the middle)\b")


def pattern_misplaced(case: Case) -> Finding | None:
    """A text is to begin or end with a part, and the SQL finds the part anywhere, or at the other end.

    >>> pattern_misplaced(case("Planes whose code starts with KX",
    ...     "SELECT code FROM planes WHERE code LIKE '%KX%'")).detail
    "code contains 'kx'"
    """
    begun = _begun_with_code(case)
    if begun is not None:
        return Finding(1.0, begun)
    begins, ends = _BEGINS.search(said(case)), _ENDS.search(said(case))
    if bool(begins) is bool(ends) or _ANYWHERE.search(said(case)):
        return None
    wanted, other = (Op.STARTS_WITH, Op.ENDS_WITH) if begins else (Op.ENDS_WITH, Op.STARTS_WITH)
    if any(each.op is wanted for each in case.sql.filters):
        return None
    odd = next((each for each in case.sql.filters if each.op in (Op.CONTAINS, other)), None)
    return Finding(1.0, odd.text) if odd is not None else None


_WHOLE_CODE = cue(
    "sku code item part article product order ticket",
    r"\b(?:sku|code|item|part|article|product|order|ticket) (?:no\.? |nr\.? |number |code |#)?([a-z]{0,4}-?\d[\w-]*)\b",
)
_SERIES = lazy(
    r"\b(?:start|begin|prefix|series|family|range|group|famil|like|any|all|variant|version|size|colou?r)\w*\b|\*|\bxx?\b"
)


def _begun_with_code(case: Case) -> str | None:
    """One code is asked for, and the SQL finds all codes that begin with it.

    >>> _begun_with_code(case("Stock of sku A10", "SELECT SUM(n) FROM stock WHERE sku LIKE 'A10%'"))
    "sku starts with 'a10': more than a10"
    """
    found = _WHOLE_CODE.search(case.asked)
    if found is None or _SERIES.search(case.asked) is not None:
        return None
    odd = next((each for each in case.sql.filters if each.op is Op.STARTS_WITH and _is_text(each, found[1])), None)
    return f"{odd.text}: more than {found[1]}" if odd is not None else None


def _is_text(each: SqlFilter, text: str) -> bool:
    return isinstance(each.rhs, Text) and each.rhs.folded == text


_ANY_CASE = cue(
    "case capital caps letters",
    r"\b(?:any|either|whatever|regardless of|ignor\w+|irrespective of)(?: the)? (?:letter |upper |lower "
    r"|upper/lower )?case\b"
    r"|\bcase[- ]?insensitiv\w*|\bupper[ /](?:or |and )?lower|\b(?:capitals?|caps|upper ?case) or (?:not|small|lower)"
    r"|\b(?:not|n't) case[- ]sensitive",
)
_FOLDS = lazy(
    r"\b(?:i?lower|upper|ilike|collate|regexp_i?like|rlike|nocase|casefold|positioncaseinsensitive)\b|~\*|\(\?i\)"
)
_LIKE = lazy(r"(?<!i)\blike\b\s*(?:n?'[^']*[a-z][^']*')", re.IGNORECASE)
_CASELESS = frozenset({"mysql", "tsql", "sqlserver", "sqlite"})


def case_of_letters_kept(case: Case) -> Finding | None:
    """A text is asked for in any case of letters, and LIKE finds one spelling.

    LIKE tells cases apart in most dialects: ILIKE, or LOWER on both sides, does not.

    >>> case_of_letters_kept(case("Planes with 'kite' in the name, in any case", "SELECT code FROM planes "
    ...     "WHERE name LIKE '%kite%' AND name ~ 'x'")).detail
    "LIKE '%kite%'"
    """
    if case.sql.dialect in _CASELESS:
        return None
    spelt = _spellings_counted(case)
    if spelt is not None or not _ANY_CASE.search(said(case)):
        return Finding(1.0, spelt) if spelt is not None else None
    sql = case.written
    found = _LIKE.search(sql) if not _FOLDS.search(sql.casefold()) else None
    return Finding(1.0, found.group()) if found is not None else None


_CAPS = cue(
    "caps capital case lowercase uppercase",
    r"\b(?:caps|capitals?|capitali[sz]\w+|upper ?case|lower ?case|case)\b[^.?]{0,50}\b(?:same|once|one|random|mixed"
    r"|doesn'?t matter|not matter)\b|\b(?:same|once|random|mixed)\b[^.?]{0,30}\b(?:caps|capitals?|case)\b",
)


def _spellings_counted(case: Case) -> str | None:
    """Different texts are counted whatever their capitals, and each spelling counts.

    >>> _spellings_counted(case("How many different mails? caps don't count, KX@a and kx@a are the same, random caps",
    ...     "SELECT COUNT(DISTINCT mail) FROM pilots"))
    'each spelling counts: no LOWER'
    """
    different = case.sql.distinct or any(each.distinct for each in (*case.sql.blocks, *case.sql.aggregations))
    if not different or _CAPS.search(case.query.question.casefold()) is None or _FOLDS.search(case.written.casefold()):
        return None
    return "each spelling counts: no LOWER"


_UNDERSCORE = cue("underscore", r"\bunderscores?\b")
_WILD = lazy(r"\bi?like\s+n?'([^'\\]*\w_[^'\\]*|_[^'\\]*)'(?!\s*escape)", re.IGNORECASE)


def underscore_as_wildcard(case: Case) -> Finding | None:
    r"""An underscore is meant, and LIKE takes it for any sign.

    `'T_%'` also finds TX1. `'T\_%' ESCAPE '\'` finds the underscore.

    >>> underscore_as_wildcard(case("Planes whose code begins with K and an underscore",
    ...     "SELECT code FROM planes WHERE code LIKE 'K_%'")).detail
    "LIKE 'K_%'"
    """
    found = _WILD.search(case.written) if _UNDERSCORE.search(said(case)) else None
    return Finding(1.0, found.group()) if found is not None else None
