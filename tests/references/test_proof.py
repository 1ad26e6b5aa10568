"""What the proof knows of SQL: pairs it must prove, pairs it must not, and what it says it does not cover."""

from __future__ import annotations

import pytest

from references.ddl import read_schema
from references.equivalence.data.planning import populate
from references.equivalence.data.relevant import relevant
from references.equivalence.facts.gathering import gathered
from references.equivalence.proof.certificate import ANY, ORDINARY, Assumptions, Proof, prove
from references.equivalence.proof.logic import Unprovable
from references.equivalence.proof.texts import Texts, number_in
from references.equivalence.reading.side import Side, read_side
from references.schema import Schema
from references.semantics import Semantics

SCHEMA = """
CREATE TABLE shelf (id INTEGER PRIMARY KEY, room TEXT, height INTEGER);
CREATE TABLE book (id INTEGER PRIMARY KEY, shelf_id INTEGER NOT NULL REFERENCES shelf (id), title TEXT, pages INTEGER,
  price REAL, bought DATE);
"""


def proof(
    a: str,
    b: str,
    *,
    rows: int = 2,
    assumed: Assumptions = ANY,
    semantics: Semantics = Semantics.BAG,
    milliseconds: int = 10_000,
) -> Proof:
    one, other, schema = read_side(a, "sqlite"), read_side(b, "sqlite"), read_schema(SCHEMA)
    assert isinstance(one, Side)
    assert isinstance(other, Side)
    assert isinstance(schema, Schema)
    population = populate(schema, gathered(schema, (one, other)), relevant(schema, (one, other)))
    return prove(one, other, population, semantics, rows, assumed, milliseconds)


EQUAL = {
    "negation of a comparison": ("SELECT id FROM book WHERE NOT pages > 3", "SELECT id FROM book WHERE pages <= 3"),
    "de Morgan with NULLs": (
        "SELECT id FROM book WHERE NOT (pages > 3 AND title = 'a')",
        "SELECT id FROM book WHERE NOT pages > 3 OR NOT title = 'a'",
    ),
    "BETWEEN": (
        "SELECT id FROM book WHERE pages BETWEEN 2 AND 5",
        "SELECT id FROM book WHERE pages >= 2 AND 5 >= pages",
    ),
    "IN": ("SELECT id FROM book WHERE pages IN (1, 2)", "SELECT id FROM book WHERE pages = 1 OR pages = 2"),
    "COALESCE": (
        "SELECT COALESCE(pages, 0) FROM book",
        "SELECT CASE WHEN pages IS NULL THEN 0 ELSE pages END FROM book",
    ),
    "NULLIF": ("SELECT NULLIF(pages, 3) FROM book", "SELECT CASE WHEN pages = 3 THEN NULL ELSE pages END FROM book"),
    "IIF": ("SELECT IIF(pages > 3, 'a', 'b') FROM book", "SELECT CASE WHEN pages > 3 THEN 'a' ELSE 'b' END FROM book"),
    "a join and its mirror": (
        "SELECT b.id FROM book b LEFT JOIN shelf s ON s.id = b.shelf_id",
        "SELECT b.id FROM shelf s RIGHT JOIN book b ON s.id = b.shelf_id",
    ),
    "FULL JOIN of a reference that holds": (
        "SELECT s.id, b.id FROM shelf s FULL JOIN book b ON s.id = b.shelf_id",
        "SELECT s.id, b.id FROM shelf s LEFT JOIN book b ON s.id = b.shelf_id",
    ),
    "USING": (
        "SELECT a.title FROM book a JOIN book b USING (id)",
        "SELECT a.title FROM book a JOIN book b ON a.id = b.id",
    ),
    "a count of cases": (
        "SELECT COUNT(CASE WHEN pages > 3 THEN 1 END) FROM book",
        "SELECT COUNT(*) FROM book WHERE pages > 3",
    ),
    "FILTER": ("SELECT COUNT(*) FILTER (WHERE pages > 3) FROM book", "SELECT COUNT(*) FROM book WHERE pages > 3"),
    "the mean": ("SELECT AVG(pages) FROM book", "SELECT SUM(pages) * 1.0 / COUNT(pages) FROM book"),
    "DISTINCT and GROUP BY": ("SELECT DISTINCT title FROM book", "SELECT title FROM book GROUP BY title"),
    "HAVING on a key": (
        "SELECT title, COUNT(*) FROM book GROUP BY title HAVING title = 'a'",
        "SELECT title, COUNT(*) FROM book WHERE title = 'a' GROUP BY title",
    ),
    "the highest by order and by comparison": (
        "SELECT pages FROM book WHERE pages IS NOT NULL ORDER BY pages DESC LIMIT 1",
        "SELECT DISTINCT pages FROM book WHERE pages = (SELECT MAX(pages) FROM book)",
    ),
    "INTERSECT and a semi-join": (
        "SELECT id FROM shelf INTERSECT SELECT shelf_id FROM book",
        "SELECT id FROM shelf WHERE id IN (SELECT shelf_id FROM book)",
    ),
    "the same function of the same value": (
        "SELECT id FROM book WHERE strftime('%Y', bought) = '1995' AND pages > 1",
        "SELECT id FROM book WHERE pages > 1 AND '1995' = strftime('%Y', bought)",
    ),
    "LIKE without a value of its own": (
        "SELECT id FROM book WHERE title LIKE 'a%' OR title = 'Atlas'",
        "SELECT id FROM book WHERE title LIKE 'a%'",
    ),
    "a first place and a row number": (
        "SELECT id FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY id DESC) AS n FROM book) WHERE n = 1",
        "SELECT MAX(id) FROM book HAVING COUNT(*) > 0",
    ),
    "a total over all rows": (
        "SELECT id, SUM(pages) OVER () FROM book",
        "SELECT id, (SELECT SUM(pages) FROM book) FROM book",
    ),
    "LIMIT that leaves all": ("SELECT id FROM book LIMIT 2", "SELECT id FROM book"),
}
APART = {
    "NOT IN and NULL": (
        "SELECT id FROM shelf WHERE height NOT IN (SELECT pages FROM book)",
        "SELECT id FROM shelf s WHERE NOT EXISTS (SELECT 1 FROM book WHERE pages = s.height)",
    ),
    "COUNT of a nullable column": ("SELECT COUNT(pages) FROM book", "SELECT COUNT(*) FROM book"),
    "SUM of nothing": ("SELECT SUM(pages) FROM book", "SELECT COALESCE(SUM(pages), 0) FROM book"),
    "whole division": ("SELECT pages / 2 FROM book", "SELECT pages * 0.5 FROM book"),
    "UNION": ("SELECT title FROM book UNION SELECT title FROM book", "SELECT title FROM book"),
    "texts in their order": ("SELECT id FROM book WHERE title > 'b'", "SELECT id FROM book WHERE title > 'a'"),
    "other widths": ("SELECT id FROM book", "SELECT id, id FROM book"),
    "fractions in an integer column": ("SELECT id FROM book WHERE pages > 3.5", "SELECT id FROM book WHERE pages > 3"),
}


@pytest.mark.parametrize("name", EQUAL)
def test_what_is_equal_is_proved(name: str) -> None:
    assert proof(*EQUAL[name]).equal is True


@pytest.mark.parametrize("name", APART)
def test_what_differs_is_not_proved(name: str) -> None:
    found = proof(*APART[name])
    assert found.equal is False
    assert found.contents


def test_ordinary_data_has_no_nulls() -> None:
    pair = ("SELECT COUNT(pages) FROM book", "SELECT COUNT(*) FROM book")
    assert proof(*pair, assumed=ORDINARY).equal is True


def test_a_set_does_not_count() -> None:
    pair = ("SELECT title FROM book UNION ALL SELECT title FROM book", "SELECT title FROM book")
    assert proof(*pair, semantics=Semantics.SET).equal is True
    assert proof(*pair).equal is False


def test_a_difference_that_needs_three_rows_shows_at_three() -> None:
    pair = ("SELECT title FROM book GROUP BY title HAVING COUNT(*) > 2", "SELECT title FROM book WHERE id IS NULL")
    assert proof(*pair, rows=2).equal is True
    assert proof(*pair, rows=3).equal is False


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT id FROM book LIMIT 1 OFFSET 1", "OFFSET without ORDER BY"),
        ("SELECT GROUP_CONCAT(title) FROM book", "is not covered"),
        ("WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c) SELECT n FROM c", "recursive"),
        ("SELECT title, SUM(id) OVER (ORDER BY id ROWS 2 PRECEDING) FROM book", "window"),
        ("SELECT id FROM book WHERE pages = title || 'x'", "compared"),
    ],
)
def test_what_is_not_covered_is_said(sql: str, said: str) -> None:
    with pytest.raises(Unprovable, match=said):
        proof(sql, "SELECT id FROM shelf")


def test_a_list_is_not_covered() -> None:
    with pytest.raises(Unprovable, match="order of rows"):
        proof("SELECT id FROM book", "SELECT id FROM book", semantics=Semantics.LIST)


def test_texts_keep_their_order_as_numbers() -> None:
    side = read_side("SELECT 'b', 'a', 'B', ''", "sqlite")
    assert isinstance(side, Side)
    codes = dict(Texts((side.tree,)).known())
    assert sorted(codes, key=lambda text: codes[text]) == ["", "B", "a", "b"]


@pytest.mark.parametrize("text", ["", "abc", "1e999999", "--1", "0x10", " ", "1_000", "٣"])
def test_texts_that_are_no_numbers_are_none(text: str) -> None:
    assert number_in(text) is None


def test_a_proof_that_takes_too_long_ends() -> None:
    joined = "SELECT COUNT(*) FROM book a, book b, shelf c, shelf d WHERE a.pages > b.pages GROUP BY a.title, c.room"
    with pytest.raises(Unprovable, match="time"):
        proof(joined, "SELECT id FROM book", milliseconds=0)
