"""SQL-Eval's rule to the letter of its blog: an exact match of contents, or each column of the gold among the answer's.

The order of rows never counts, and a LIMIT that cuts a tie is not looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from references.comparison.alternatives import Alternative, MalformedReferenceError, expand
from references.comparison.comparing import (
    Comparison,
    Flag,
    ResultMatch,
    Run,
    compare,
    rank,
    unfit,
    without_answer,
)
from references.comparison.diff import Difference, row_difference
from references.comparison.matching import projected
from references.comparison.results import PlainRow, QueryResult, columns_of, unified
from references.sandbox import Failure
from references.semantics import Semantics

DEFOG = "defog"
"""The name of the rule, beside those of `Semantics`."""
RULES = (*Semantics, DEFOG)
"""Every name of a rule by which two results are the same."""


def compare_by(reference: str, sql: str, run: Run, *, dialect: str, rule: str | None) -> Comparison:
    """Compares by a rule of `RULES`; without one, rows are in order where the reference has an ORDER BY."""
    if rule == DEFOG:
        return compare_as_defog(reference, sql, run)
    return compare(reference, sql, run, dialect=dialect, semantics=Semantics(rule) if rule is not None else None)


def compare_as_defog(reference: str, sql: str, run: Run) -> Comparison:
    """Compares `sql` with each query that the braces of `reference` stand for. The first exact match ends it."""
    try:
        expansion = expand(reference, written_out=True)
    except MalformedReferenceError as error:
        return unfit(str(error))
    if not expansion.alternatives:
        return unfit("it contains no query")
    answer = run(sql)
    if isinstance(answer, Failure):
        return without_answer(answer, expansion.alternatives, run)
    best: Comparison | None = None
    for alternative in expansion.alternatives:
        found = _against(alternative, run(alternative.sql), answer)
        best = found if best is None or rank(found) > rank(best) else best
        if best.match is ResultMatch.EXACT:
            break
    assert best is not None  # noqa: S101 there is an alternative
    return best


def _against(alternative: Alternative, gold: QueryResult | Failure, answer: QueryResult) -> Comparison:
    if isinstance(gold, Failure):
        return unfit(gold.detail)
    ours, theirs = unified(gold, answer)
    widths = len(gold.columns), len(answer.columns)
    match = ResultMatch.NONE
    if ours == theirs and widths[0] == widths[1]:
        match = ResultMatch.EXACT
    elif is_subset(ours, theirs, widths):
        match = ResultMatch.SUBSET
    if match is ResultMatch.NONE:
        return Comparison(match=match, difference=_difference(ours, theirs, gold, answer))
    empty = frozenset({Flag.BOTH_EMPTY}) if not ours and not theirs else frozenset[Flag]()
    return Comparison(match=match, alternative=alternative.text, flags=empty)


def is_subset(ours: Sequence[PlainRow], theirs: Sequence[PlainRow], widths: tuple[int, int]) -> bool:
    """Whether each column of `ours` is a column of `theirs` by its values, and the rows of these columns are the same.

    The first column with the same values is taken, as the blog does, also where another one would fit the rows.

    >>> is_subset([(1, True)], [("alice", 1, True)], (2, 3))
    True
    >>> is_subset([(1, 0), (0, 1)], [(0, 0), (1, 1)], (2, 2))
    False
    """
    left = list(enumerate(columns_of(theirs, widths[1])))
    places: list[int] = []
    for column in columns_of(ours, widths[0]):
        found = next((each for each in left if Counter(each[1]) == Counter(column)), None)
        if found is None:
            return False
        left.remove(found)
        places.append(found[0])
    return Counter(ours) == Counter(projected(theirs, places))


def _difference(
    ours: Sequence[PlainRow], theirs: Sequence[PlainRow], gold: QueryResult, answer: QueryResult
) -> Difference:
    return row_difference(ours, theirs, (gold.columns, answer.columns))
