"""A specification as short lines that an analyst can read and write in the case files.

The main block and the WHERE clause go without saying: `country = 'peru'` stands in `main`'s WHERE,
`count(*) > 5 having` in its HAVING, `a = 1 @in:1` in the WHERE of `main/in:1`.
"""

from __future__ import annotations

from typing import Any

from scoring.specification import Clause, Join, Limit, Operand, Projection, SqlFilter, SqlSpec, Window


def at(block: str) -> str:
    return "" if block == "main" else f" @{block.removeprefix('main/')}"


def names(operands: tuple[Operand, ...]) -> str:
    return ", ".join(each.name for each in operands)


def filter_line(it: SqlFilter) -> str:
    clause = "" if it.clause is Clause.WHERE else f" {it.clause.value}"
    return it.text + (f" |{it.alternative}" if it.alternative else "") + clause + at(it.block)


def limit_line(it: Limit) -> str:
    said = f"{'ranked ' if it.ranked else ''}{'?' if it.count is None else it.count}"
    said += f" offset {it.offset}" if it.offset else ""
    return said + (f" per {names(it.partition)}" if it.partition else "") + at(it.block)


def join_line(it: Join) -> str:
    pairs = sorted(f" {a.table}.{a.name} = {b.table}.{b.name}" for a, b in it.pairs)
    return f"{it.kind} {it.table.removeprefix('main/')}" + ",".join(pairs) + at(it.block)


def projection_line(it: Projection) -> str:
    marks = [
        f"as {it.alias}" if it.alias else "",
        "literal" if it.literal else "",
        "conditional" if it.conditional else "",
        *(f"[{block.removeprefix('main/')}]" for block in it.subqueries),
    ]
    return " ".join([it.operand.name, *filter(None, marks)]) + at(it.block)


def window_line(it: Window) -> str:
    said = f" partition by {names(it.partition_by)}" if it.partition_by else ""
    keys = ", ".join(key.operand.name + (" desc" if key.descending else "") for key in it.order_by)
    return it.func + said + (f" order by {keys}" if keys else "") + at(it.block)


def notation(spec: SqlSpec) -> dict[str, Any]:
    """Every part of the specification that is not empty, one short line for each entry."""
    said: dict[str, Any] = {
        "projections": [projection_line(each) for each in spec.projections],
        "aggregations": [
            f"{each.func} {'distinct ' if each.distinct else ''}{each.column}"
            + (" windowed" if each.windowed else "")
            + (" conditional" if each.conditional else "")
            + at(each.block)
            for each in spec.aggregations
        ],
        "filters": [filter_line(each) for each in spec.filters],
        "group_by": [each.operand.name + at(each.block) for each in spec.group_by],
        "order_by": [
            each.operand.name + (" desc" if each.descending else "") + at(each.block) for each in spec.order_by
        ],
        "limits": [limit_line(each) for each in spec.limits],
        "joins": [join_line(each) for each in spec.joins],
        "set_operations": [f"{each.left} {each.kind} {each.right}" for each in spec.set_operations],
        "subqueries": [
            f"{each.role.value} {each.block.removeprefix('main/')}"
            + (f" key {each.key.name}" if each.key else "")
            + (" correlated" if each.correlated else "")
            for each in spec.subqueries
        ],
        "windows": [window_line(each) for each in spec.windows],
        "ctes": list(spec.ctes),
        "divisions": [
            f"{each.numerator} / {each.denominator}"
            + (" real" if each.real else "")
            + (" hundred" if each.hundred else "")
            + at(each.block)
            for each in spec.divisions
        ],
        "blocks": [
            each.path
            + (f" ({', '.join(each.tables)})" if each.tables else "")
            + (" distinct" if each.distinct else "")
            + (" output" if each.output else "")
            for each in spec.blocks
        ],
        "functions": sorted(spec.functions),
        "columns": sorted(f"{each.table}.{each.name}" if each.table else each.name for each in spec.columns),
        "dialect": spec.dialect,
    }
    return {key: value for key, value in said.items() if value}
