"""Dates in search and proof: pairs of conditions on dates, and every function against the databases' own."""

from __future__ import annotations

import random
import re
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from references.equivalence.checks import runs_again
from references.equivalence.data.population import is_date
from references.equivalence.pair import EquivalenceVerdict, Level, Pair, PairFinding
from references.equivalence.proof.calendar import Calendar
from references.equivalence.proof.logic import Sort, UnknownValue, integer, z3
from references.equivalence.proof.queries import machine_over, result_of
from references.equivalence.proof.rows import Heading, Relation, UnknownRow
from references.equivalence.proof.spellings import DAY, MOMENT, Spelling
from references.equivalence.proof.texts import Texts
from references.equivalence.reading.side import Side, read_side
from references.equivalence.verify import verify
from references.sandbox import Layout, Result, Sandbox, Value
from references.time_zones import zone_time

CASES: dict[str, Any] = yaml.safe_load((Path(__file__).parents[1] / "cases" / "dates.yaml").read_text(encoding="utf-8"))


def pair(dialect: str, a: str, b: str) -> Pair:
    return Pair(
        sql_a=f"SELECT id FROM visits WHERE {a}",
        sql_b=f"SELECT id FROM visits WHERE {b}",
        # T-SQL's TIMESTAMP is no time
        schema=CASES["schema"].replace("TIMESTAMP", "DATETIME") if dialect == "tsql" else CASES["schema"],
        dialect=dialect,
    )


def found(dialect: str, a: str, b: str) -> PairFinding:
    return verify(pair(dialect, a, b), bound=1)


@pytest.mark.parametrize("case", CASES["equal"], ids=lambda case: f"{case[0]} {case[1]}")
def test_conditions_that_agree_on_every_date_are_proved_equal(case: list[str]) -> None:
    finding = found(*case)
    assert finding.verdict is EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND, finding


@pytest.mark.parametrize("case", CASES["different"], ids=lambda case: f"{case[0]} {case[1]}")
def test_conditions_that_do_not_are_refuted_by_dates_that_exist(case: list[str]) -> None:
    finding = found(*case)
    assert (finding.verdict, finding.level) == (EquivalenceVerdict.DIFFERENT, Level.S0), finding
    assert finding.witness is not None
    assert runs_again(pair(*case), finding.witness)
    # a DATE of Oracle holds a time of day
    length = len("2020-02-29 00:00:00" if case[0] == "oracle" else "2020-02-29")
    for seen, due, entered in (row[1:4] for row in finding.witness.rows["visits"]):
        assert [len(str(each)) for each in (seen, due)] == [length, length]
        assert all(is_date(str(each)) for each in (seen, due, entered))


def with_moments(dialect: str, declared: str, a: str, b: str) -> Pair:
    queries = [f"SELECT id FROM calls WHERE {each}" for each in (a, b)]
    schema = f"CREATE TABLE calls (id INT PRIMARY KEY, at {declared} NOT NULL)"
    return Pair(sql_a=queries[0], sql_b=queries[1], schema=schema, dialect=dialect)


@pytest.mark.parametrize("case", CASES["fractions"]["equal"], ids=" ".join)
def test_bounds_agree_where_no_moment_of_the_type_lies_between_them(case: list[str]) -> None:
    finding = verify(with_moments(*case), bound=1)
    assert finding.verdict is EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND, finding


@pytest.mark.parametrize("case", CASES["fractions"]["different"], ids=" ".join)
def test_bounds_differ_where_the_type_holds_fractions_of_a_second(case: list[str]) -> None:
    pair_of_moments = with_moments(*case)
    finding = verify(pair_of_moments, bound=1)
    assert (finding.verdict, finding.level) == (EquivalenceVerdict.DIFFERENT, Level.S0), finding
    assert finding.witness is not None
    assert runs_again(pair_of_moments, finding.witness)
    assert all("." in str(row[1]) for row in finding.witness.rows["calls"])


@pytest.mark.parametrize(
    ("type_", "verdict"),
    [
        ("TIMESTAMP(0)", EquivalenceVerdict.UNSUPPORTED),
        ("TIMESTAMP(3)", EquivalenceVerdict.UNSUPPORTED),
        ("TIMESTAMP(6)", EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND),
        ("TIMESTAMP", EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND),
    ],
)
def test_a_conversion_that_rounds_a_moment_is_not_read_as_the_moment(type_: str, verdict: EquivalenceVerdict) -> None:
    converted, plain = (f"{each} <= '2024-01-31 23:59:59'" for each in (f"CAST(at AS {type_})", "at"))
    assert verify(with_moments("postgres", "TIMESTAMP", converted, plain), bound=1).verdict is verdict


def test_an_interval_before_today_is_searched_without_a_schema_too() -> None:
    query = "SELECT id FROM shop.orders WHERE placed >= DATE_SUB(CURRENT_DATE(), INTERVAL {} DAY)"
    finding = verify(Pair(sql_a=query.format(30), sql_b=query.format(31), dialect="bigquery"), bound=0)
    assert (finding.verdict, finding.level) == (EquivalenceVerdict.DIFFERENT, Level.S0)


IN_2024 = ("day BETWEEN '2024-01-01' AND '2024-12-31'", "EXTRACT(YEAR FROM day) = 2024")
LATE = ("paid - due > 14", "paid > due + INTERVAL '14 days'")


def inferred(a: str, b: str) -> PairFinding:
    sql_a, sql_b = (f"SELECT id FROM bills WHERE {each}" for each in (a, b))
    return verify(Pair(sql_a=sql_a, sql_b=sql_b, dialect="postgres"), bound=1)


@pytest.mark.parametrize(("a", "b"), [IN_2024, LATE])
def test_dates_without_a_schema_are_days(a: str, b: str) -> None:
    assert inferred(a, b).verdict is EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND


def test_dates_without_a_schema_have_times_where_their_name_says_so() -> None:
    finding = inferred(*(each.replace("day", "sold_at") for each in IN_2024))
    assert (finding.verdict, finding.level) == (EquivalenceVerdict.DIFFERENT, Level.S0)


def test_a_guessed_key_is_null_only_where_guesses_do_not_hold() -> None:
    queries = [f"SELECT customer_id, COUNT({each}) FROM orders GROUP BY customer_id" for each in ("orders.id", "*")]
    assert verify(Pair(sql_a=queries[0], sql_b=queries[1])).level is Level.S2


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("CAST(STRFTIME('%Y', born) AS INTEGER) % 2 = 0", "CAST(SUBSTR(born, 4, 1) AS INTEGER) IN (0, 2, 4, 6, 8)"),
        ("SUBSTR(born, 1, 2) = '19'", "STRFTIME('%Y', born) BETWEEN '1900' AND '1999'"),
        ("DATE(at) = born", "at >= born || ' 00:00:00' AND at <= born || ' 23:59:59'"),
    ],
)
def test_digits_of_a_year_and_a_joined_time_of_day_are_read_of_dates(a: str, b: str) -> None:
    schema = "CREATE TABLE people (id INTEGER PRIMARY KEY, born DATE NOT NULL, at DATETIME NOT NULL);"
    sql_a, sql_b = (f"SELECT id FROM people WHERE {each}" for each in (a, b))
    assert verify(Pair(sql_a=sql_a, sql_b=sql_b, schema=schema)).verdict is not EquivalenceVerdict.DIFFERENT


def test_a_text_in_another_form_of_date_is_searched_as_text() -> None:
    sql_a, sql_b = (f"SELECT id FROM people WHERE SUBSTR(born, {each}, 2) = '31'" for each in (1, 4))
    finding = verify(Pair(sql_a=sql_a, sql_b=sql_b, schema="CREATE TABLE people (id INTEGER PRIMARY KEY, born DATE)"))
    assert (finding.verdict, finding.level) == (EquivalenceVerdict.DIFFERENT, Level.S0)


def test_a_row_whose_only_cell_is_a_key_of_0_is_no_missing_row() -> None:
    schema = "CREATE TABLE people (id INT PRIMARY KEY, born DATE NOT NULL);"
    older, apart = "TIMESTAMPDIFF(YEAR, born, '2026-06-15') > 30", "2026 - YEAR(born) > 30"
    sql_a, sql_b = (f"SELECT id FROM people WHERE {each}" for each in (older, apart))
    finding = verify(Pair(sql_a=sql_a, sql_b=sql_b, schema=schema, dialect="mysql"))
    assert (finding.verdict, finding.level) == (EquivalenceVerdict.DIFFERENT, Level.S0)


def by_day(zone: str) -> str:
    return f"SELECT id FROM visits WHERE DATE(entered, '{zone}') = DATE '2024-05-01'"


def test_a_day_in_another_zone_is_another_day() -> None:
    finding = verify(Pair(sql_a=by_day("America/New_York"), sql_b=by_day("UTC"), dialect="bigquery"))
    assert (finding.verdict, finding.level) == (EquivalenceVerdict.DIFFERENT, Level.S0)


@pytest.mark.parametrize("zone", ["IST", "Mars/Olympus", "+99:00"])
def test_a_zone_that_is_not_known_here_is_not_compared(zone: str) -> None:
    pair_of_days = Pair(sql_a=by_day(zone), sql_b=by_day("UTC"), dialect="bigquery")
    assert verify(pair_of_days).verdict is EquivalenceVerdict.UNSUPPORTED


@pytest.mark.parametrize("date", ["DATE(at AT TIME ZONE 'Asia/Tokyo')", "(at AT TIME ZONE 'Asia/Tokyo')::date"])
def test_a_zone_whose_direction_depends_on_the_type_is_not_compared(date: str) -> None:
    conditions = (f"{date} = '2024-05-01'", "at::date = '2024-05-01'")
    finding = verify(with_moments("postgres", "TIMESTAMP", *conditions), bound=1)
    assert finding.verdict is EquivalenceVerdict.UNSUPPORTED


def test_a_local_time_that_clocks_skip_or_repeat_is_no_moment() -> None:
    for skipped in ("2024-03-31 02:30:00", "2024-10-27 02:30:00"):
        with pytest.raises(ValueError, match="not one moment"):
            zone_time(skipped, "Europe/Berlin", "UTC")


def week_of_mysql(day: date, mode: int) -> tuple[int, int]:
    """The year and the week of MySQL's own function, which counts from the first day of the year."""
    monday, whole, first = bool(mode & 1), bool(mode & 2), bool(mode & 4) == bool(mode & 1)
    year, start = day.year, date(day.year, 1, 1)
    place = (start.weekday() + (not monday)) % 7
    late = place != 0 if first else place >= 4
    if day.month == 1 and day.day <= 7 - place:
        if not whole and late:
            return year, 0
        if late:
            return week_of_mysql(date(year - 1, 12, 31), mode)
    begins = start + timedelta(days=7 - place if late else -place)
    if whole and (day - begins).days >= 52 * 7:
        following = (date(year + 1, 1, 1).weekday() + (not monday)) % 7
        if following == 0 if first else following < 4:
            return year + 1, 1
    return year, (day - begins).days // 7 + 1


@pytest.mark.parametrize("mode", range(8))
def test_weeks_of_mysql_are_those_of_its_own_function(mode: int) -> None:
    side = read_side(f"SELECT d, WEEK(d, {mode}), YEARWEEK(d, {mode}) FROM t", "mysql")
    assert isinstance(side, Side)
    days = [date(year, 1, 1) + timedelta(days=each) for year in range(1995, 2023) for each in range(-9, 9)]
    sandbox = Sandbox([Layout(name="t", columns=(("d", "TEXT"),))])
    sandbox.fill({"t": [(each.isoformat(),) for each in days]})
    found = sandbox.run(side.sql)
    assert isinstance(found, Result)
    for day, (_, week, whole) in zip(days, found.rows, strict=True):
        year, number = week_of_mysql(day, mode | 2)
        assert (week, whole) == (week_of_mysql(day, mode)[1], 100 * year + number), day


FUNCTIONS = {
    "sqlite": [
        "STRFTIME('%Y', d)", "STRFTIME('%m-%d', d)", "STRFTIME('%j', d)", "STRFTIME('%w', d)", "STRFTIME('%W', d)",
        "STRFTIME('%H:%M', m)",
        "STRFTIME('%Y/%m', d, '+1 month')", "DATE(m)", "DATE(d, '+1 year')", "DATE(d, '-1 month')",
        "DATE(d, '+1 day')", "DATE(d, '-1 day')", "DATE(d, '+28 days')", "DATE(d, '-28 days')", "DATE(d, '+45 days')",
        "DATE(d, '-400 days')", "DATE(d, 'start of month')", "DATE(d, 'weekday 0')", "DATE(m, 'weekday 3', '-7 days')",
        "DATE(d, 'start of year', '+1 month', '-1 day')",
        "DATETIME(m, '+5 hours')", "DATETIME(m, '-90 minutes')", "DATETIME(m, '+86401 seconds')", "DATETIME(d)",
        "JULIANDAY(d) - JULIANDAY(e)", "CAST(STRFTIME('%m', d) AS INTEGER)", "CAST(STRFTIME('%d', d) AS INT) * 2",
        "SUBSTR(d, 1, 4)", "SUBSTR(d, 6)", "SUBSTR(m, 12, 5)", "STRFTIME('%Y', d) || '-' || STRFTIME('%m', d)",
        "d LIKE '%-0_-%'", "d LIKE '19%'", "d GLOB '*-??-3*'", "d < '2000-02-30'", "d > '19'", "d <= e", "m > '2000'",
        "STRFTIME('%Y', d) < '1999x'", "d = '1996-02-29'", "d > 2000", "STRFTIME('%Y', d) = 1996",
    ],
    "postgres": [
        "d + 31", "d - e", "d + INTERVAL '1 month'", "d - INTERVAL '1 year 2 months 3 days'", "DATE_TRUNC('week', d)",
        "DATE_TRUNC('quarter', m)", "DATE_TRUNC('hour', m)", "EXTRACT(QUARTER FROM d)", "EXTRACT(DOW FROM d)",
        "EXTRACT(DOY FROM d)", "EXTRACT(HOUR FROM m)", "m + INTERVAL '36 hours'", "CAST(m AS DATE)",
        "MAKE_DATE(2020, CAST(EXTRACT(MONTH FROM d) AS INTEGER), 1)", "d < m",
    ],
    "mysql": [
        "WEEK(d)", "WEEK(d, 5)", "WEEKOFYEAR(d)", "YEARWEEK(d)", "YEARWEEK(d, 3)", "WEEK(d, 6)", "TO_DAYS(d)",
        "LAST_DAY(d)", "TIMESTAMPDIFF(MONTH, d, e)", "TIMESTAMPDIFF(YEAR, e, d)", "TIMESTAMPDIFF(DAY, d, e)",
        "TIMESTAMPDIFF(HOUR, m, e)", "DATEDIFF(d, m)", "DAYOFWEEK(d)", "DATE_ADD(d, INTERVAL 3 WEEK)",
    ],
    "snowflake": [
        "DATEDIFF(month, d, e)", "DATEDIFF(quarter, e, d)", "DATEDIFF(hour, d, m)", "ADD_MONTHS(d, 1)",
        "MONTHS_BETWEEN(d, e)", "LAST_DAY(d, 'quarter')", "WEEKISO(d)",
    ],
    "tsql": [
        "DATEPART(week, d)", "DATEDIFF(week, d, e)", "CONVERT(VARCHAR(10), m, 103)",
        "DATEADD(month, DATEDIFF(month, 0, d), 0)",
    ],
    "bigquery": ["EXTRACT(WEEK FROM d)", "EXTRACT(ISOYEAR FROM d)", "DATE_TRUNC(d, ISOYEAR)"],
}  # fmt: skip


def drawn(rng: random.Random) -> dict[str, str]:
    """A day, another one near it or far, and a moment; ends of months and leap days are frequent."""
    day = date(rng.randint(1990, 2024), rng.randint(1, 12), rng.choice((1, 15, 28)))
    day += timedelta(days=rng.choice((0, 0, 1, 2, 3)))
    other = day + timedelta(days=rng.choice((0, 1, -1, 29, 31, -365, 366, rng.randint(-900, 900))))
    time = f"{rng.randrange(24):02d}:{rng.randrange(60):02d}:{rng.choice((0, 59)):02d}"
    return {"d": day.isoformat(), "e": other.isoformat(), "m": f"{day.isoformat()} {time}"}


UNKNOWN_DAY = re.compile(r"\|((?:ordinal|later) \d+)\|")


def solved(calendar: Calendar) -> Any:
    """What the solver takes the calendar's days to be: asked for one after the other, for all at once it takes long."""
    facts = [fact for fact in (*calendar.order(), *calendar.definitions()) if fact is not True]
    unknown_in = [set(UNKNOWN_DAY.findall(fact.sexpr())) for fact in facts]
    known: dict[str, tuple[Any, Any]] = {}
    for terms in calendar._known:
        new = set(UNKNOWN_DAY.findall(" ".join(each.sexpr() for each in terms))) - known.keys()
        sought = known.keys() | new
        solver = z3.Solver()
        for fact, unknown in zip(facts, unknown_in, strict=True):
            if unknown <= sought:
                solver.add(z3.substitute(fact, *known.values()))
        assert solver.check() == z3.sat, "no calendar"
        model = solver.model()
        known |= {name: (each := z3.Int(name), model.eval(each, model_completion=True)) for name in new}
    solver = z3.Solver()
    solver.add(*facts, *(each == value for each, value in known.values()))
    assert solver.check() == z3.sat, "no calendar"
    return solver.model()


def proved(side: Side, row: dict[str, str]) -> Value:
    """What the proof takes the only cell of a query's only row to be."""
    texts = Texts((side.tree,), side.folding)
    spellings: dict[str, Spelling] = {"d": DAY, "e": DAY, "m": MOMENT}
    cells = tuple(
        UnknownValue(
            null=False,
            value=integer(spellings[name].exactly(text) or 0),
            sort=Sort.DATED,
            affinity=Sort.INTEGER,
            spelling=spellings[name],
        )
        for name, text in row.items()
    )
    table = Relation(tuple(Heading("t", name) for name in row), (UnknownRow(True, cells),))
    calendar = Calendar(1)
    machine = machine_over({"t": table}, texts, lambda: None, calendar, dates=True)
    cell = result_of(machine, side.tree).rows[0].cells[0]
    model = solved(calendar)
    if cell.null is True or (cell.null is not False and z3.is_true(model.eval(cell.null))):
        return None
    value = model.eval(cell.value, model_completion=True)
    if cell.spelling is not None:
        return cell.spelling.text(value.as_long())
    return float(value.as_fraction()) if cell.sort is Sort.REAL else value.as_long()


@pytest.mark.parametrize(
    ("dialect", "expression"), [(dialect, each) for dialect, calls in FUNCTIONS.items() for each in calls]
)
def test_the_proof_computes_what_the_database_does(dialect: str, expression: str) -> None:
    side = read_side(f"SELECT {expression} FROM t", dialect)
    assert isinstance(side, Side)
    sandbox = Sandbox([Layout(name="t", columns=(("d", "DATE"), ("e", "DATE"), ("m", "TIMESTAMP")))])
    rng = random.Random(expression)
    try:
        for _ in range(12):
            row = drawn(rng)
            sandbox.fill({"t": [tuple(row.values())]})
            result = sandbox.run(side.sql)
            assert isinstance(result, Result), result
            expected, actual = result.rows[0][0], proved(side, row)
            assert actual == (pytest.approx(expected) if isinstance(expected, float) else expected), (row, side.sql)
    finally:
        sandbox.close()
