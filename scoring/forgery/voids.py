"""Signals about SQL that only seems to do what is asked: conditions and outputs that rows do not change."""

from __future__ import annotations

import re
from collections.abc import Collection, Set

from scoring.forgery.widened_rows import figures, texts, widened
from scoring.patterns import lazy
from scoring.specification import VoidKind
from scoring.verdict import Case, Finding

_HOLDING = frozenset({VoidKind.CONDITION})
_FILLED = frozenset({VoidKind.FALLBACK})
_DEAD = frozenset({VoidKind.ARM, VoidKind.UNUSED})
_EMPTY = frozenset({VoidKind.EMPTY})
_CONSTANT = frozenset({VoidKind.OUTPUT})
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
    numbers = frozenset(figures(text))
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
    said = {float(each.replace(",", "")) for each in figures(texts(case))}
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


_ABSENT = lazy(
    r"\bnull|\bno\b|\bnone\b|\bnot\b|n't\b|without|missing|unknown|empty|blank|unset|default|lack|absent|undefined|"
    r"unspecified|unassigned|n/a|assum|treat|count(?:s|ed|ing)? as|\bunless\b|\bregardless\b"
)
"""Words that ask for rows without a value, or say what they count as."""
_LITERAL = lazy(r"-?[\d.]+|'.*'|null", re.DOTALL)
_ANSWERS = frozenset({"yes", "no", "true", "false", "1", "0", "y", "n"})
_PLACE = lazy(
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
