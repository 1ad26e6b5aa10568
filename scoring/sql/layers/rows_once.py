"""A DISTINCT that changes nothing, and row numbers that cut rows as ORDER BY with LIMIT does."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from scoring.specification import Operand, Window
from scoring.sql.layers.layer import Steps


def leave_out_distinct(spec: Steps) -> None:
    """Leaves out a DISTINCT that changes nothing: of one row of totals, or of rows that show their group's keys."""
    for number, block in enumerate(spec.blocks):
        if not block.distinct:
            continue
        path = block.path
        keys = {each.operand for each in spec.group_by if each.block == path}
        shown = [each.operand for each in spec.projections if each.block == path]
        totals = any(each.block == path and not each.windowed for each in spec.aggregations.values())
        if keys <= set(shown) if keys else _is_one_row(shown, totals=totals):
            spec.blocks[number] = replace(block, distinct=False)


def _is_one_row(shown: list[Operand], *, totals: bool) -> bool:
    return totals and bool(shown) and all(each.func is not None for each in shown)


def read_ranks(spec: Steps) -> None:
    """Reads a row number over all rows, compared with a constant, as ORDER BY with LIMIT; a rank keeps ties."""
    limits = Counter([each.block for each in spec.limits])
    ordered = {each.block for each in spec.order_by}
    for number, limit in enumerate(spec.limits):
        path = limit.block
        if not limit.ranked or limit.partition or path in ordered or limits[path] > 1:
            continue
        windows = _row_numbers(spec, path)
        if len(windows) == 1:
            spec.limits[number] = replace(limit, ranked=False)
            spec.order_by += [replace(each, block=path) for each in windows[0].order_by]
            spec.windows.remove(windows[0])


def _row_numbers(spec: Steps, path: str) -> list[Window]:
    return [each for each in spec.windows if each.block == path and each.func == "ROW_NUMBER" and each.order_by]
