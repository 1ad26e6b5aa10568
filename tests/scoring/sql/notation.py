"""A specification as short lines that an analyst can read and write in the case files."""

from __future__ import annotations

from scoring.specification import Limit, Operand, SqlSpec


def operand(it: Operand) -> str:
    return it.name


def limit(it: Limit) -> str:
    said = f"{'ranked ' if it.ranked else ''}{'?' if it.count is None else it.count}"
    said += f" offset {it.offset}" if it.offset else ""
    said += f" per {', '.join(map(operand, it.partition))}" if it.partition else ""
    return f"{said} @{it.block}"


def notation(spec: SqlSpec) -> dict[str, object]:
    """Every part of the specification that is not empty, one short text for each entry."""
    said: dict[str, object] = {
        "projections": [
            operand(each.operand)
            + (f" as {each.alias}" if each.alias else "")
            + (" literal" if each.literal else "")
            + (" conditional" if each.conditional else "")
            + "".join(f" [{block}]" for block in each.subqueries)
            + f" @{each.block}"
            for each in spec.projections
        ],
        "aggregations": [
            f"{each.func} {'distinct ' if each.distinct else ''}{each.column}"
            + (" windowed" if each.windowed else "")
            + (" conditional" if each.conditional else "")
            + f" @{each.block}"
            for each in spec.aggregations
        ],
        "filters": [
            each.text + (f" |{each.alternative}" if each.alternative else "") + f" @{each.block} {each.clause.value}"
            for each in spec.filters
        ],
        "group_by": [f"{operand(each.operand)} @{each.block}" for each in spec.group_by],
        "order_by": [
            f"{operand(each.operand)} {'desc' if each.descending else 'asc'} @{each.block}" for each in spec.order_by
        ],
        "limits": [limit(each) for each in spec.limits],
        "joins": [
            f"{each.kind} {each.table}"
            + "".join(f" {a.table}.{a.name} = {b.table}.{b.name}" for a, b in each.pairs)
            + f" @{each.block}"
            for each in spec.joins
        ],
        "set_operations": [f"{each.left} {each.kind} {each.right}" for each in spec.set_operations],
        "subqueries": [
            f"{each.role.value} {each.block}"
            + (f" key {each.key.name}" if each.key else "")
            + (" correlated" if each.correlated else "")
            for each in spec.subqueries
        ],
        "windows": [
            each.func
            + (f" partition by {', '.join(map(operand, each.partition_by))}" if each.partition_by else "")
            + (
                " order by "
                + ", ".join(f"{operand(key.operand)} {'desc' if key.descending else 'asc'}" for key in each.order_by)
                if each.order_by
                else ""
            )
            + f" @{each.block}"
            for each in spec.windows
        ],
        "ctes": list(spec.ctes),
        "divisions": [
            f"{each.numerator} / {each.denominator}"
            + (" real" if each.real else "")
            + (" hundred" if each.hundred else "")
            + f" @{each.block}"
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
