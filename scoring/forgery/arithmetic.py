"""Signals about arithmetic that nothing asks for: a figure changed by a constant, or a compared value."""

from __future__ import annotations

from scoring.forgery.computed_outputs import computed_unasked
from scoring.forgery.widened_rows import figures, texts
from scoring.patterns import lazy
from scoring.specification import Op, Void, VoidKind
from scoring.specification.shapes import ShapeKind
from scoring.values import Number, is_unit
from scoring.verdict import Case, Finding

_ARITHMETIC = frozenset({VoidKind.ARITHMETIC, VoidKind.COMPARED})
_WEEKDAY = lazy(r"\b(mon|tue|wed|thu|fri|sat|sun)(?:day|s|sday|nesday|rs|rsday|urday)?\b")
_CAPACITY = lazy(r" / \((?:\w+ \* \d+|\d+ \* \w+)\)$")
"""What there is on one day, times the days: `nights / (2 * rooms)` of a weekend."""
_AMOUNT = lazy(r"amount|amt|price|revenue|sales|total|cents?\b|minor|pence|gross|paid|charge|fee|net|value")
_PAIRS = lazy(r"\bpairs? of\b|\bpairs\b")
_MINUS = lazy(r"^(?:round\()?-(?:sum|avg)\(")
_PERCENT_CHANGE = lazy(
    r"(?:chang|grow|increas|decreas|declin|up or down|compar|\bvs\b)[\s\S]*(?:%|percent)|"
    r"(?:%|percent)[\s\S]*(?:chang|grow|increas|decreas|declin|up or down|compar|\bvs\b)"
)
"""`the change in %`: `100 * new / old - 100`."""
_PERIOD_BESIDE = lazy(r"\w*(?:year|yr|month|week|quarter|period|season)\w*\)? [+-] 1")
_EARLIER = lazy(
    r"\b(?:year|month|week|quarter|period|season)s? (?:before|earlier|prior|ago)|\b(?:previous|prior|last|preceding) "
    r"(?:year|month|week|quarter|period|season)|\b(?:yoy|mom|wow|qoq)\b|(?:year|month|week|quarter)[ -](?:over|on)[ -]"
)
_FORMULA = lazy(r"\d\s?[-+*/]|[-+*/]\s?\d")
_UNIT = lazy(
    r"hour|\bhrs?\b|minute|\bmins?\b|second|\bsecs?\b|\bday|week|month|year|decade|kilo|\b[kcm]?m\b|\bkg|gram|\bton|met(?:er|re)|mile|feet|foot|inch|"
    r"percent|%|\brate|share|ratio|proportion|fraction|thousand|[mb]illion|byte|\b[kmgt]b\b|cents?\b|lit(?:er|re)"
)
"""Words of units and shares."""
_DEDUCTION = lazy(
    r"discount|reduc|refund|rebate|credit|debit|deduct|withdraw|charge-?back|write-?off|written off|\bloss|\blost|"
    r"expens|spend|spent|outflow|paid out|pay-?out|return|adjust|negative|absolute|owe|shrink|penalt|depreciat|decreas|"
    r"markdown|waive|revers|arrear|\bdebt|deficit|overdrawn|in the red"
)
"""Words of amounts that are often stored below zero and shown above it."""
_FACTORS = {
    "even": 2.0, "odd": 2.0, "half": 2.0, "twice": 2.0, "double": 2.0,
    "pair": 2.0, "couple": 2.0, "triple": 3.0, "third": 3.0, "quarter": 4.0, "dozen": 12.0,
}  # fmt: skip
"""Words that ask for a factor."""
_MOST_PERCENT = 200


def arithmetic_unasked(case: Case) -> Finding | None:
    """The SQL changes an output or a compared value by a constant, or computes with an output, as nothing asks for.

    `COUNT(*) + 5`, `-COUNT(*)`, `COUNT(*) + COUNT(*)` and `SQRT(COUNT(*))` are not the count, and `age + 5 > 30` is not
    the condition asked for. Percentages, units, numbers that the questions mention, and arithmetic with a word that
    asks for it (`difference`, `square root`) do not count. A part of a text, a text with more letters, the value of
    another row, a count that gives way to another value, and the order by `price % 10` are computed, too.

    >>> arithmetic_unasked(case("How many hens are there?", "SELECT COUNT(*) + 5 FROM hens")).detail
    'changed by a constant: count(*) + 5'
    """
    voids = [void for void in case.sql.voids if void.kind in _ARITHMETIC]
    said = _numbers_said(case) if voids else set[float]()
    asked = texts(case) if voids else ""
    voids = [void for void in voids if not _is_plain(void, case, asked)]
    changed = next((v.text for v in voids if not _is_asked(case, v, said)), None)
    return Finding(1.0, f"changed by a constant: {changed}") if changed is not None else computed_unasked(case)


def _is_plain(void: Void, case: Case, asked: str) -> bool:
    """Whether arithmetic belongs to calendars, to a difference, or to the average of a period."""
    dated = _is_beside(void, asked) or _CALENDAR.search(void.text) is not None
    return dated or _is_taken_off(void, case) or _is_spread(void, case) or _makes_hours(void, asked)


def _is_taken_off(void: Void, case: Case) -> bool:
    """Whether an inner arm of a UNION ALL gives amounts below zero, so that a sum takes them off the other arms'."""
    united = any(each.kind == "union all" for each in case.sql.set_operations)
    return united and void.text.startswith("-") and void.block not in case.sql.outputs


_HOURS = lazy(r"\b(?:hours?|hrs?|minutes?|mins?)\b")
_UNITS_OF_TIME = lazy(r"\b\w*(?:unit|lesson|slot|period|session|shift|block)s?\w*\b")
_OF_AN_HOUR = frozenset({0.25, 0.5, 0.75, 1.5, 4.0, 15.0, 20.0, 30.0, 40.0, 45.0, 50.0, 55.0, 60.0, 90.0})


def _makes_hours(void: Void, asked: str) -> bool:
    """Whether units of so many minutes become the hours that are asked for: `units * 45 / 60`."""
    counted = _HOURS.search(asked) is not None and _UNITS_OF_TIME.search(void.text) is not None
    return counted and {abs(each) for each in void.numbers} <= _OF_AN_HOUR


_SPREAD = lazy(r"\b(?:average|avg|mean|monthly|per month)\b")
_PERIOD_OF_MONTHS = lazy(r"\b(?:months?|quarter|q[1-4]|half[- ]year|january|march|june)\b")


def _is_spread(void: Void, case: Case) -> bool:
    """Whether an inner query divides by the months of a period, of which an average is asked for."""
    inner = void.block not in case.sql.outputs and {abs(each) for each in void.numbers} <= {2.0, 3.0, 6.0}
    asked = texts(case) if inner and void.numbers else ""
    return bool(_SPREAD.search(asked) and _PERIOD_OF_MONTHS.search(asked))


_CALENDAR = lazy(
    r"\bdate_?trunc\(|\bweekday\(|\bday_?of_?week|\bdow\b|\biso_?dow|\bstart_?of_?week|\binterval\b|\bweek\("
    r"|\byear_?week\(|to_?monday\("
)
"""Arithmetic of days: weeks that begin on Sunday, weekdays counted from Monday."""


def _is_beside(void: Void, asked: str) -> bool:
    """Whether a period is moved by one, and the one before is asked for: `year + 1` joins each year with the last."""
    by_one = [abs(each) for each in void.numbers] == [1.0]
    return by_one and _PERIOD_BESIDE.search(void.text) is not None and _EARLIER.search(asked) is not None


def _is_asked(case: Case, void: Void, said: set[float]) -> bool:
    """Whether the questions mention the constants that change a value; one that it is compared with is not one."""
    numbers = {round(abs(each), 9) for each in void.numbers}
    text = texts(case)
    if void.kind is VoidKind.ARITHMETIC:
        return _is_figure_asked(void, numbers, said, text) or _is_of_amounts_below_zero(void, case)
    if numbers & {float(each) for each in void.values} and not _FORMULA.search(text):
        return False
    unsaid = numbers - said
    return bool(numbers) and (not unsaid or (all(map(is_unit, unsaid)) and _UNIT.search(text) is not None))


def _is_figure_asked(void: Void, numbers: set[float], said: set[float], text: str) -> bool:
    """Whether a figure is changed by what a text says: to percent, by its numbers, or from below zero to above."""
    if numbers == {100.0} and _PERCENT_CHANGE.search(text) is not None:
        return True
    if _is_net_of_tax(void, numbers):
        return True
    days = 2.0 if "weekend" in text else float(len(set(_WEEKDAY.findall(text))))
    if days > 1 and numbers == {days} and _CAPACITY.search(void.text) is not None:
        return True
    return (all(map(is_unit, numbers)) and _turns_sign(void, text)) or (bool(numbers) and said >= numbers)


def _is_net_of_tax(void: Void, numbers: set[float]) -> bool:
    """Whether an amount, in units or in hundredths, is divided by one and a rate of tax: `SUM(cents) / 100 / 1.1`."""
    rates = [each / 100 if each > 100 else each for each in numbers - {100.0, 1000.0}]
    by_rate = len(rates) == 1 and 1.04 < rates[0] < 1.28 and "*" not in void.text
    return by_rate and _AMOUNT.search(void.text) is not None


def _turns_sign(void: Void, text: str) -> bool:
    """Whether amounts that are stored below zero, as a text says, are shown above it."""
    signed = "sign" in void.values or (not void.numbers and _MINUS.search(void.text) is not None)
    return signed and _DEDUCTION.search(text) is not None


def _is_of_amounts_below_zero(void: Void, case: Case) -> bool:
    """Whether the sum that is turned is of a column that the SQL restricts to amounts below zero."""
    turned = _MINUS.match(void.text)
    negative = (each for each in case.sql.filters if each.op in {Op.LT, Op.LE} and each.rhs == Number(0))
    return turned is not None and any(
        void.text.startswith(f"{column.name})", turned.end())
        for each in negative
        if each.lhs is not None
        for column in each.lhs.columns
    )


def _numbers_said(case: Case) -> set[float]:
    """The numbers that the questions mention, and what they are as a share: `20 %` is 0.2, and 1.2 or 0.8 of it."""
    text = texts(case)
    halves = {2.0, 0.5, 1.0} if _halves_pairs(case) else set[float]()
    said = halves | {float(each.replace(",", "")) for each in figures(text)}
    said |= {number.value for spec in (case.question, case.enriched) for number in spec.numbers}
    said |= {each for word, factor in _FACTORS.items() if word in text for each in (factor, 1 / factor)}
    shares = {round(each / 100, 9) for each in said if each <= _MOST_PERCENT}
    return said | shares | {round(1 + each, 9) for each in shares} | {round(1 - each, 9) for each in shares}


def _halves_pairs(case: Case) -> bool:
    """Whether pairs are asked for, and the SQL finds each in both orders and halves their number."""
    return _PAIRS.search(case.asked) is not None and any(
        "halved" in each.words and ("twice" in each.words or "combinations" in each.words)
        for each in case.sql.shaped.get(ShapeKind.SELF_PAIR, ())
    )
