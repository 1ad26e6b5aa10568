"""EX-TEST: whether two queries give the same set of rows on one database (equation 1 of SpotIt)."""

from __future__ import annotations

from references.comparison.alternatives import MalformedReferenceError, expand
from references.comparison.comparing import Run
from references.comparison.results import QueryResult, unified


def same_set(reference: str, sql: str, run: Run) -> bool | None:
    """Whether `sql` gives the same set of rows as one of the queries that `reference` stands for.

    Columns count in their order, repeated rows and the order of rows do not. `None` when no such query runs: nothing
    was tested. An answer that does not run gives `False`.
    """
    try:
        alternatives = expand(reference, written_out=True).alternatives
    except MalformedReferenceError:
        return None
    golds = [found for each in alternatives if isinstance(found := run(each.sql), QueryResult)]
    if not golds:
        return None
    answer = run(sql)
    return isinstance(answer, QueryResult) and any(_equal(gold, answer) for gold in golds)


def _equal(gold: QueryResult, answer: QueryResult) -> bool:
    ours, theirs = unified(gold, answer)
    return set(ours) == set(theirs)
