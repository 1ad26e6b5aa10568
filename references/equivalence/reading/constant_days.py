"""Days that are computed of constants alone, and so are constants themselves."""

from __future__ import annotations

from sqlglot import exp

from references.date_functions import DATE_FUNCTIONS


def compute(node: exp.Expr) -> None:
    """Writes a day that is computed of constants. One with a time of day stays what it is."""
    given = [_constant(each) for each in node.expressions]
    called = DATE_FUNCTIONS.get(node.name.lower())
    value = called[1](*given) if called is not None and None not in given else None
    if isinstance(value, str) and len(value) == len("2024-03-01"):
        node.replace(exp.Literal.string(value))


def _constant(node: exp.Expr) -> str | int | None:
    if isinstance(node, exp.Neg):
        number = _constant(node.this)
        return -number if isinstance(number, int) else None
    if not isinstance(node, exp.Literal):
        return None
    return node.name if node.is_string else int(node.name) if node.name.isdigit() else None
