"""T-SQL joins texts with `+`, which SQLite adds as numbers."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from references.equivalence.reading.clocks import moment

PLUS_JOINS = frozenset({"tsql", "fabric"})
"""Dialects in which `+` joins texts."""


def joined(node: exp.Expr) -> exp.Expr | None:
    """`||` for a `+` of parts among which a text is written; `None` for others.

    >>> from sqlglot import parse_one
    >>> found = joined(parse_one("first + ', ' + last", dialect="tsql"))
    >>> found.sql(dialect="sqlite") if found is not None else None
    "first + ', ' || last"
    >>> joined(parse_one("price + tax")), joined(parse_one("'2024-03-01' + 1")), joined(parse_one("'5' + pages"))
    (None, None, None)
    """
    if not isinstance(node, exp.Add):
        return None
    written = [each for each in _parts(_whole(node)) if isinstance(each, exp.Literal) and each.is_string]
    if not written or any(_counts(each.name) for each in written):
        return None
    return exp.DPipe(this=node.this.copy(), expression=node.expression.copy(), safe=True)


def ends_a_join(literal: exp.Literal) -> bool:
    """Whether a text stands where no other follows it: a blank at its end is one that comparisons ignore."""
    node: exp.Expr = literal
    while isinstance(up := node.parent, exp.DPipe | exp.Paren):
        if isinstance(up, exp.DPipe) and up.this is node:
            return False
        node = up
    return True


def _whole(node: exp.Expr) -> exp.Expr:
    up = node.parent
    return _whole(up) if isinstance(up, exp.Add | exp.DPipe | exp.Paren) else node


def _parts(node: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(node, exp.Paren):
        yield from _parts(node.this)
    elif isinstance(node, exp.Add | exp.DPipe):
        yield from _parts(node.this)
        yield from _parts(node.expression)
    else:
        yield node


def _counts(text: str) -> bool:
    """Whether a text may be read as a number or a date, to which something is added."""
    try:
        float(text)
    except ValueError:
        return moment(text) is not None
    return True
