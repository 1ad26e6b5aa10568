"""Finds a UNION that undoes its conditions: one arm filters a table, and another takes all its rows."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from scoring.specification import Void, VoidKind
from scoring.sql.builder import SpecificationBuilder
from scoring.sql.expressions import bare
from scoring.sql.terms import Node, children
from scoring.sql.undoing import note_in

_NARROWING = ("where", "having", "qualify", "limit", "group", "distinct")


def note_whole_arm(spec: SpecificationBuilder, path: str, arms: Sequence[Node]) -> None:
    """Notes an arm that takes all rows of a table of which another arm takes some, with the same outputs."""
    filtered: set[object] = set()
    whole: dict[object, str] = {}
    for arm in arms:
        select = arm.args["this"] if type(arm) is exp.Subquery else arm
        source = _source(select)
        if source is None:
            continue
        outputs = [each.unalias() for each in children(select, "expressions")]
        key = source, tuple([hash(each) for each in (*outputs, *children(select, "joins"))])
        if not any(select.args.get(each) for each in _NARROWING):
            whole[key] = source
        elif select.args.get("where") is not None:
            filtered.add(key)
    for key in whole.keys() & filtered:
        note_in(spec, Void(kind=VoidKind.CONDITION, block=path, text=f"union with all rows of {whole[key]}"))


def _source(select: Node) -> str | None:
    """The first table that a query reads."""
    clause = select.args.get("from_") if type(select) is exp.Select else None
    table = bare(clause.args["this"]) if clause is not None else None
    return table.name.lower() if type(table) is exp.Table else None
