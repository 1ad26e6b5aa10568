"""Dates computed of dates of dates: the proof gives what the database does, whatever is put into what."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import date, timedelta

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from references.equivalence.proof.logic import Unprovable
from references.equivalence.reading.side import Side, read_side
from references.sandbox import Layout, Result, Sandbox
from tests.references.test_dates import proved

pytestmark = pytest.mark.slow  # a campaign

EXAMPLES = int(os.environ.get("SQLASSAY_TEST_PAIRS", "60"))
relaxed = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    database=None,
)

days = st.one_of(
    st.dates(date(1990, 1, 1), date(2030, 12, 31)),
    st.sampled_from([date(1996, 2, 29), date(2000, 2, 29), date(2001, 2, 28), date(2020, 12, 31), date(2021, 1, 1)]),
)
clocks = st.sampled_from(["00:00:00", "00:00:01", "09:30:00", "11:59:59", "23:59:59"])
rows = st.tuples(days, st.integers(-800, 800), clocks).map(
    lambda each: {
        "d": each[0].isoformat(),
        "e": (each[0] + timedelta(days=each[1])).isoformat(),
        "m": f"{each[0].isoformat()} {each[2]}",
    }
)
counts = st.integers(-40, 40)
Wrapped = Callable[[st.SearchStrategy[str]], st.SearchStrategy[str]]


def sqlite_days(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """A later, an earlier or a cut day."""
    units = st.sampled_from(["day", "month", "year"])
    moved = st.tuples(inner, counts, units).map(lambda each: f"DATE({each[0]}, '{each[1]:+d} {each[2]}')")
    cut = st.tuples(inner, st.sampled_from(["start of month", "start of year", "weekday 2"]))
    return moved | cut.map(lambda each: f"DATE({each[0]}, '{each[1]}')")


def postgres_days(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """The same in PostgreSQL."""
    units = st.sampled_from(["day", "month", "year", "week"])
    moved = st.tuples(inner, counts, units).map(
        lambda each: f"CAST({each[0]} + INTERVAL '{each[1]} {each[2]}' AS DATE)"
    )
    cut = st.tuples(st.sampled_from(["week", "month", "quarter", "year"]), inner)
    return moved | cut.map(lambda each: f"CAST(DATE_TRUNC('{each[0]}', {each[1]}) AS DATE)")


def mysql_days(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """The same in MySQL."""
    units = st.sampled_from(["DAY", "WEEK", "MONTH", "QUARTER", "YEAR"])
    moved = st.tuples(inner, counts, units).map(lambda each: f"DATE_ADD({each[0]}, INTERVAL {each[1]} {each[2]})")
    return moved | inner.map(lambda each: f"LAST_DAY({each})")


def asked_of(dialect: str, day: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """A number, a text or a truth value of days."""
    compared = st.tuples(day, st.sampled_from(["=", "<", "<=", ">"]), day).map(" ".join)
    parts = {
        "sqlite": day.map(lambda each: f"STRFTIME('%Y-%j', {each})"),
        "postgres": st.tuples(st.sampled_from(["YEAR", "MONTH", "DAY", "DOW", "DOY", "ISODOW", "QUARTER"]), day).map(
            lambda each: f"EXTRACT({each[0]} FROM {each[1]})"
        ),
        "mysql": st.tuples(st.sampled_from(["YEAR", "MONTH", "DAYOFWEEK", "DAYOFYEAR", "WEEKDAY"]), day).map(
            lambda each: f"{each[0]}({each[1]})"
        ),
    }
    gaps = {
        "sqlite": st.tuples(day, day).map(lambda each: f"JULIANDAY({each[0]}) - JULIANDAY({each[1]})"),
        "postgres": st.tuples(day, day).map(" - ".join),
        "mysql": st.tuples(day, day).map(lambda each: f"DATEDIFF({each[0]}, {each[1]})"),
    }
    return compared | parts[dialect] | gaps[dialect] | day


DIALECTS: dict[str, Wrapped] = {"sqlite": sqlite_days, "postgres": postgres_days, "mysql": mysql_days}
EXPRESSIONS = {
    dialect: asked_of(
        dialect,
        st.recursive(
            st.sampled_from(["d", "e", "DATE(m)" if dialect == "sqlite" else "CAST(m AS DATE)"]), wrap, max_leaves=3
        ),
    )
    for dialect, wrap in DIALECTS.items()
}


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_dates_of_dates_are_computed_as_the_database_does(dialect: str) -> None:
    sandbox = Sandbox([Layout(name="t", columns=(("d", "DATE"), ("e", "DATE"), ("m", "TIMESTAMP")))])
    computed = 0

    @relaxed
    @given(expression=EXPRESSIONS[dialect], row=rows)
    def agree(expression: str, row: dict[str, str]) -> None:
        nonlocal computed
        side = read_side(f"SELECT {expression} FROM t", dialect)
        assert isinstance(side, Side), expression
        sandbox.fill({"t": [tuple(row.values())]})
        result = sandbox.run(side.sql)
        assert isinstance(result, Result), result
        try:
            actual = proved(side, row)
        except Unprovable:
            assume(False)
            return
        computed += 1
        expected = result.rows[0][0]
        assert actual == (pytest.approx(expected) if isinstance(expected, float) else expected), (row, side.sql)

    try:
        agree()
    finally:
        sandbox.close()
    assert computed >= EXAMPLES // 2
