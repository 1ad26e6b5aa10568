"""SQL-Eval's own rule, by the examples of its blog with an invented table."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from references.comparison.comparing import Comparison, ResultMatch
from references.comparison.defog import compare_by
from tests.references.memory_database import running

SCHEMA = """
CREATE TABLE guests (gid INTEGER, name TEXT, likes_tea BOOLEAN, likes_soup BOOLEAN);
INSERT INTO guests VALUES (1, 'Ada', 1, 0), (2, 'Bo', 0, 1);
CREATE TABLE absent (gid INTEGER, name TEXT);
"""
GOLD = "SELECT {gid,name}, likes_tea FROM guests"
ORDERED = "SELECT name FROM guests ORDER BY gid"
EXACT, SUBSET, NONE = ResultMatch.EXACT, ResultMatch.SUBSET, ResultMatch.NONE


@pytest.fixture
def compared() -> Callable[..., Comparison]:
    run = running(SCHEMA)
    return lambda gold, sql, rule="defog": compare_by(gold, sql, run, dialect="sqlite", rule=rule)


@pytest.mark.parametrize(
    ("gold", "sql", "match"),
    [
        (GOLD, "SELECT g.gid, g.likes_tea FROM guests AS g", EXACT),
        (GOLD, "SELECT name, likes_tea FROM guests", EXACT),
        (GOLD, "SELECT gid, name, likes_tea FROM guests", EXACT),
        (GOLD, "SELECT gid AS id, likes_tea FROM guests", EXACT),
        (GOLD, "SELECT CAST(gid AS TEXT), likes_tea FROM guests", EXACT),
        (GOLD, "SELECT gid, likes_tea, likes_soup FROM guests", SUBSET),
        (GOLD, "SELECT gid, likes_tea FROM guests ORDER BY likes_tea", SUBSET),
        (GOLD, "SELECT likes_tea, gid FROM guests", SUBSET),
        (GOLD, "SELECT likes_tea FROM guests", NONE),
        (GOLD, "SELECT gid, likes_soup FROM guests", NONE),
        (GOLD, "SELECT gid, likes_tea FROM guests WHERE gid = 1", NONE),
        (ORDERED, "SELECT name FROM guests ORDER BY gid DESC", SUBSET),
        ("SELECT name FROM guests ORDER BY likes_tea + likes_soup LIMIT 1", "SELECT 'Bo'", NONE),
        ("SELECT gid FROM absent", "SELECT gid FROM absent", EXACT),
    ],
)
def test_the_rule_of_the_blog(compared: Callable[..., Comparison], gold: str, sql: str, match: ResultMatch) -> None:
    assert compared(gold, sql).match is match


def test_the_default_differs_in_order_and_ties(compared: Callable[..., Comparison]) -> None:
    assert compared(ORDERED, "SELECT name FROM guests ORDER BY gid DESC", None).match is NONE
    tied = "SELECT name FROM guests ORDER BY likes_tea + likes_soup LIMIT 1"
    assert compared(tied, "SELECT 'Bo'", None).match is EXACT


def test_of_columns_with_the_same_values_the_first_is_taken(compared: Callable[..., Comparison]) -> None:
    answer = "SELECT likes_soup, likes_tea, gid FROM guests"
    assert compared("SELECT gid, likes_tea FROM guests", answer).match is NONE
    assert compared("SELECT gid, likes_tea FROM guests", answer, None).match is SUBSET


def test_a_side_without_a_result_is_named(compared: Callable[..., Comparison]) -> None:
    assert (compared(GOLD, "SELECT x FROM guests").error or "").startswith("answer:")
    assert (compared("SELECT x FROM guests", "SELECT 1").error or "").startswith("reference:")
    assert (compared("SELECT {gid FROM guests", "SELECT 1").error or "").startswith("reference:")
