"""What SQL means, case by case; the cases are the YAML files of tests/cases/sql."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlglot
import yaml
from sql_notation import notation
from sqlglot import exp

from scoring.query import Unscored
from scoring.specification import SqlSpec
from scoring.sql import read_sql

CASES = [
    pytest.param(case, id=f"{path.stem}: {case['name']}")
    for path in sorted((Path(__file__).parents[2] / "cases" / "sql").glob("*.yaml"))
    for case in yaml.safe_load(path.read_text())
]
ALWAYS = ("filters", "group_by", "order_by", "limits", "set_operations", "subqueries", "windows", "ctes")
"""Parts that must be empty where a case does not name them."""
WHERE_NAMED = ("projections", "aggregations", "joins", "divisions", "blocks", "columns", "functions")
OPPOSITES: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.EQ: exp.NEQ,
    exp.NEQ: exp.EQ,
    exp.GT: exp.LTE,
    exp.GTE: exp.LT,
    exp.LT: exp.GTE,
    exp.LTE: exp.GT,
}
COMPARISONS = (*OPPOSITES, exp.Like, exp.ILike, exp.In, exp.Between)


def specification(case: dict[str, Any]) -> SqlSpec:
    spec = read_sql(case["sql"], case.get("dialect"))
    assert isinstance(spec, SqlSpec), spec
    return spec


@pytest.mark.parametrize("case", CASES)
def test_sql_has_the_specification_an_analyst_wrote(case: dict[str, Any]) -> None:
    spec = specification(case)
    said = notation(spec)
    expected = {part: case.get(part, []) for part in ALWAYS} | {
        part: case[part] for part in WHERE_NAMED if part in case
    }
    assert {part: said.get(part, []) for part in expected} == expected
    assert spec.dialect == case.get("dialect_read", spec.dialect)


def mutants(tree: exp.Expr) -> Iterator[tuple[str, exp.Expr]]:
    """Copies of a query, each with one value, column or operator of one comparison changed."""
    for place, node in enumerate(tree.walk()):
        if not isinstance(node, COMPARISONS):
            continue
        for kind in ("value", "column", "operator"):
            copy = tree.copy()
            if _change(next(each for each in _nth(copy, place)), kind):
                yield f"{kind} of {node.sql()}", copy


def _nth(tree: exp.Expr, place: int) -> Iterator[exp.Expr]:
    return (node for index, node in enumerate(tree.walk()) if index == place)


def _change(node: exp.Expr, kind: str) -> bool:
    if kind == "operator":
        opposite = OPPOSITES.get(type(node))
        node.replace(opposite(this=node.this, expression=node.expression) if opposite else exp.not_(node.copy()))
        return True
    wanted = exp.Literal if kind == "value" else exp.Column
    members = [each for each in node.iter_expressions() if isinstance(each, wanted)]
    if not members:
        return False
    if isinstance(members[-1], exp.Literal):
        changed = f"q{members[-1].name}" if members[-1].is_string else f"{members[-1].name}7"
        members[-1].replace(exp.Literal(this=changed, is_string=members[-1].is_string))
    else:
        members[-1].args["this"].set("this", f"other_{members[-1].name}")
    return True


@pytest.mark.campaign
@pytest.mark.parametrize("case", CASES)
def test_a_changed_value_column_or_operator_changes_the_specification(case: dict[str, Any]) -> None:
    spec = specification(case)
    tree = sqlglot.parse_one(case["sql"].replace("```sql", "").replace("```", ""), dialect=spec.dialect)
    plain = read_sql(tree.sql(spec.dialect), spec.dialect)
    assert isinstance(plain, SqlSpec)
    for what, mutant in mutants(tree):
        changed = read_sql(mutant.sql(spec.dialect), spec.dialect)
        assert not isinstance(changed, Unscored), (what, changed)
        assert notation(changed) != notation(plain), what
