"""Signals about SQL that only seems to do what is asked: conditions and outputs that rows do not change."""

from __future__ import annotations

import re
from collections.abc import Collection, Set

from scoring.forgery.computed_outputs import computed_unasked
from scoring.forgery.widened_rows import texts, widened
from scoring.specification import Op, Void, VoidKind
from scoring.specification.shapes import ShapeKind
from scoring.values import Number, is_unit
from scoring.verdict import Case, Finding

_HOLDING = frozenset({VoidKind.CONDITION})
_FILLED = frozenset({VoidKind.FALLBACK})
_DEAD = frozenset({VoidKind.ARM, VoidKind.UNUSED})
_EMPTY = frozenset({VoidKind.EMPTY})
_CONSTANT = frozenset({VoidKind.OUTPUT})
_ARITHMETIC = frozenset({VoidKind.ARITHMETIC, VoidKind.COMPARED})
_SAME = frozenset({VoidKind.ORDER, VoidKind.GROUP})
_SAMPLED = frozenset({VoidKind.SAMPLE})


def condition_void(case: Case) -> Finding | None:
    """A condition of the SQL holds for every row, so it filters nothing.

    `… OR 1 = 1` keeps all rows, whatever the other conditions say, and so does `COALESCE(NULLIF(c, c), 'x') = 'x'`. A
    plain `1 = 1` between ANDs is harmless and does not count. An arm `OR id > 0` counts where nothing speaks of ids. So
    does `COALESCE(phone, 'Peru') = 'Peru'` where nothing speaks of rows without a value, and an arm `OR farms > 5`
    beside the condition asked for where nothing speaks of farms, and `TRIM('Peru') = 'Peru'`, which reads no row, where
    no other condition has the value that the question asks for, and a UNION with the rows that the condition leaves
    out. Nor does one condition do where the question asks for two: `country = 'Peru' OR legs > 2`.

    >>> condition_void(case("Hens in Peru", "SELECT name FROM hens WHERE country = 'Peru' OR 1 = 1")).detail
    "holds for every row: country = 'peru' or true"
    """
    found = _first(case, _HOLDING, "holds for every row")
    return found or widened(case) or (_filled(case) or _decoy(case) if case.sql.voids else None)


def _filled(case: Case) -> Finding | None:
    """Rows without a value are kept as if they had the value asked for, and no word asks for rows without one."""
    if all(void.kind is not VoidKind.FALLBACK for void in case.sql.voids) or _ABSENT.search(texts(case)):
        return None
    return _first(case, _FILLED, "also holds for rows without a value")


def _decoy(case: Case) -> Finding | None:
    """A condition on literals alone, with a value that is asked for and that no condition on the rows has."""
    idle = _idle(case, VoidKind.DECOY)
    return Finding(1.0, f"holds for every row: {idle}") if idle is not None else None


def _idle(case: Case, kind: VoidKind) -> str | None:
    """A part of that kind with a value that is asked for and that no condition on the rows has."""
    parts = [void for void in case.sql.voids if void.kind is kind]
    if not parts:
        return None
    text = texts(case)
    numbers = frozenset(_NUMBER.findall(text)[:_MOST])
    on_rows = [each.text.casefold() for each in case.sql.filters if each.lhs is not None and each.lhs.columns]
    applied = "\n".join(on_rows)
    for void in parts:
        said = [each for each in void.values if _is_said(each, text, numbers)]
        if said and not any(each in applied for each in said):
            return void.text
    return None


def _is_said(value: str, text: str, numbers: Set[str]) -> bool:
    return value in numbers or (len(value) > 2 and value in text)


def condition_dead(case: Case) -> Finding | None:
    """A condition of the SQL restricts no row of the answer, because the part that holds it never takes part.

    It stands in a CTE that nothing reads, in an arm of an OR that never holds, in an outer join that keeps all rows, or
    in a column of an inner query that nothing reads.

    >>> condition_dead(case("Hens in Peru",
    ...     "WITH found AS (SELECT * FROM hens WHERE country = 'Peru') SELECT name FROM hens")).detail
    'takes no part: with found'
    """
    found = _first(case, _DEAD, "takes no part")
    idle = _idle(case, VoidKind.COLUMN) if found is None else None
    return Finding(1.0, f"takes no part: {idle}") if idle is not None else found


def result_empty(case: Case) -> Finding | None:
    """The SQL can return no row that is asked for: a condition never holds, the limit is 0, or OFFSET skips the rows.

    An aggregate over no rows is 0 or NULL, whatever the tables hold. Two values of one column that the questions
    mention both are `CONDITIONS_EXCLUDE`.

    >>> result_empty(case("How many hens are there?", "SELECT COUNT(*) FROM hens WHERE 1 = 0")).detail
    'keeps no row: false'
    """
    empty = _first(case, _EMPTY, "keeps no row")
    skipped = case.sql.limit.offset if empty is None and case.sql.limit is not None else 0
    if skipped and not _is_place_said(case, skipped):
        return Finding(1.0, f"skips the rows asked for: offset {skipped}")
    return empty if empty is not None or not case.sql.voids else _excluded(case)


def _excluded(case: Case) -> Finding | None:
    """Two values of one column that are asked for at once, of which the questions do not mention both."""
    conflicts = [void for void in case.sql.voids if void.kind is VoidKind.CONFLICT]
    if not conflicts:
        return None
    said = texts(case)
    unsaid = next((void.text for void in conflicts if any(value not in said for value in void.values)), None)
    return Finding(1.0, f"keeps no row: {unsaid}") if unsaid is not None else None


def _is_place_said(case: Case, skipped: int) -> bool:
    """Whether the questions ask for rows after the first ones."""
    said = {float(each.replace(",", "")) for each in _NUMBER.findall(texts(case))[:_MOST]}
    said -= {float(each.k) for each in case.question.superlatives if each.k is not None}
    return bool({float(skipped), skipped + 1.0} & said) or _PLACE.search(texts(case)) is not None


def output_constant(case: Case) -> Finding | None:
    """An output of the answer is the same whatever the tables hold.

    `COUNT(*) * 0` and `MAX(1)` are constants that look like an aggregate, and so is `5 AS total` alone. A label beside
    other outputs, a value that is said, and yes or no do not count.

    >>> output_constant(case("How many hens are there?", "SELECT COUNT(*) * 0 FROM hens")).detail
    'constant: count(*) * 0'
    """
    found = _first(case, _CONSTANT, "constant")
    return found if found is not None else _only_literals(case)


def _only_literals(case: Case) -> Finding | None:
    """A row of the answer has nothing but constants that nobody says, such as `SELECT 5 AS total`."""
    literals = [each for each in case.sql.projections if each.literal]
    if not literals:
        return None
    real = {each.block for each in case.sql.projections if not each.literal}
    for each in literals:
        if each.block in case.sql.outputs - real and _LITERAL.fullmatch(each.operand.name):
            value = each.operand.name.strip("'").casefold()
            if value not in _ANSWERS and value not in texts(case):
                return Finding(1.0, f"constant: {each.operand.name}")
    return None


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
    return dated or _is_taken_off(void, case) or _is_spread(void, case)


def _is_taken_off(void: Void, case: Case) -> bool:
    """Whether an inner arm of a UNION ALL gives amounts below zero, so that a sum takes them off the other arms'."""
    united = any(each.kind == "union all" for each in case.sql.set_operations)
    return united and void.text.startswith("-") and void.block not in case.sql.outputs


_SPREAD = re.compile(r"\b(?:average|avg|mean|monthly|per month)\b")
_PERIOD_OF_MONTHS = re.compile(r"\b(?:months?|quarter|q[1-4]|half[- ]year|january|march|june)\b")


def _is_spread(void: Void, case: Case) -> bool:
    """Whether an inner query divides by the months of a period, of which an average is asked for."""
    inner = void.block not in case.sql.outputs and {abs(each) for each in void.numbers} <= {2.0, 3.0, 6.0}
    asked = texts(case) if inner and void.numbers else ""
    return bool(_SPREAD.search(asked) and _PERIOD_OF_MONTHS.search(asked))


_CALENDAR = re.compile(
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
    said = halves | {float(each.replace(",", "")) for each in _NUMBER.findall(text)[:_MOST]}
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


_WEEKDAY = re.compile(r"\b(mon|tue|wed|thu|fri|sat|sun)(?:day|s|sday|nesday|rs|rsday|urday)?\b")
_CAPACITY = re.compile(r" / \((?:\w+ \* \d+|\d+ \* \w+)\)$")
"""What there is on one day, times the days: `nights / (2 * rooms)` of a weekend."""
_AMOUNT = re.compile(r"amount|amt|price|revenue|sales|total|cents?\b|minor|pence|gross|paid|charge|fee|net|value")
_PAIRS = re.compile(r"\bpairs? of\b|\bpairs\b")
_MINUS = re.compile(r"^(?:round\()?-(?:sum|avg)\(")
_PERCENT_CHANGE = re.compile(
    r"(?:chang|grow|increas|decreas|declin|up or down|compar|\bvs\b)[\s\S]*(?:%|percent)|"
    r"(?:%|percent)[\s\S]*(?:chang|grow|increas|decreas|declin|up or down|compar|\bvs\b)"
)
"""`the change in %`: `100 * new / old - 100`."""
_NUMBER = re.compile(r"\d{1,9}(?:,\d{3})*(?:\.\d{1,9})?", re.ASCII)
_PERIOD_BESIDE = re.compile(r"\w*(?:year|yr|month|week|quarter|period|season)\w*\)? [+-] 1")
_EARLIER = re.compile(
    r"\b(?:year|month|week|quarter|period|season)s? (?:before|earlier|prior|ago)|\b(?:previous|prior|last|preceding) "
    r"(?:year|month|week|quarter|period|season)|\b(?:yoy|mom|wow|qoq)\b|(?:year|month|week|quarter)[ -](?:over|on)[ -]"
)
_FORMULA = re.compile(r"\d\s?[-+*/]|[-+*/]\s?\d")
_UNIT = re.compile(
    r"hour|\bhrs?\b|minute|\bmins?\b|second|\bsecs?\b|\bday|week|month|year|decade|kilo|\b[kcm]?m\b|\bkg|gram|\bton|met(?:er|re)|mile|feet|foot|inch|"
    r"percent|%|\brate|share|ratio|proportion|fraction|thousand|[mb]illion|byte|\b[kmgt]b\b|cents?\b|lit(?:er|re)"
)
"""Words of units and shares."""
_DEDUCTION = re.compile(
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
_MOST = 100
_MOST_PERCENT = 200
_ABSENT = re.compile(
    r"\bnull|\bno\b|\bnone\b|\bnot\b|n't\b|without|missing|unknown|empty|blank|unset|default|lack|absent|undefined|"
    r"unspecified|unassigned|n/a|assum|treat|count(?:s|ed|ing)? as|\bunless\b|\bregardless\b"
)
"""Words that ask for rows without a value, or say what they count as."""
_LITERAL = re.compile(r"-?[\d.]+|'.*'|null", re.DOTALL)
_ANSWERS = frozenset({"yes", "no", "true", "false", "1", "0", "y", "n"})
_PLACE = re.compile(
    r"second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d(?:st|nd|rd|th)\b|next|skip|after|except|exclud|"
    r"offset|runner|other than|remaining|\brest\b|\bpage|median|middle|last|nth\b|follow"
)
"""Words that ask for rows after the first ones."""


def order_constant(case: Case) -> Finding | None:
    """The SQL sorts or groups by something that is the same for every row.

    The order of the rows means nothing then, and a LIMIT takes any of them; a group by it is one group.

    >>> order_constant(case("Name the heaviest hen", "SELECT name FROM hens ORDER BY grams * 0 DESC LIMIT 1")).detail
    'same for every row: grams * 0'
    """
    return _first(case, _SAME, "same for every row")


def rows_sampled(case: Case) -> Finding | None:
    """The SQL reads a random part of a table.

    Each run gives another answer.

    >>> rows_sampled(case("How many hens are there?", "SELECT COUNT(*) FROM hens TABLESAMPLE SYSTEM (10)")).detail
    'sampled: hens'
    """
    return _first(case, _SAMPLED, "sampled")


def _first(case: Case, kinds: Collection[VoidKind], of: str) -> Finding | None:
    if not case.sql.voids:
        return None
    found = [void.text for void in case.sql.voids if void.kind in kinds]
    return Finding(1.0, f"{of}: {'; '.join(dict.fromkeys(found[:3]))}") if found else None
