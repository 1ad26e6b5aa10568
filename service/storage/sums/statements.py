"""Which sums are kept, and the queries that make them: of rows, and of other sums.

A trigger notes in `stale_hours`, in the transaction of each change, which hours of which tenants changed. The sums of
an hour that is not noted are what its rows say, and the sums of a day are those of its hours.
"""

from __future__ import annotations

from datetime import UTC, datetime

from scoring.query import UnscoredReason
from scoring.verdict import Verdict

JUDGED_WRONG = (Verdict.POTENTIALLY_INCORRECT.value, Verdict.INCORRECT.value)
"""Verdicts that call the answer wrong."""
BINS = 101
"""Bins of a histogram of scores: one per point from 0 to 99, and one for 100."""
KEYS = "tenant, agent, agent_version, judge, evaluator_version"
"""What answers have in common that are summed together, beside their time."""
COUNTS = ("received", "scored", "judged_wrong")
NUMBERS = (*COUNTS, "score", "p_alone", "p_alone_square")
"""The sums. All but `received` are over answers with a score."""

FIRST, LAST = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)
"""The first and the last hour. They hold all that is earlier or later: Python's times end near there."""
_WITHIN = f"least(greatest(occurred_at, timestamptz '{FIRST.isoformat()}'), timestamptz '{LAST.isoformat()}')"
NOTE = f"INSERT INTO stale_hours (tenant, hour) SELECT DISTINCT tenant, date_trunc('hour', {_WITHIN}, 'UTC') FROM "  # noqa: S608 built from constants
"""Notes the hours of a relation's rows, as the trigger does."""

_PLACES = range(1, BINS + 1)
_WRONG = ", ".join(f"'{each}'" for each in JUDGED_WRONG)
_BEGIN = f"CASE WHEN h.start = timestamptz '{FIRST.isoformat()}' THEN '-infinity' ELSE h.start END"
_END = (
    f"CASE WHEN h.start = timestamptz '{LAST.isoformat()}' THEN 'infinity'"
    " ELSE h.start + interval '1 hour' - interval '1 microsecond' END"
)
# older rows were judged alone, and have no `p_alone`
_ALONE = "coalesce(e.p_alone, e.p_correct)"


def sums_of_rows(hours: str, condition: str) -> str:
    """A query for the sums of the current rows in the hours of the relation `hours` (`tenant`, `start`)."""
    bins = ", ".join(f"coalesce(sum(scored) FILTER (WHERE bin = {each - 1}), 0)" for each in _PLACES)
    return f"""
        SELECT start, {KEYS}, {", ".join(map(_total, NUMBERS))}, CAST(ARRAY[{bins}] AS int[]) AS histogram
        FROM (
            SELECT h.start, e.tenant, e.agent, e.agent_version, e.judge, e.evaluator_version, floor(e.score) AS bin,
                count(*) FILTER (WHERE e.unscored IS DISTINCT FROM '{UnscoredReason.NOT_SAMPLED.value}') AS received,
                count(e.score) AS scored,
                count(*) FILTER (WHERE e.score IS NOT NULL AND e.verdict IN ({_WRONG})) AS judged_wrong,
                coalesce(sum(e.score), 0) AS score,
                coalesce(sum({_ALONE}) FILTER (WHERE e.score IS NOT NULL), 0) AS p_alone,
                coalesce(sum({_ALONE} * {_ALONE}) FILTER (WHERE e.score IS NOT NULL), 0) AS p_alone_square
            FROM {hours} AS h JOIN evaluations AS e
                ON e.tenant = h.tenant AND e.occurred_at >= {_BEGIN} AND e.occurred_at <= {_END}
            WHERE e.current AND {condition}
            GROUP BY 1, 2, 3, 4, 5, 6, 7
        ) AS by_bin
        GROUP BY start, {KEYS}
    """  # noqa: S608 built from constants


def sums_of_sums(selected: str, parts: str, groups: str) -> str:
    """A query that adds up the relation `parts` by `groups`, which `selected` names."""
    bins = ", ".join(f"sum(histogram[{place}])" for place in _PLACES)
    totals = ", ".join(map(_total, NUMBERS))
    return f"SELECT {selected}, {totals}, CAST(ARRAY[{bins}] AS int[]) AS histogram FROM {parts} GROUP BY {groups}"  # noqa: S608 built from constants


def _total(name: str) -> str:
    return f"CAST(sum({name}) AS bigint) AS {name}" if name in COUNTS else f"sum({name}) AS {name}"
