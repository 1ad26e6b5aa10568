"""Signals about the state that things are asked for in, which no condition tests."""

from __future__ import annotations

import re

from scoring.alignment.same_values import TIMES
from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.unmet.both import still_untested
from scoring.signals.mistakes.unmet.excluded import left_out_untested
from scoring.signals.mistakes.wording import cue, follows
from scoring.specification import Op, SqlFilter, SubqueryRole
from scoring.values import Number, TimeRange
from scoring.verdict import Case
from scoring.words import identifier_words, in_order, stem

_FAMILIES = (
    "active inactive deactivated activated end ended valid terminated",
    "churned cancelled canceled cancellation end ended left closed terminated",
    "paid unpaid overdue outstanding payment settled due",
    "rejected approved declined denied accepted decision",
    "pending completed unfinished finished done incomplete",
    "resolved unresolved solved closed",
    "refunded returned refund",
    "delivered undelivered",
    "failed succeeded successful failure success",
    "expired lapsed expiry",
    "verified unverified confirmed unconfirmed",
    "archived deleted published unpublished draft",
    "suspended blocked banned locked",
    "open closed reopened unresolved resolved",
)
_RELATED = {word: frozenset(map(stem, family.split())) for family in _FAMILIES for word in family.split()}
_NAMES_ONLY = frozenset(
    "cancellation payment due decision done solved refund failure success expiry outstanding settled draft locked "
    "accepted finished end ended left closed valid terminated".split()
)
_STATES = "|".join(sorted(_RELATED.keys() - _NAMES_ONLY))
_STATE = lazy(
    rf"\b(?<!most )(?<!least )(?<!more )(?<!how )(?<!daily )(?<!weekly )(?<!monthly )({_STATES}) "
    r"(?!by\b|per\b|with\b|vs\b|versus\b|and\b|or\b|rate\b|than\b)"
    rf"(?:\w+ )?\w+s\b|\b(?:is|are|was|were|been|got|still|not)[- ]({_STATES})\b(?! (?:by|than|as)\b)"
)
_KINDS = frozenset(
    map(
        stem, "status state stage phase step outcome result progress flag type kind class active is has code cd".split()
    )
)


def state_untested(case: Case) -> Finding | None:
    """Things are asked for in a state, and no part of the SQL can tell it from others.

    A status, a flag, a text, a column or a table of that name, or two columns compared may tell it; numbers and
    periods cannot.

    >>> state_untested(case("How many rejected claims did we get in May?",
    ...     "SELECT COUNT(*) FROM claims WHERE made_on >= '2026-05-01' AND made_on < '2026-06-01'")).detail
    'rejected'
    """
    if follows(case):
        return None
    untold = _lacks_weekend(case) or _lacks_future(case) or _lacks_first(case) or _lacks_kind(case)
    untold = untold or still_untested(case) or left_out_untested(case)
    if untold:
        return Finding(1.0, untold)
    found = _STATE.search(case.asked)
    if found is None or case.sql.set_operations:
        return None
    return _untold(found[1] or found[2], case)


def _untold(state: str, case: Case) -> Finding | None:
    """The state, where nothing tells it."""
    if state == "active" and _tells_activity(case):
        return None
    if state in _OWED and _is_left_out_alone(case):
        return Finding(1.0, state)
    if _names_state(_RELATED[state] | {stem(state)}, case) or any(map(_may_tell, case.sql.filters)):
        return None
    inner = any(each.role is not SubqueryRole.DERIVED for each in case.sql.subqueries)
    told = any(each.conditional for each in case.sql.aggregations) or inner
    return None if told or re.search(r"\bcase\b|\bnull\b", case.written, re.IGNORECASE) else Finding(1.0, state)


_OWED = frozenset({"unpaid", "outstanding", "overdue"})


def _is_left_out_alone(case: Case) -> bool:
    """Whether nothing tells what is owed: states are only left out, none of them `paid`, and no other column tells."""
    sql = case.written.casefold()
    negative = [each for each in case.sql.filters if each.op in (Op.NE, Op.NOT_IN)]
    states = [each for each in negative if each.lhs and not _STATUS.isdisjoint(identifier_words(each.lhs.name))]
    return (
        bool(states)
        and re.search(r"paid|pay|settle|balance|due|amount|outstanding|open|sent|null|exists|join", sql) is None
    )


_STATUS = frozenset({"status", "state"})
_KIND_ONLY = lazy(
    r"(?:,|\(|\band\b|-|\bbut\b)\s?([a-z]{3,20}) only\b(?=\s*(?:$|[,.;?)]|per\b|by\b|in\b|this\b|last\b))"
)
_KIND = lazy(
    r"\b(prepaid|kids|children|express|wholesale|corporate|vip|premium|overnight|frozen|vegan|refurbished) [a-z]+s\b"
)
_SHOWN_ONLY = frozenset(
    "name names ids number numbers total totals count counts date dates one first last read figure figures day days "
    "weekdays weekends month months year years amount amounts top them those these that this percent pct "
    "email emails".split()
)


def _lacks_kind(case: Case) -> str | None:
    """The kind of rows that alone is asked for (`web only`), where nothing of the SQL is called so."""
    found = _KIND_ONLY.search(case.asked) or _KIND.search(case.asked)
    if found is None or found[1] in _SHOWN_ONLY or case.enriched.text != case.question.text:
        return None
    sql = case.written.casefold()
    coded = any(in_order(code, found[1]) and code[0] == found[1][0] for code in re.findall(r"'([a-z]{2,4})'", sql))
    return None if coded or stem(found[1])[:4] in sql else found[1]


_TO_COME = cue("come upcoming future ahead", r"\bstill to come\b|\bupcoming\b|\bin the future\b|\bfuture \w+s\b")
_NOW = lazy(
    r"\bcurrent_|\bnow\s*\(|\bgetdate|\btoday|\bcurdate|\bsysdate|upcoming|future|\d{4}-\d\d-\d\d", re.IGNORECASE
)
_NEW = cue(
    "new first",
    r"\bnew (?:customers?|clients?|buyers?|users?|members?|guests?|patients?|visitors?|donors?|subscribers?)\b"
    r"|\bfirst (?:ever )?(?:purchase|order|visit|booking|deposit|donation|payment|stay)\b",
)


def _lacks_future(case: Case) -> str:
    """What is still to come, where no condition is on a time."""
    ahead = _TO_COME.search(case.asked)
    if ahead is None or case.sql.subqueries or any(isinstance(each.rhs, TIMES) for each in case.sql.filters):
        return ""
    return ahead.group() if _NOW.search(case.written) is None else ""


def _lacks_first(case: Case) -> str:
    """Who is new, where all who came are counted."""
    fresh = _NEW.search(case.said)
    return fresh.group() if fresh is not None and _counts_all_comers(case) else ""


def _tells_activity(case: Case) -> bool:
    """Whether a table is read of what people do: they are active who are in it."""
    tables = (table for block in case.sql.blocks for table in block.tables)
    return any(not _DOINGS.isdisjoint(identifier_words(table)) for table in tables)


_DOINGS = frozenset(map(stem, "event session login visit activity usage log play action click order booking".split()))


def _counts_all_comers(case: Case) -> bool:
    """Whether people are counted by what they did in a period, and nothing looks for an earlier time."""
    sql = case.sql
    if sql.windows or sql.having or sql.joins or len(sql.blocks) > 1:
        return False
    if {(each.func, each.distinct) for each in sql.aggregations} != {("COUNT", True)}:
        return False
    words = {word for column in sql.columns for word in identifier_words(column.name)}
    return words.isdisjoint(_ENTERED) and any(isinstance(each.rhs, TIMES) for each in sql.filters)


_ENTERED = frozenset(
    map(stem, "first new created create signup sign registered registration joined join since initial number".split())
)


_WEEKEND = cue(
    "weekend weekdays",
    r"(?<!last )(?<!this )(?<!next )(?<!past )(?<!long )(?<!the )(?<!per )(?<!-)\bweekends?\b(?! of\b)"
    r"|\b(?:on|only|just) weekdays\b|\bweekdays only\b",
)
_DAYS = lazy(
    r"dow\b|'iw'|week|day_?(?:of|name)|\bday\b.{0,6}\bin\b|datename|datepart|to_char|format|strftime|%[wua]|\bsat|\bsun|fri|work_?day|work\w*_?day"
    r"|bus\w*_?day|\bwd\b|holiday",
    re.IGNORECASE,
)


def _lacks_weekend(case: Case) -> str | None:
    """The days of the week that are asked for, where the SQL cannot tell them."""
    found = _WEEKEND.search(case.asked)
    if found is None or _DAYS.search(case.written) is not None:
        return None
    return "weekdays" if "weekdays" in found.group() else "weekend"


def _names_state(words: frozenset[str], case: Case) -> bool:
    """Whether a column or a table that is read has a word of the state, or holds states."""
    read = {word for column in case.sql.columns for word in identifier_words(column.name)}
    read |= {word for block in case.sql.blocks for table in block.tables for word in identifier_words(table)}
    return any(word in words or word in _KINDS or any(word.startswith(each) for each in words) for word in read)


def _may_tell(each: SqlFilter) -> bool:
    """Whether a condition may test a state: all may but bounds of times, and of numbers other than 0."""
    if each.op is Op.WITHIN:
        return False
    bound = each.op in (Op.LT, Op.LE, Op.GT, Op.GE) and isinstance(each.rhs, Number) and each.rhs.value != 0
    return not bound


def birthday_as_date(case: Case) -> Finding | None:
    """Birthdays of a period are asked for, and the SQL compares the whole date of birth with it: only newborns match.

    >>> birthday_as_date(case("Which pilots have a birthday this month?",
    ...     "SELECT name FROM pilots WHERE birth_date >= date_trunc('month', current_date)", "postgres")).detail
    'birth_date within now[0, None) whole month'
    >>> birthday_as_date(case("Birthdays this month",
    ...     "SELECT name FROM pilots WHERE born_on BETWEEN '2020-11-01' AND '2020-11-30'", asked="2020-11-10")).detail
    'born_on within [2020-11-01, 2020-12-01)'
    """
    if "birthday" not in case.asked:
        return None
    for each in case.sql.filters:
        columns = each.lhs.columns if each.lhs is not None else ()
        born = any(not _BIRTH.isdisjoint(identifier_words(column.name)) for column in columns)
        if born and each.op is Op.WITHIN and each.lhs is not None and len(columns) == 1 and _is_recent(each, case):
            return Finding(1.0, each.text)
    return None


def _is_recent(each: SqlFilter, case: Case) -> bool:
    """Whether a whole date is to lie in the year of the question, or near its day."""
    start, asked = (each.rhs.start if isinstance(each.rhs, TimeRange) else None), case.query.occurred_at
    this_year = start is not None and asked is not None and start.year >= asked.year
    return ("now[" in each.text or this_year) and each.lhs is not None and each.lhs.name == each.lhs.columns[0].name


_BIRTH = frozenset({"birth", "dob", "birthday", "birthdate", "born"})
