"""No value that is stated of an expression contradicts SQLite, DuckDB or PostgreSQL, run on the same expression."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import pytest
import sqlglot
from sqlalchemy import URL
from sqlglot import exp

from scoring.sql.blocks import read_query
from scoring.sql.builder import SpecificationBuilder
from scoring.sql.evaluation.operations import OPERATIONS
from scoring.sql.evaluation.rules import DialectRules, rules_of
from scoring.sql.evaluation.values import OPEN, Open, Value, applied, parts_of
from scoring.sql.folding.folder import fold
from scoring.sql.from_clause import read_from
from scoring.sql.from_items import CteScope
from scoring.sql.reader import READERS
from scoring.sql.scopes import BlockPlace, Scope, Walk
from scoring.sql.subqueries import read_subquery
from tests.scoring.sql.engines import Ask, agrees, answers, duckdb_engine, has_no_value, postgres_engine, sqlite_engine
from tests.scoring.sql.value_grammar import Grammar

pytestmark = pytest.mark.campaign

DRAWN, FEWER = 7000, 1500
"""Expressions of each dialect, and how many of them `make test` tries."""
SEED = 1
LEAST_STATED, LEAST_STATED_OF_NONE = 1 / 2, 23 / 70
"""Shares of them with a value that is stated, if the dialect is known and if not: the evaluator does not give up."""


class Asked(NamedTuple):
    """What an engine makes of the expressions of its dialect."""

    dialect: str
    results: list[tuple[str, exp.Expr, list[Any] | None]]
    """Each expression, parsed, with its value in each row; `None` if the engine refuses it."""


def scope_of(select: exp.Expr, rules: DialectRules) -> Scope:
    walk = Walk(
        SpecificationBuilder(rules.name),
        rules,
        lenient=False,
        readers=READERS,
        read_query=read_query,
        read_subquery=read_subquery,
    )
    scope = Scope(walk, BlockPlace(path="main", outer=None, ctes=CteScope(), is_output=True))
    read_from(scope, select)
    return scope


def evaluated(rules: DialectRules, node: exp.Expr) -> Value:
    """What an expression comes to without any row."""
    operation = OPERATIONS.get(type(node))
    return (
        OPEN
        if operation is None
        else applied(operation, rules, node, [evaluated(rules, each) for each in parts_of(operation, node)])
    )


def stated(select: exp.Expr, rules: DialectRules) -> Iterator[Any]:
    """The values that are stated of the one output: by the evaluator alone, and by folding, which knows columns."""
    node = select.args["expressions"][0]
    value, folded = evaluated(rules, node), fold(scope_of(select, rules), node)
    if not isinstance(value, Open):
        yield value
    if folded.constant:
        yield folded.value


def is_held(value: Any, found: list[Any], *, reads: bool) -> bool:
    """Whether a stated value is that of all rows; of columns, it is stated for the rows that have a value."""
    return all(agrees(value, each) or (reads and value is not None and has_no_value(each)) for each in found)


def contradictions(asked: Asked, rules: DialectRules) -> tuple[int, list[str]]:
    """How many expressions have a stated value, and those that the engine contradicts."""
    count, wrong = 0, list[str]()
    for expression, select, found in asked.results:
        values = list(stated(select, rules))
        count += bool(values)
        reads = select.find(exp.Column) is not None
        wrong += [
            f"{expression} is {value!r} here and {found} in {asked.dialect}"
            for value in values
            if found is not None and not is_held(value, found, reads=reads)
        ]
    return count, wrong


ENGINES = ("sqlite", "duckdb", "postgres")
MANY = [pytest.param((each, DRAWN), id=f"{each}-{DRAWN}", marks=pytest.mark.slow) for each in ENGINES]


@pytest.fixture(scope="module", params=[*(pytest.param((each, FEWER), id=each) for each in ENGINES), *MANY])
def asked(request: pytest.FixtureRequest) -> Asked:
    """What the engine of a dialect makes of the expressions that are drawn for it."""
    dialect, drawn = request.param
    opened: AbstractContextManager[Ask]
    if dialect == "postgres":
        url: URL = request.getfixturevalue("postgres_url")
        opened = postgres_engine(url.set(drivername="postgresql").render_as_string(hide_password=False))
    else:
        opened = sqlite_engine() if dialect == "sqlite" else duckdb_engine()
    grammar = Grammar(dialect, SEED)
    expressions = [grammar.draw() for _ in range(drawn)]
    parsed = [sqlglot.parse_one(f"SELECT {each} FROM t", read=dialect) for each in expressions]
    with opened as ask:
        return Asked(dialect, list(zip(expressions, parsed, answers(ask, expressions), strict=True)))


def test_no_stated_value_contradicts_the_engine(asked: Asked) -> None:
    count, wrong = contradictions(asked, rules_of(asked.dialect))
    assert not wrong
    assert count > LEAST_STATED * len(asked.results)


def test_what_is_stated_without_a_dialect_holds_in_each(asked: Asked) -> None:
    count, wrong = contradictions(asked, rules_of(None))
    assert not wrong
    assert count > LEAST_STATED_OF_NONE * len(asked.results)


@pytest.mark.parametrize(
    ("condition", "sqlite", "postgres", "unnamed"),
    [
        ("1 / 2 = 0", True, True, None),
        ("ROUND(2.5) = 3", True, True, True),
        ("'10' < '9'", True, True, True),
        ("10 < '9'", True, False, None),
        ("1 = '1'", False, True, None),
        ("0.1 + 0.2 = 0.3", False, True, None),
        ("'A' LIKE 'a'", True, False, None),
        ("'a' = 'A'", False, False, None),
        ("'a' < 'B'", False, None, None),
        ("CAST(2.5 AS INTEGER) = 2", True, False, None),
        ("CAST('2024-01-05' AS DATE) = '2024-01-05'", None, True, None),
        ("NOT (NULL = 1)", None, None, None),
        ("'true' IS TRUE", False, True, None),
        ("CAST(20240105 AS REAL) = 20240104", False, None, None),
    ],
)
def test_a_condition_is_as_the_dialect_has_it(
    condition: str, sqlite: bool | None, postgres: bool | None, unnamed: bool | None
) -> None:
    for name, expected in (("sqlite", sqlite), ("postgres", postgres), (None, unnamed)):
        value = evaluated(rules_of(name), sqlglot.parse_one(condition, read=name or "sqlite"))
        assert (value if isinstance(value, bool) else None) is expected, name


@pytest.mark.parametrize(
    "condition",
    [
        "UPPER(w) COLLATE NOCASE <> 'ab'",
        "(DATE('2024-1-5') BETWEEN FALSE AND DATE('2024-02-29')) IS NULL",
        "(DATE('2024-1-5') > DATE('2024-1-5')) IS NULL",
        "(n > 5) IS NULL",
        "(NOT n > n) IS NOT NULL",
    ],
)
def test_nothing_is_stated_where_a_value_may_be_null_or_equal_by_collation(condition: str) -> None:
    select = sqlglot.parse_one(f"SELECT {condition} FROM t", read="sqlite")
    rules = rules_of("sqlite")
    assert not fold(scope_of(select, rules), select.args["expressions"][0]).constant
