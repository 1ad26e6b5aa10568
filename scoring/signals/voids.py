"""Signals about SQL that only seems to do what is asked: conditions and outputs that rows do not change."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scoring.signals.finding import Finding
from scoring.specification import Void, VoidKind
from scoring.values import UNITS
from scoring.verdict import Case


def condition_void(case: Case) -> Finding | None:
    """A condition of the SQL holds for every row, so it filters nothing.

    `… OR 1 = 1` keeps all rows, whatever the other conditions say, and so does `COALESCE(NULLIF(c, c), 'x') = 'x'`. A
    plain `1 = 1` between ANDs is harmless and does not count.

    >>> condition_void(case("Hens in Peru", "SELECT name FROM hens WHERE country = 'Peru' OR 1 = 1")).detail
    "holds for every row: country = 'peru' or true"
    """
    return _first(case, (VoidKind.CONDITION,), "holds for every row")


def condition_dead(case: Case) -> Finding | None:
    """A condition of the SQL restricts no row of the answer, because the part that holds it never takes part.

    It stands in a CTE that nothing reads, in an arm of an OR that never holds, or in an outer join that keeps all rows.

    >>> condition_dead(case("Hens in Peru",
    ...     "WITH found AS (SELECT * FROM hens WHERE country = 'Peru') SELECT name FROM hens")).detail
    'takes no part: with found'
    """
    return _first(case, (VoidKind.ARM, VoidKind.UNUSED), "takes no part")


def result_empty(case: Case) -> Finding | None:
    """The SQL can return no row of the tables: a condition never holds, or the limit is 0.

    An aggregate over no rows is 0 or NULL, whatever the tables hold. Two values of one column that the questions
    mention both are `CONDITIONS_EXCLUDE`.

    >>> result_empty(case("How many hens are there?", "SELECT COUNT(*) FROM hens WHERE 1 = 0")).detail
    'keeps no row: false'
    """
    empty = _first(case, (VoidKind.EMPTY,), "keeps no row")
    if empty is not None:
        return empty
    conflicts = [void for void in case.sql.voids if void.kind is VoidKind.CONFLICT]
    if not conflicts:
        return None
    said = f"{case.question.text} {case.enriched.text}".casefold()
    unsaid = next((void.text for void in conflicts if any(value not in said for value in void.values)), None)
    return Finding(1.0, f"keeps no row: {unsaid}") if unsaid is not None else None


def output_constant(case: Case) -> Finding | None:
    """An output of the answer is the same whatever the tables hold.

    `COUNT(*) * 0` and `MAX(1)` are constants that look like an aggregate.

    >>> output_constant(case("How many hens are there?", "SELECT COUNT(*) * 0 FROM hens")).detail
    'constant: count(*) * 0'
    """
    return _first(case, (VoidKind.OUTPUT,), "constant")


def arithmetic_unasked(case: Case) -> Finding | None:
    """The SQL changes an output or a compared value by a constant that nothing asks for.

    `COUNT(*) + 5` and `-COUNT(*)` are not the count, and `age + 5 > 30` is not the condition asked for. Percentages,
    units, and numbers that the questions mention do not count.

    >>> arithmetic_unasked(case("How many hens are there?", "SELECT COUNT(*) + 5 FROM hens")).detail
    'changed by a constant: count(*) + 5'
    """
    voids = [void for void in case.sql.voids if void.kind in (VoidKind.ARITHMETIC, VoidKind.COMPARED)]
    if not voids:
        return None
    said = _numbers_said(case)
    changed = next((void.text for void in voids if not _is_asked(case, void, said)), None)
    return Finding(1.0, f"changed by a constant: {changed}") if changed is not None else None


def _is_asked(case: Case, void: Void, said: set[float]) -> bool:
    """Whether the questions mention the constants that change a value; one that it is compared with is not one."""
    numbers = {round(abs(each), 9) for each in void.numbers}
    if void.kind is VoidKind.ARITHMETIC:
        return bool(numbers) and said >= numbers
    text = f"{case.question.text} {case.enriched.text}".casefold()
    if numbers & {float(each) for each in void.values} and not _FORMULA.search(text):
        return False
    unsaid = numbers - said
    return bool(numbers) and (not unsaid or (unsaid <= UNITS and _UNIT.search(text) is not None))


def _numbers_said(case: Case) -> set[float]:
    """The numbers that the questions mention, and what they are as a share: `20 %` is 0.2, and 1.2 or 0.8 of it."""
    text = f"{case.question.text} {case.enriched.text}".casefold()
    said = {float(each.replace(",", "")) for each in _NUMBER.findall(text)[:_MOST]}
    said |= {number.value for spec in (case.question, case.enriched) for number in spec.numbers}
    said |= {factor for word, factor in _FACTORS.items() if word in text}
    shares = {round(each / 100, 9) for each in said if each <= _MOST_PERCENT}
    return said | shares | {round(1 + each, 9) for each in shares} | {round(1 - each, 9) for each in shares}


_NUMBER = re.compile(r"\d{1,9}(?:,\d{3})*(?:\.\d{1,9})?", re.ASCII)
_FORMULA = re.compile(r"\d\s?[-+*/]|[-+*/]\s?\d")
_UNIT = re.compile(
    r"hour|minute|second|\bday|week|month|year|decade|kilo|\b[kcm]?m\b|\bkg|gram|\bton|met(?:er|re)|mile|feet|foot|inch|"
    r"percent|%|\brate|share|ratio|proportion|fraction|thousand|[mb]illion|byte|\b[kmgt]b\b|cents?\b|lit(?:er|re)"
)
"""Words of units and shares."""
_FACTORS = {
    "even": 2.0, "odd": 2.0, "half": 2.0, "twice": 2.0, "double": 2.0,
    "triple": 3.0, "third": 3.0, "quarter": 4.0, "dozen": 12.0,
}  # fmt: skip
"""Words that ask for a factor."""
_MOST = 100
_MOST_PERCENT = 200


def order_constant(case: Case) -> Finding | None:
    """The SQL sorts or groups by something that is the same for every row.

    The order of the rows means nothing then, and a LIMIT takes any of them; a group by it is one group.

    >>> order_constant(case("Name the heaviest hen", "SELECT name FROM hens ORDER BY grams * 0 DESC LIMIT 1")).detail
    'same for every row: grams * 0'
    """
    return _first(case, (VoidKind.ORDER, VoidKind.GROUP), "same for every row")


def rows_sampled(case: Case) -> Finding | None:
    """The SQL reads a random part of a table.

    Each run gives another answer.

    >>> rows_sampled(case("How many hens are there?", "SELECT COUNT(*) FROM hens TABLESAMPLE SYSTEM (10)")).detail
    'sampled: hens'
    """
    return _first(case, (VoidKind.SAMPLE,), "sampled")


def _first(case: Case, kinds: Iterable[VoidKind], of: str) -> Finding | None:
    if not case.sql.voids:
        return None
    found = [void.text for void in case.sql.voids if void.kind in kinds]
    return Finding(1.0, f"{of}: {'; '.join(dict.fromkeys(found[:3]))}") if found else None
