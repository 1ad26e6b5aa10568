"""Signals about sums that run on though each period is asked for, and about what is to be taken off and is added."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.unmet.roles import MOVED, side_of
from scoring.signals.mistakes.unmet.times.comparisons import IN, OUT, more_said
from scoring.signals.mistakes.wording import cue, shapes, spoken_in_full
from scoring.specification import Aggregation, Clause, Op, SqlFilter
from scoring.specification.shapes import ShapeKind
from scoring.sql.shapes.naming import table_words
from scoring.values import Choices, Text
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_EACH_PERIOD = lazy(r"\b(?:each|every|per|by) (?:day|week|month|quarter|year)\b|\b(?:dai|week|month|quarter|year)ly\b")
_RUNS_ON = lazy(
    r"\b(?:running|cumul\w*|accumulat\w*|rolling|moving|to date|ytd|mtd|qtd|so far|growth|grow\w*|grew|balance"
    r"|stock|over time|up to|until|till|as of|at the end|by the end|adds? up|adding up|builds? up|overall|active|open"
    r"|base|headcount"
    r"|progress|burn\w*|remaining|left)\b"
)


_BALANCE = cue("balance", r"\bbalances?\b(?! sheet)")
_ONE_SIDE = frozenset({"debit", "credit", "in", "out", "deposit", "withdrawal", "dr", "cr", "inflow", "outflow"})


def one_side_added(case: Case) -> str | None:
    """A balance is asked for, and the amounts of one side alone are added.

    >>> one_side_added(case("Balance per base",
    ...     "SELECT base, SUM(amount) FROM moves WHERE kind = 'debit' GROUP BY base"))
    "kind = 'debit' is one side"
    """
    if _BALANCE.search(case.asked) is None or len(case.sql.blocks) > 1 or case.sql.set_operations:
        return None
    added = any(each.func == "SUM" and not each.conditional for each in case.sql.aggregations)
    odd = next((each for each in case.sql.filters if added and _keeps_side(each, case.asked)), None)
    return f"{odd.text} is one side" if odd is not None else None


def _keeps_side(each: SqlFilter, text: str) -> bool:
    """Whether WHERE keeps the amounts of a side that a text does not name."""
    if each.op is not Op.EQ or each.clause is not Clause.WHERE or not isinstance(each.rhs, Text):
        return False
    return each.rhs.folded in _ONE_SIDE and re.search(rf"\b{each.rhs.folded}s?\b", text) is None


def sum_runs_on(case: Case) -> Finding | None:
    """The number of each period is asked for, and the only number shown is a sum from the first period on.

    >>> sum_runs_on(case("New pilots per month", "SELECT month, SUM(n) OVER (ORDER BY month) FROM joined")).detail
    'SUM(n) OVER (ORDER BY month) runs on from period to period'
    """
    running = [each for each in shapes(case, ShapeKind.RUNNING) if not each.words]
    if len(running) != 1 or _EACH_PERIOD.search(case.said) is None or _RUNS_ON.search(case.said) is not None:
        return None
    measured = [each for each in case.answer if each.operand.func is not None]
    alone = len(measured) == 1 and " over (" in measured[0].operand.name and "/" not in measured[0].operand.name
    odd = alone and len(case.answer) > 1
    return Finding(1.0, f"{running[0].text} runs on from period to period") if odd else None


_TAKEN_OFF = cue(
    "minus less net off deduct subtract",
    r"\b([a-z]+) (?:are |is |to be |should be )?(?:taken|take) off\b"
    r"|\b(?:minus|less|net of|after deducting|subtract(?:ing)?|deduct(?:ing)?)(?: the| all| any| our)? ([a-z]+)\b",
)
_SUBTRACTS = lazy(r"(?<!-)-(?!-)(?![^']*'(?:[^']*'[^']*')*[^']*$)|\bminus\b|\bsubtract|\bexcept\b", re.IGNORECASE)


def taken_off_is_added(case: Case) -> str | None:
    """Amounts are to be taken off, and a UNION ALL puts their rows beside the others without a sign.

    >>> taken_off_is_added(case("Fares per route, refunds taken off", "SELECT route, SUM(fare) FROM (SELECT route, "
    ...     "fare FROM trips UNION ALL SELECT route, fare FROM refunds) t GROUP BY route"))
    'refunds are added, not taken off'
    """
    found = _TAKEN_OFF.search(case.asked)
    if found is None or not any(each.kind == "union all" for each in case.sql.set_operations):
        return None
    thing = stem(found[1] or found[2])
    arms = {each.right for each in case.sql.set_operations}
    tables = [table for block in case.sql.blocks if block.path in arms for table in block.tables]
    added = any(thing in table_words(table) for table in tables) and not _subtracts(case)
    return f"{found[1] or found[2]} are added, not taken off" if added else None


def _subtracts(case: Case) -> bool:
    """Whether amounts below zero are stored, or the SQL subtracts."""
    return _SUBTRACTS.search(case.written) is not None or _NEGATIVE.search(spoken_in_full(case)) is not None


_NET = cue(
    "net refund return credit minus less off deduct reversal chargeback withdraw",
    r"\bnet (?:sales|revenue|takings|amount|turnover|income|of)\b"
    r"|\b(?:refunds?|returns?|credits?|reversals?|chargebacks?|withdrawals?) (?:taken )?(?:off|deducted|subtracted"
    r"|out)\b"
    r"|\b(?:minus|less|after|without|excluding|deduct\w*|subtract\w*)(?: deducting| the| all| any| our)? (?:\w+ )?"
    r"(?:refunds?|returns?|credits?|reversals?|chargebacks?|withdrawals?)\b",
)
_BACK = lazy(r"refund|return|credit|revers|chargeback|withdraw|debit")
_SIGNED = lazy(
    r"(?<!-)-(?!-)(?![^']*'(?:[^']*'[^']*')*[^']*$)|\bminus\b|\bsubtract|\bexcept\b|\bcase\b|\biff?\(|\bdecode\b"
    r"|\bsign",
    re.IGNORECASE,
)
_POSITIVE = cue(
    "positive plus",
    r"\b(?:positive|plus) (?:amount|value|number|for both|sign)s?\b|\b(?:is|are|always) positive\b",
)
_NEGATIVE = cue(
    "negative minus", r"\bnegative\b|\b(?:with|as|in|have) (?:a )?minus\b|\bminus (?:sign|amount|value)s?\b"
)


def kinds_added(case: Case) -> Finding | None:
    """Refunds are to be taken off, and a plain sum is of the rows of both kinds.

    A quarter of it where no text says that the amounts of both kinds are positive: those of refunds may be negative.

    >>> kinds_added(case("Revenue net of refunds", "SELECT SUM(paid) FROM bills WHERE kind IN ('sale', 'refund')"))
    Finding(strength=0.25, detail="kind in ('refund', 'sale') adds what is to be taken off")
    """
    if _NET.search(case.asked) is None or _SIGNED.search(case.written) is not None:
        return None
    if _NEGATIVE.search(spoken_in_full(case)) is not None:
        return None
    kinds = next((each for each in case.sql.filters if _keeps_both(each)), None)
    if kinds is None or not any(map(_adds_plainly, case.sql.aggregations)):
        return None
    of_state = kinds.lhs is not None and not _STATES.isdisjoint(identifier_words(kinds.lhs.name))
    strength = 1.0 if of_state or _is_positive(case) else 0.25
    return Finding(strength, f"{kinds.text} adds what is to be taken off")


_STATES = frozenset({"status", "state", "stat"})
"""Of what a row has become: it is one row before and after, with one amount."""


def _is_positive(case: Case) -> bool:
    return _POSITIVE.search(spoken_in_full(case)) is not None


def _adds_plainly(each: Aggregation) -> bool:
    """Whether amounts are added that are not called net."""
    return each.func == "SUM" and all("net" not in identifier_words(column.name) for column in each.columns)


def _keeps_both(each: SqlFilter) -> bool:
    """Whether rows of what came in and of what went back are kept."""
    members = each.rhs.members if isinstance(each.rhs, Choices) else ()
    back = [_BACK.search(value.folded) is not None for value in members if isinstance(value, Text)]
    return each.op is Op.IN and any(back) and not all(back)


_PLUS = lazy(
    r"\+\s*(?:sum\s*\(\s*)?(?:(?:coalesce|ifnull|isnull|nvl)\s*\(\s*)?(?:\w+\.)?"
    r"(\w*(?:refund|return|credit|discount|withdraw)\w*)",
    re.IGNORECASE,
)


def plus_for_minus(case: Case) -> Finding | None:
    """What is to be taken off stands behind a plus; a quarter of the strength where it may be negative.

    >>> plus_for_minus(case("Fares minus refunds, all are positive amounts", "SELECT SUM(fare) + SUM(refund_paid) FROM "
    ...     "trips"))
    Finding(strength=1.0, detail='refund_paid is added, not taken off')
    """
    asks = _NET.search(case.asked) is not None or _TAKEN_OFF.search(case.asked) is not None
    found = _PLUS.search(case.written) if asks and _NEGATIVE.search(spoken_in_full(case)) is None else None
    named = found is not None and not case.question.stems.isdisjoint(identifier_words(found[1]))
    if found is None or not named:
        return None
    return Finding(1.0 if _is_positive(case) else 0.25, f"{found[1]} is added, not taken off")


_TOGETHER = cue(
    "together combined",
    r"\b([a-z]+) ?(?:\+|&|and|plus|incl(?:uding|\.)?) (?:the |their |any |all )?([a-z]+) (?:together|combined|added"
    r" up)\b",
)


def summand_missing(case: Case) -> str | None:
    """Two amounts are asked for together, and one of them alone is added.

    >>> summand_missing(case("Fares and tips together per pilot", "SELECT pilot, SUM(fare) FROM trips GROUP BY pilot"))
    'tips is missing from SUM(fare)'
    """
    found = _TOGETHER.search(case.asked)
    sums = [each for each in case.sql.aggregations if each.func == "SUM"]
    if found is None or len(sums) != 1 or len(sums[0].columns) != 1:
        return None
    (one, other), words = map(stem, found.groups()), set(identifier_words(sums[0].columns[0].name))
    if (one in words) == (other in words) or "total" in words:
        return None
    missing = found[2] if one in words else found[1]
    read = stem(missing) in case.written.casefold()
    return None if read else f"{missing} is missing from SUM({sums[0].column})"


def added_otherwise(case: Case) -> Finding | None:
    """The first of these that is wrong with a sum."""
    found = taken_off_is_added(case) or refunds_added(case) or net_turned(case) or summand_missing(case)
    found = found or one_side_added(case)
    return Finding(1.0, found) if found is not None else plus_for_minus(case) or kinds_added(case)


_SIDES = {**dict.fromkeys([*OUT, "picked up", "shipped"], "doer"), **dict.fromkeys([*IN, "took"], "other")}
_LESS = cue(
    "minus", rf"\b({'|'.join(sorted(_SIDES))})\b[^.?!]{{0,40}}\bminus\b[^.?!]{{0,40}}?\b({'|'.join(sorted(_SIDES))})\b"
)


def net_turned(case: Case) -> str | None:
    """What went out less what came in is asked for, and what came in counts as more, or the other way round.

    Where more went out than came in, the sum that counts what came in as more is least: it may be sorted upwards.

    >>> net_turned(case("Per depot, vans sent minus vans received", "SELECT id, SUM(n) FROM (SELECT to_depot_id AS id, "
    ...     "vans AS n FROM moves UNION ALL SELECT from_depot_id, -vans FROM moves) t GROUP BY id"))
    'less by from_depot_id'
    """
    more = _side_of_more(case)
    less = {each.block for each in case.sql.projections if re.match(r"-\w|-sum\(|-1 \*", each.operand.name)}
    shown = {
        each.block: each.operand.columns[0].name for each in case.sql.projections if _side_shown(each.operand.columns)
    }
    odd = [name for block, name in shown.items() if block in less and side_of(name, MOVED) == more]
    return f"less by {odd[0]}" if odd and less < set(shown) else None


def _side_of_more(case: Case) -> str | None:
    """`doer` where what went out counts as more, `other` for what came in."""
    difference = _LESS.search(case.asked)
    if difference is not None and _SIDES[difference[1]] != _SIDES[difference[2]]:
        return _SIDES[difference[1]]
    said, order = more_said(case.asked), case.sql.order_by
    first = order[0].descending and case.sql.limit is not None if order else False
    return _SIDES[said[0]] if said is not None and first else None


def _side_shown(columns: tuple[tuple[str, str | None], ...]) -> bool:
    return len(columns) == 1 and side_of(columns[0][0], MOVED) != ""


_NET_OF = cue(
    "net minus less",
    r"\b(?:minus|less)\b[^.;?]{0,20}\b(?:refunded|returned|credited|withdrawn|reversed|paid back)\b|\bnet\b",
)
_STATED = cue("minus less subtract deduct positive", r"\b(?:minus|less|subtract\w*|deduct\w*|positive)\b")
_GIVEN_BACK = lazy(r"refund|rfnd|rfd|return|revers|chargeback|withdraw|storno|credit_?note")


def refunds_added(case: Case) -> str | None:
    """Sales minus refunds are asked for, and both are added: nothing in the SQL is subtracted or negative.

    >>> refunds_added(case("Net fares, paid minus refunded", "SELECT SUM(amount) FROM (SELECT amount FROM fares UNION "
    ...     "ALL SELECT amount FROM refunds) t"))
    'fares and refunds are added'
    """
    if _NET_OF.search(case.said) is None or _STATED.search(case.said) is None or _has_sign(case):
        return None
    if all(each.func != "SUM" for each in case.sql.aggregations):
        return None
    tables = {each.path: " ".join(each.tables) for each in case.sql.blocks}
    for each in case.sql.set_operations:
        kept, taken = tables.get(each.left, ""), tables.get(each.right, "")
        odd = bool(kept) and _GIVEN_BACK.search(taken) is not None and _GIVEN_BACK.search(kept) is None
        if each.kind == "union all" and odd:
            return f"{kept} and {taken} are added"
    return None


def _has_sign(case: Case) -> bool:
    """Whether refunds are stored as negative amounts, or the SQL subtracts something."""
    return _NEGATIVE.search(spoken_in_full(case)) is not None or _SIGNED.search(case.written) is not None
