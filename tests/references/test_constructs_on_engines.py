"""What stands for LATERAL, joined texts, percentiles and stars gives the rows that DuckDB and PostgreSQL give."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import date
from decimal import Decimal
from random import Random

import duckdb
import pytest
from sqlalchemy import URL

from references.equivalence.pair import Pair
from references.equivalence.pair_reading import PairReading, read_pair
from references.sandbox import Layout, Result, Row, Sandbox
from tests.references.named_databases import NamedServer, named_server
from tests.references.test_constructs import CASES, LIBRARY

DATABASES = 12
"""Databases on which each query runs."""
SHARES = ("0", "0.1", "0.25", "0.333", "0.5", "0.75", "0.9", "1")
_SORTED = "ORDER BY price"
BOTH = [
    *(
        f"SELECT shelf_id, PERCENTILE_{kind}({share}) WITHIN GROUP ({_SORTED}{falling}) FROM book GROUP BY shelf_id"
        for kind in ("CONT", "DISC")
        for share in SHARES
        for falling in ("", " DESC")
    ),
    "SELECT PERCENTILE_DISC(0.4) WITHIN GROUP (ORDER BY bought) FROM book",
    "SELECT PERCENTILE_CONT(0.4) WITHIN GROUP (ORDER BY pages + 1) FILTER (WHERE pages > 2) FROM book",
    "SELECT shelf_id, STRING_AGG(title, ', ' ORDER BY pages DESC, id) FROM book GROUP BY shelf_id",
    "SELECT STRING_AGG(title, '-' ORDER BY pages NULLS FIRST, title DESC NULLS LAST, id) FROM book",
    "SELECT STRING_AGG(DISTINCT title, ',' ORDER BY title) FILTER (WHERE pages > 2) FROM book",
    """SELECT b.id, s.id, x.n, x.m FROM book b LEFT JOIN shelf s ON s.id = b.pages
       CROSS JOIN LATERAL (SELECT COUNT(*) AS n, MAX(c.pages) AS m FROM book c
       WHERE c.shelf_id = s.id OR c.pages = b.pages) x""",
    """SELECT s.id, x.* FROM shelf s LEFT JOIN LATERAL (SELECT b.id, b.title FROM book b WHERE b.pages >= s.height
       ORDER BY b.pages DESC NULLS LAST, b.id LIMIT 2 OFFSET 1) x ON x.title <> 'a'""",
    """SELECT s.id, x.pages, x.n FROM shelf s, LATERAL (SELECT b.pages, COUNT(*) AS n FROM book b
       WHERE b.shelf_id <> s.id GROUP BY b.pages HAVING COUNT(*) > 1 ORDER BY n DESC, 1 NULLS FIRST LIMIT 2) x""",
    """SELECT s.id, x.t, y.u FROM shelf s
       CROSS JOIN LATERAL (SELECT DISTINCT b.title AS t FROM book b WHERE b.shelf_id = s.id) x
       CROSS JOIN LATERAL (SELECT COUNT(*) AS u FROM book c WHERE c.title = x.t AND c.shelf_id = s.id) y""",
    """SELECT s.id, x.title, x.n FROM shelf s CROSS JOIN LATERAL
       (SELECT b.title, ROW_NUMBER() OVER (ORDER BY b.id) AS n FROM book b WHERE b.shelf_id = s.id) x WHERE x.n <= 2""",
    """SELECT s.id, (SELECT SUM(x.n) FROM book b CROSS JOIN LATERAL (SELECT COUNT(*) AS n FROM book c
       WHERE c.shelf_id = s.id AND c.id <= b.id) x WHERE b.shelf_id = s.id) FROM shelf s""",
]
ONLY_DUCKDB = [
    "SELECT shelf_id, MEDIAN(pages), MEDIAN(price) FROM book GROUP BY shelf_id",
    "SELECT shelf_id, QUANTILE_CONT(price, 0.3), QUANTILE_DISC(pages, 0.3) FROM book GROUP BY shelf_id",
    "SELECT id, MEDIAN(price) OVER (PARTITION BY shelf_id) FROM book",
    "SELECT GROUP_CONCAT(title ORDER BY id), LISTAGG(title, '' ORDER BY id DESC) FROM book",
    "SELECT * EXCLUDE (pages) FROM book",
    "SELECT b.* REPLACE (pages + 1 AS pages), s.* EXCLUDE (id) FROM book b JOIN shelf s ON s.id = b.shelf_id",
]


_OPEN = re.compile(r"STRING_AGG\([\w.]+, ','\)")
"""Joins texts as the rows come."""


def own(dialect: str) -> list[str]:
    """The queries of the case file in a dialect."""
    known = [group for groups in CASES.values() for name, group in groups.items() if name in {"equal", "different"}]
    found = [sql for group in known for case in group if case[0] == dialect for sql in case[1:]]
    return [sql for sql in found if not _OPEN.search(sql)]


def contents(seed: int) -> Mapping[str, Sequence[Row]]:
    """Small tables with NULLs, repeated values and, in the first, no rows."""
    draw = Random(seed)
    count = 0 if not seed else draw.choice((1, 3, 6))
    days = [date(2024, 1, day).isoformat() for day in (1, 2, 3)]
    shelves = [(place, draw.choice("ab"), draw.choice((None, 1, 3, 5))) for place in range(1, 4)]
    books = [
        (
            place,
            draw.choice((1, 2)),
            draw.choice((None, "a", "b", "c")),
            draw.choice((None, 1.5, 2.25, 7.0)),
            draw.choice((None, *days)),
            draw.choice((None, 1, 3, 5, 8)),
        )
        for place in range(1, count + 1)
    ]
    loans = [(draw.choice(books)[0], draw.choice("ab"), draw.choice(days)) for _ in range(count // 2)]
    return {"shelf": shelves, "book": books, "loan": loans}


def inserted(rows: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    for table in ("loan", "book", "shelf"):
        yield f"DELETE FROM {table}"
    for table, each in rows.items():
        for row in each:
            cells = ("NULL" if cell is None else f"'{cell}'" if isinstance(cell, str) else str(cell) for cell in row)
            yield f"INSERT INTO {table} VALUES ({', '.join(cells)})"


def plain(rows: Sequence[Sequence[object]]) -> Counter[tuple[object, ...]]:
    return Counter(tuple(map(plain_cell, row)) for row in rows)


def plain_cell(cell: object) -> object:
    if isinstance(cell, date):
        return cell.isoformat()[:10]
    # a REAL has six digits there
    return float(f"{cell:.6g}") if isinstance(cell, int | float | Decimal) else cell


def translated(sql: str, dialect: str, rows: Mapping[str, Sequence[Row]]) -> Counter[tuple[object, ...]]:
    read = read_pair(Pair(sql_a=sql, sql_b=sql, schema=LIBRARY, dialect=dialect))
    assert isinstance(read, PairReading), (sql, read)
    tables = read.schema.tables.values()
    layouts = [Layout(name=each.name, columns=tuple((c.name, c.declared) for c in each.columns)) for each in tables]
    with closing(Sandbox(layouts, folding=read.a.folding)) as sandbox:
        sandbox.fill(rows)
        result = sandbox.run(read.a.sql)
    assert isinstance(result, Result), (sql, read.a.sql, result)
    return plain(result.rows)


@pytest.mark.parametrize("sql", [*BOTH, *ONLY_DUCKDB, *own("duckdb")])
def test_a_query_gives_the_rows_that_duckdb_gives(sql: str) -> None:
    with duckdb.connect() as connection:
        connection.execute(LIBRARY)
        for seed in range(DATABASES):
            rows = contents(seed)
            for statement in inserted(rows):
                connection.execute(statement)
            assert translated(sql, "duckdb", rows) == plain(connection.execute(sql).fetchall()), (sql, seed)


@pytest.fixture(scope="module")
def server(postgres15: URL) -> Iterator[NamedServer]:
    with named_server(postgres15) as found:
        found.ask(LIBRARY, "SELECT 1")
        yield found


@pytest.mark.slow  # many queries on a server
@pytest.mark.parametrize("seed", range(DATABASES))
def test_queries_give_the_rows_that_postgresql_gives(server: NamedServer, seed: int) -> None:
    rows = contents(seed)
    server.ask(*inserted(rows), "SELECT 1")
    for sql in [*BOTH, *own("postgres")]:
        assert translated(sql, "postgres", rows) == plain(server.ask(sql)), sql
