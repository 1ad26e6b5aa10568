"""Execution comparison, by the mistakes that comparers are known to make."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from references.comparison.alternatives import MOST_ALTERNATIVES, MalformedReferenceError, expand
from references.comparison.comparing import Comparison, Flag, ResultMatch, compare
from references.comparison.matching import as_bag, column_maps
from references.comparison.results import QueryResult, unified
from references.sandbox import Failure
from references.semantics import Semantics
from tests.references.memory_database import running

SCHEMA = """
CREATE TABLE kilns (id INTEGER, name TEXT, town TEXT, opened TEXT, pots INTEGER, price REAL);
INSERT INTO kilns VALUES
  (1, 'Ember', 'Oda', '2021-03-01', 5, 2.5), (2, 'Ash', 'Oda', '2021-03-01', 5, 2.5),
  (3, 'Flint', 'Rill', '2022-07-09', 9, 1.0), (4, 'Slip', 'Rill', NULL, 2, NULL),
  (5, 'Ember', 'Moss', '2024-01-31', 0, 4.0);
CREATE TABLE empty_shelf (id INTEGER, name TEXT);
"""


@pytest.fixture
def run() -> Callable[[str], QueryResult | Failure]:
    return running(SCHEMA)


@pytest.fixture
def compared(run: Callable[[str], QueryResult | Failure]) -> Callable[..., Comparison]:
    return lambda reference, sql, semantics=None: compare(reference, sql, run, dialect="sqlite", semantics=semantics)


EXACT, SUBSET, NONE = ResultMatch.EXACT, ResultMatch.SUBSET, ResultMatch.NONE


@pytest.mark.parametrize(
    ("reference", "sql", "match"),
    [
        ("SELECT town FROM kilns", "SELECT town FROM kilns ORDER BY town", EXACT),
        ("SELECT town FROM kilns", "SELECT DISTINCT town FROM kilns", NONE),
        ("SELECT 1 UNION ALL SELECT 1 UNION ALL SELECT 2", "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 2", NONE),
        ("SELECT id, name FROM kilns", "SELECT name AS id, id AS name FROM kilns", EXACT),
        ("SELECT id, name FROM kilns", "SELECT name, town, id FROM kilns", SUBSET),
        ("SELECT id, name, town FROM kilns", "SELECT name, id FROM kilns", NONE),
        ("SELECT id, id FROM kilns", "SELECT id, name FROM kilns", NONE),
        ("SELECT pots, name FROM kilns", "SELECT pots, name FROM kilns WHERE pots > 0", NONE),
        ("SELECT pots FROM kilns", "SELECT CAST(pots AS TEXT) FROM kilns", EXACT),
        ("SELECT pots FROM kilns", "SELECT pots * 1.0 FROM kilns", EXACT),
        ("SELECT opened FROM kilns", "SELECT opened || ' 00:00:00' FROM kilns", EXACT),
        ("SELECT 0.1 + 0.2", "SELECT 0.3", EXACT),
        ("SELECT 0.3", "SELECT 0.3001", NONE),
        ("SELECT NULL", "SELECT 0", NONE),
        ("SELECT NULL", "SELECT ''", NONE),
        ("SELECT '007'", "SELECT '7'", NONE),
        ("SELECT id FROM kilns WHERE id > 9", "SELECT id, name FROM kilns WHERE id > 9", SUBSET),
        ("SELECT id, name FROM kilns WHERE id > 9", "SELECT id FROM kilns WHERE id > 9", NONE),
        ("SELECT id AS a, pots AS a FROM kilns", "SELECT pots, id FROM kilns", EXACT),
        (
            "SELECT CASE WHEN id > 2 THEN id ELSE name END FROM kilns",
            "SELECT CASE WHEN id > 2 THEN id ELSE name END FROM kilns",
            EXACT,
        ),
    ],
)
def test_rows_are_a_bag_and_columns_are_found_by_what_they_hold(compared, reference, sql, match):
    assert compared(reference, sql).match is match


def test_equal_multisets_in_two_columns_are_told_apart_by_their_rows():
    ours = [(1, 2), (2, 1), (3, 3)]
    assert list(column_maps(ours, [(2, 1), (1, 2), (3, 3)], (2, 2), as_bag)) == [[0, 1], [1, 0]]
    assert not list(column_maps(ours, [(1, 1), (2, 2), (3, 3)], (2, 2), as_bag))


def test_a_search_over_many_like_columns_ends():
    wide = [tuple((row + place) % 7 for place in range(14)) for row in range(7)]
    shuffled = [tuple((row * 3 + place) % 7 for place in range(14)) for row in range(7)]
    assert list(column_maps(wide, shuffled, (14, 14), as_bag)) is not None


@pytest.mark.parametrize(
    ("reference", "sql", "match", "flags"),
    [
        ("SELECT name FROM kilns ORDER BY id", "SELECT name FROM kilns ORDER BY id DESC", NONE, {Flag.OTHER_ORDER}),
        ("SELECT name FROM kilns ORDER BY pots", "SELECT name FROM kilns ORDER BY pots, id", EXACT, set()),
        ("SELECT name FROM kilns ORDER BY pots", "SELECT name FROM kilns ORDER BY pots, id DESC", EXACT, set()),
        (
            "SELECT id FROM kilns ORDER BY pots DESC LIMIT 2",
            "SELECT id FROM kilns WHERE id IN (3, 2) ORDER BY id DESC",
            EXACT,
            {Flag.TIES},
        ),
        (
            "SELECT id FROM kilns ORDER BY pots DESC LIMIT 2",
            "SELECT id FROM kilns WHERE id IN (3, 4) ORDER BY pots DESC",
            NONE,
            set(),
        ),
        ("SELECT id FROM kilns ORDER BY pots DESC LIMIT 2", "SELECT id FROM kilns WHERE id IN (1, 2)", NONE, set()),
        ("SELECT id FROM kilns LIMIT 2", "SELECT id FROM kilns WHERE id > 3", EXACT, {Flag.TIES}),
        ("SELECT id FROM kilns ORDER BY pots DESC LIMIT 1 OFFSET 1", "SELECT 2", EXACT, {Flag.TIES}),
        ("SELECT DISTINCT town FROM kilns ORDER BY town", "SELECT DISTINCT town FROM kilns ORDER BY 1", EXACT, set()),
        (
            "SELECT DISTINCT town FROM kilns ORDER BY pots",
            "SELECT DISTINCT town FROM kilns",
            EXACT,
            {Flag.ORDER_UNCHECKED},
        ),
        ("SELECT * FROM kilns ORDER BY id", "SELECT * FROM kilns ORDER BY id", EXACT, {Flag.ORDER_UNCHECKED}),
        ("SELECT id FROM kilns WHERE id > 9", "SELECT pots FROM kilns WHERE id > 9", EXACT, {Flag.BOTH_EMPTY}),
    ],
)
def test_order_counts_where_the_reference_asks_for_it_and_ties_are_free(compared, reference, sql, match, flags):
    found = compared(reference, sql)
    assert (found.match, found.flags) == (match, flags)


def test_order_can_be_left_out_and_duplicates_too(compared):
    reference, other_order = "SELECT name FROM kilns ORDER BY id", "SELECT name FROM kilns ORDER BY id DESC"
    assert compared(reference, other_order, Semantics.BAG).match is EXACT
    assert compared("SELECT town FROM kilns", "SELECT DISTINCT town FROM kilns", Semantics.SET).match is EXACT
    assert compared("SELECT town FROM kilns", "SELECT DISTINCT town FROM kilns", Semantics.BAG).match is NONE
    unordered = "SELECT name FROM kilns"
    assert compared(unordered, "SELECT name FROM kilns", Semantics.LIST).flags == {Flag.ORDER_UNCHECKED}


def test_a_bag_may_hold_other_rows_where_a_limit_cuts_a_tie(compared):
    reference = "SELECT id FROM kilns ORDER BY pots DESC LIMIT 2"
    assert compared(reference, "SELECT id FROM kilns WHERE id IN (2, 3)", Semantics.BAG).match is EXACT
    assert compared(reference, "SELECT id FROM kilns WHERE id IN (1, 2)", Semantics.BAG).match is NONE


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("SELECT {a, b}, {c, d} FROM t", 9),
        ("SELECT {COALESCE(a, b), c} FROM t", 3),
        ("SELECT {a, b} FROM t WHERE x = '{y, z}; w'", 3),
        ("SELECT a FROM t -- not; {b, c}\n", 1),
        ("SELECT a /* {b, c}; */ FROM t;", 1),
        ('SELECT "odd;{name" FROM t; SELECT b FROM t;', 2),
        ("SELECT $tag$ {a, b}; $tag$ FROM t", 1),
        ("SELECT {a, b}, COUNT(*) FROM t GROUP BY {}; SELECT {c}, 1 FROM t", 4),
        ("SELECT DISTINCT {a, b} FROM t LIMIT 3", 3),
    ],
)
def test_groups_and_variants_are_read_as_sql(reference, expected):
    alternatives = expand(reference).alternatives
    assert len({each.text for each in alternatives}) == len(alternatives) == expected


def test_a_group_of_columns_is_run_once_and_projected_where_that_gives_the_same():
    eight = "SELECT {a, b, c, d, e, f}, COUNT(*) FROM t GROUP BY a, b, c, d, e, f"
    assert {each.sql for each in expand(eight).alternatives} == {eight.replace("{", "").replace("}", "")}
    assert len(expand(eight).alternatives) == 63
    for unlike in (
        "SELECT DISTINCT {a, b} FROM t LIMIT 3",
        "SELECT {a, SUM(b)} FROM t",
        "SELECT {a, b} FROM t UNION SELECT 1",
    ):
        assert all(each.keep is None for each in expand(unlike).alternatives)


def test_a_reference_that_stands_for_too_many_says_so_and_gives_each_variant_room():
    wide = "SELECT {" + ", ".join(f"c{n}" for n in range(20)) + "} FROM t"
    found = expand(f"{wide}; SELECT z FROM t")
    assert found.capped
    assert len(found.alternatives) <= MOST_ALTERNATIVES
    assert found.alternatives[-1].sql == "SELECT z FROM t"


@pytest.mark.parametrize(
    "malformed", ["SELECT {a FROM t", "SELECT a} FROM t", "SELECT {a, {b}} FROM t", "SELECT a FROM t GROUP BY {}"]
)
def test_braces_that_do_not_pair_are_an_error_of_the_reference(compared, malformed):
    with pytest.raises(MalformedReferenceError):
        expand(malformed)
    assert compared(malformed, "SELECT 1").error.startswith("reference: ")


@given(st.text(alphabet="{};,'\"()- \n$`/*aSELECT", max_size=60))
def test_no_text_makes_expansion_fail_otherwise(text):
    with suppress(MalformedReferenceError):
        assert len(expand(text).alternatives) <= MOST_ALTERNATIVES


@pytest.mark.parametrize(
    ("reference", "sql", "match"),
    [
        ("SELECT {id, name} FROM kilns WHERE town = 'Rill'", "SELECT name FROM kilns WHERE id IN (3, 4)", EXACT),
        ("SELECT {id, name} FROM kilns WHERE town = 'Rill'", "SELECT id, name FROM kilns WHERE id IN (3, 4)", EXACT),
        ("SELECT {id, name} FROM kilns WHERE town = 'Rill'", "SELECT name, pots FROM kilns WHERE id IN (3, 4)", SUBSET),
        ("SELECT DISTINCT {town, name} FROM kilns", "SELECT DISTINCT town FROM kilns", EXACT),
        (
            "SELECT {town, name}, COUNT(*) FROM kilns GROUP BY {}",
            "SELECT town, COUNT(*) FROM kilns GROUP BY town",
            EXACT,
        ),
        ("SELECT id FROM kilns; SELECT name FROM kilns", "SELECT name FROM kilns", EXACT),
    ],
)
def test_any_alternative_will_do_and_the_best_counts(compared, reference, sql, match):
    found = compared(reference, sql)
    assert found.match is match
    assert found.alternative is not None


def test_which_side_gave_no_result_is_said(compared):
    assert compared("SELECT id FROM kilns", "SELECT no_such FROM kilns").error == "answer: no such column: no_such"
    assert compared("SELECT no_such FROM kilns", "SELECT 1").error == "reference: no such column: no_such"
    assert compared(" ; ", "SELECT 1").error == "reference: it contains no query"
    assert compared("SELECT no_such FROM kilns; SELECT 1", "SELECT 1").match is EXACT


def test_a_mismatch_says_what_is_missing_and_what_is_extra(compared):
    apart = compared("SELECT id, name FROM kilns WHERE id < 3", "SELECT id, town FROM kilns WHERE id < 3").difference
    assert (apart.missing_columns, apart.extra_columns) == (("name",), ("town",))
    fewer = compared("SELECT id FROM kilns WHERE id < 3", "SELECT id FROM kilns WHERE id < 2").difference
    assert (fewer.rows, fewer.missing_rows, fewer.extra_rows) == ((2, 1), ((2.0,),), ())


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Decimal("1.50"), 1.5),
        (True, 1),
        (date(2026, 1, 2), "2026-01-02"),
        (datetime(2026, 1, 2, 3, 4), "2026-01-02 03:04:00"),
        ("2026-01-02T03:04:05Z", "2026-01-02 05:04:05+02:00"),
        (b"\x01", "01"),
        (-0.0, 0),
        ("1e3", 1000),
        (2**60, str(2**60)),
    ],
)
def test_one_value_in_two_types_is_one_value(left, right):
    ours, theirs = unified(QueryResult(columns=("a",), rows=((left,),)), QueryResult(columns=("b",), rows=((right,),)))
    assert ours == theirs
