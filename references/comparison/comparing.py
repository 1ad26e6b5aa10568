"""Compares the results of an answer and a reference: exact, subset or none, with the difference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import TypeAlias

from references.comparison.alternatives import Alternative, MalformedReferenceError, expand
from references.comparison.diff import Difference, row_difference
from references.comparison.matching import Fits, as_bag, as_part, as_set, column_maps, projected
from references.comparison.plan import Plan, plan
from references.comparison.results import PlainRow, QueryResult, unified
from references.sandbox import Failure
from references.semantics import Semantics


class ResultMatch(StrEnum):
    """How an answer's result relates to the reference's."""

    EXACT = "exact"
    """The same columns, by their values, and the same rows."""
    SUBSET = "subset"
    """The reference's columns are among the answer's; the rows are the same."""
    NONE = "none"
    """Anything else."""
    NOT_COMPARED = "not_compared"
    """The reference gives no result: nothing is known of the answer."""


class Flag(StrEnum):
    """What a reader of a match should know."""

    BOTH_EMPTY = "both_empty"
    """Both results are empty: the match says little."""
    TIES = "ties"
    """Ties let the reference keep other rows; the answer's are among those allowed."""
    ORDER_UNCHECKED = "order_unchecked"
    """The sort keys of the reference cannot be seen: the order was not compared."""
    ALTERNATIVES_LEFT_OUT = "alternatives_left_out"
    """The reference stands for more queries than were run."""
    OTHER_ORDER = "other_order"
    """The rows are the same, in another order than the reference requires."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The outcome of one comparison."""

    match: ResultMatch
    error: str | None = None
    """The side that gave no result, and why."""
    alternative: str | None = None
    """The alternative that matched best."""
    flags: frozenset[Flag] = frozenset()
    further: tuple[str, ...] = ()
    """The answer's columns beyond the reference's, when its rows are a subset match."""
    difference: Difference | None = None
    """The difference from the first alternative that ran, when nothing matched."""


Run: TypeAlias = Callable[[str], QueryResult | Failure]
"""Runs one query on the database."""


def compare(reference: str, sql: str, run: Run, *, dialect: str, semantics: Semantics | None = None) -> Comparison:
    """Compares `sql` with every query that `reference` stands for, and returns the best match.

    Without `semantics`, rows are compared as a bag, or as a list when the alternative has an ORDER BY. Never raises
    because of what the texts contain.
    """
    try:
        expansion = expand(reference)
    except MalformedReferenceError as error:
        return unfit(str(error))
    if not expansion.alternatives:
        return unfit("it contains no query")
    answer = run(sql)
    if isinstance(answer, Failure):
        return without_answer(answer, expansion.alternatives, run)
    best: Comparison | None = None
    results: dict[str, QueryResult | Failure] = {}
    for alternative in expansion.alternatives:
        found = _against(alternative, answer, _remembered(run, results), dialect, semantics)
        best = found if best is None or rank(found) > rank(best) else best
        if best.match is ResultMatch.EXACT:
            break
    assert best is not None  # noqa: S101 there is an alternative
    left_out = {Flag.ALTERNATIVES_LEFT_OUT} if expansion.capped else set[Flag]()
    return Comparison(
        match=best.match,
        error=best.error,
        alternative=best.alternative,
        flags=best.flags | left_out,
        further=best.further,
        difference=best.difference,
    )


def unfit(detail: str) -> Comparison:
    """The reference gives no result."""
    return Comparison(match=ResultMatch.NOT_COMPARED, error=f"reference: {detail}")


def without_answer(answer: Failure, alternatives: Sequence[Alternative], run: Run) -> Comparison:
    """The answer gives no result: that counts against it where a query of the reference gives one."""
    failed: Failure | None = None
    for alternative in alternatives:
        found = run(alternative.sql)
        if not isinstance(found, Failure):
            return Comparison(match=ResultMatch.NONE, error=f"answer: {answer.detail}")
        failed = failed or found
    return unfit(failed.detail if failed is not None else answer.detail)


_RANKS = (ResultMatch.NOT_COMPARED, ResultMatch.NONE, ResultMatch.SUBSET, ResultMatch.EXACT)


def rank(comparison: Comparison) -> tuple[int, bool]:
    """How favourable a comparison is to the answer."""
    return _RANKS.index(comparison.match), comparison.error is None


def _remembered(run: Run, results: dict[str, QueryResult | Failure]) -> Run:
    def once(sql: str) -> QueryResult | Failure:
        if sql not in results:
            results[sql] = run(sql)
        return results[sql]

    return once


def _against(
    alternative: Alternative, answer: QueryResult, run: Run, dialect: str, semantics: Semantics | None
) -> Comparison:
    reference = run(alternative.sql)
    if isinstance(reference, Failure):
        return unfit(reference.detail)
    asked = plan(alternative, dialect)
    as_list = asked.ordered if semantics is None else semantics is Semantics.LIST
    whole = run(asked.whole) if asked.whole is not None else None
    pair = _Pair.of(alternative, reference, answer, whole if isinstance(whole, QueryResult) else None, asked)
    once = semantics is Semantics.SET
    found = _match(pair, once=once, as_list=as_list)
    empty = {Flag.BOTH_EMPTY} if not pair.ours and not pair.theirs else set[Flag]()
    if isinstance(found, ResultMatch):
        flags = frozenset(empty | pair.flags(as_list))
        return Comparison(match=found, alternative=alternative.text, flags=flags, further=pair.further(once=once))
    return Comparison(
        match=ResultMatch.NONE, flags=frozenset(found), difference=row_difference(pair.ours, pair.theirs, pair.names)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """Both results with values in one form."""

    ours: Sequence[PlainRow]
    """The reference's rows with the columns that count."""
    theirs: Sequence[PlainRow]
    whole: Sequence[PlainRow] | None
    """The same before its LIMIT; `None` when they are not known."""
    sort: Sequence[PlainRow]
    """The sort keys of each row of `whole`."""
    names: tuple[tuple[str, ...], tuple[str, ...]]
    asked: Plan

    @classmethod
    def of(
        cls,
        alternative: Alternative,
        reference: QueryResult,
        answer: QueryResult,
        whole: QueryResult | None,
        asked: Plan,
    ) -> _Pair:
        width = len(reference.columns)
        seen = whole
        ours, theirs, rest = unified(reference, answer, whole or QueryResult(columns=(), rows=()))
        keep = alternative.keep or tuple(range(width))
        kept, kept_whole = projected(ours, keep), projected(rest, keep)
        if alternative.distinct:
            kept, seen = list(dict.fromkeys(kept)), None
        return cls(
            ours=kept,
            theirs=theirs,
            whole=kept_whole if seen is not None else None,
            sort=projected(rest, asked.keys) if seen is not None else (),
            names=(tuple(reference.columns[place] for place in keep), answer.columns),
            asked=asked,
        )

    def flags(self, as_list: bool) -> set[Flag]:
        """The flags of a match of this pair."""
        found: set[Flag] = set()
        if self.cuts_a_tie():
            found.add(Flag.TIES)
        if as_list and self.whole is None:
            found.add(Flag.ORDER_UNCHECKED)
        return found

    def further(self, *, once: bool) -> tuple[str, ...]:
        """The answer's columns that hold none of the reference's."""
        widths = len(self.names[0]), len(self.names[1])
        places = next(column_maps(self.ours, self.theirs, widths, as_set if once else as_bag), None)
        return () if places is None else tuple(name for n, name in enumerate(self.names[1]) if n not in places)

    def cuts_a_tie(self) -> bool:
        """Whether a LIMIT of the reference keeps some rows of a tie and drops others."""
        if self.whole is None or self.asked.count is None:
            return False
        edges = _window(self)
        return any(first < edge < last for first, last in _ties(self) for edge in edges)


def _match(pair: _Pair, *, once: bool, as_list: bool) -> ResultMatch | set[Flag]:
    """Returns the match, or the flags of a mismatch."""
    if not once and len(pair.ours) != len(pair.theirs):
        return set()
    widths = len(pair.names[0]), len(pair.names[1])
    level = ResultMatch.EXACT if widths[0] == widths[1] else ResultMatch.SUBSET
    fits: Fits = as_set if once else as_bag
    other_order = False
    for places in column_maps(pair.ours, pair.theirs, widths, fits):
        if not as_list or pair.whole is None or _in_order(pair, projected(pair.theirs, places)):
            return level
        other_order = True
    if not once and pair.cuts_a_tie() and _matches_within_ties(pair, widths, as_list=as_list):
        return level
    return {Flag.OTHER_ORDER} if other_order else set()


def _matches_within_ties(pair: _Pair, widths: tuple[int, int], *, as_list: bool) -> bool:
    """Whether the reference could have kept the answer's rows instead of its own."""
    return any(
        _in_order(pair, projected(pair.theirs, places), sorted_too=as_list)
        for places in column_maps(pair.whole or (), pair.theirs, widths, as_part)
    )


def _ties(pair: _Pair) -> list[tuple[int, int]]:
    """Ranges of rows of `whole` with equal sort keys, as [from, to)."""
    starts = [n for n, key in enumerate(pair.sort) if n == 0 or key != pair.sort[n - 1]]
    return list(pairwise([*starts, len(pair.sort)]))


def _window(pair: _Pair) -> tuple[int, int]:
    end = len(pair.whole or ())
    stop = end if pair.asked.count is None else min(end, pair.asked.start + pair.asked.count)
    return min(pair.asked.start, stop), stop


def _in_order(pair: _Pair, theirs: Sequence[PlainRow], *, sorted_too: bool = True) -> bool:
    """Whether each tie of the reference contains the answer's rows at its place."""
    start, stop = _window(pair)
    whole = pair.whole or ()
    if len(theirs) != stop - start:
        return False
    if not sorted_too:
        return _holds_window(pair, theirs)
    for first, last in _ties(pair):
        begin, end = max(first, start), min(last, stop)
        if begin < end and not as_part(whole[first:last], theirs[begin - start : end - start]):
            return False
    return True


def _holds_window(pair: _Pair, theirs: Sequence[PlainRow]) -> bool:
    """The same for a bag: ties inside the LIMIT are complete, and the remaining rows are from ties that it cuts."""
    start, stop = _window(pair)
    whole = pair.whole or ()
    inside = [row for first, last in _ties(pair) if start <= first and last <= stop for row in whole[first:last]]
    edges = [
        row
        for first, last in _ties(pair)
        if first < stop and last > start and not (start <= first and last <= stop)
        for row in whole[first:last]
    ]
    return as_part(theirs, inside) and as_part([*inside, *edges], theirs)
