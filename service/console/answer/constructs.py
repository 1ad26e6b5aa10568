"""Finds the nodes of a syntax tree that the entries of a stored specification were read from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from sqlglot import exp

from service.console.answer.pairs import AnswerPart, PairPart

_WORDS = re.compile(r"\w+")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_CONDITIONS = (exp.Predicate, exp.Not)


def constructs(tree: exp.Expr, pairs: Sequence[AnswerPart]) -> list[tuple[exp.Expr, int]]:
    """Nodes with the number of their pair. A pair whose construct is not found has none."""
    outer = _outer(tree)
    conditions = [_Condition(each) for each in tree.find_all(*_CONDITIONS) if _is_leaf(each)]
    taken: set[int] = set()
    return [(node, pair.number) for pair in pairs for node in _nodes(pair, tree, outer, conditions, taken)]


def _outer(tree: exp.Expr) -> exp.Select | None:
    """The first SELECT whose columns the answer shows."""
    while not isinstance(tree, exp.Select):
        inner = tree.args.get("this")
        if not isinstance(inner, exp.Expr):
            return None
        tree = inner
    return tree


def _is_leaf(node: exp.Expr) -> bool:
    """Whether the node is one condition, and no connective and no wrapper of another."""
    if isinstance(node, exp.Not):
        return not isinstance(node.this, (*_CONDITIONS, exp.Connector, exp.Paren))
    return not isinstance(node, exp.Connector | exp.SubqueryPredicate)


class _Condition:
    """A condition of the SQL, with the columns and values in it but not in its subqueries."""

    def __init__(self, node: exp.Expr) -> None:
        self.node = node
        self.columns: set[str] = set()
        self.values: set[str] = set()
        for each in node.walk(prune=lambda inner: isinstance(inner, exp.Query)):
            if isinstance(each, exp.Column):
                self.columns.add(each.name.lower())
            elif isinstance(each, exp.Literal):
                self.values |= _spellings(str(each.this))

    def fits(self, wanted: _Wanted) -> int:
        """How well a filter of the specification was read from this condition; 0 is not at all."""
        column = not self.columns.isdisjoint(wanted.words)
        value = not self.values.isdisjoint(wanted.values)
        if column and (value or not (wanted.values or self.values)):
            return 3
        if value:
            return 2
        return int(column and not (wanted.values and self.values))


class _Wanted:
    """The words and values of a filter of the specification."""

    def __init__(self, entry: Mapping[str, Any]) -> None:
        self.words = set(_WORDS.findall(str(entry.get("lhs") or entry.get("text") or "").lower()))
        self.values = set(_values(entry.get("rhs")))
        self.several = entry.get("op") in {"within", "not within"}


def _values(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for each in cast("Mapping[str, object]", value).values():
            yield from _values(each)
    elif isinstance(value, list):
        for each in cast("list[object]", value):
            yield from _values(each)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield from _spellings(str(value))


def _spellings(text: str) -> set[str]:
    """The text as it is compared: without wildcards, a number in one form, a time also as its day, month and year.

    >>> sorted(_spellings("%Oslo%")), sorted(_spellings("4.0")), sorted(_spellings("2023-05-01T00:00:00"))[:3]
    (['oslo'], ['4'], ['2023', '2023-05', '2023-05-01'])
    """
    plain = text.strip("%").strip().lower()
    if _DAY.match(plain):
        return {plain, plain[:10], plain[:7], plain[:4]}
    try:
        return {f"{float(plain):.15g}"}
    except ValueError:
        return {plain}


def _nodes(
    pair: AnswerPart, tree: exp.Expr, outer: exp.Select | None, conditions: Sequence[_Condition], taken: set[int]
) -> Iterator[exp.Expr]:
    for entry in pair.found:
        if pair.part is PairPart.FILTER:
            yield from _filter_nodes(entry, conditions, taken)
        elif pair.part is PairPart.AGGREGATION:
            yield from _aggregates(entry, tree, taken)
        elif outer is not None and pair.part is PairPart.OUTPUT:
            yield from _column(entry, outer)
        elif outer is not None:
            yield from _keys(entry, outer)


def _filter_nodes(entry: Mapping[str, Any], conditions: Sequence[_Condition], taken: set[int]) -> Iterator[exp.Expr]:
    """The best condition; for a range of time, every condition that fits as well, since it may have two bounds."""
    wanted = _Wanted(entry)
    scored = [((each.fits(wanted), id(each.node) not in taken), each.node) for each in conditions]
    best = max((score for score, _ in scored), default=(0, False))
    if best[0] < 1:
        return
    fitting = [node for score, node in scored if score == best]
    for node in fitting if wanted.several else fitting[:1]:
        taken.add(id(node))
        yield node


def _aggregates(entry: Mapping[str, Any], tree: exp.Expr, taken: set[int]) -> Iterator[exp.Expr]:
    function = str(entry.get("func") or "").lower()
    words = set(_WORDS.findall(str(entry.get("col") or "").lower()))
    for node in tree.find_all(exp.AggFunc):
        columns = {each.name.lower() for each in node.find_all(exp.Column)}
        same = not words or not columns or not columns.isdisjoint(words)
        if id(node) not in taken and node.key.replace("_", "") == function.replace("_", "") and same:
            taken.add(id(node))
            yield node
            return


def _column(entry: Mapping[str, Any], outer: exp.Select) -> Iterator[exp.Expr]:
    place, shown = entry.get("place"), outer.expressions
    if isinstance(place, int) and entry.get("of") == len(shown):
        yield shown[place]


def _keys(entry: Mapping[str, Any], outer: exp.Select) -> Iterator[exp.Expr]:
    """A key of GROUP BY or ORDER BY, or the number of LIMIT."""
    if "count" in entry:
        limit = outer.args.get("limit")
        counted = limit.args.get("expression") or limit.args.get("count") if isinstance(limit, exp.Expr) else None
        if isinstance(counted, exp.Expr):
            yield counted
        return
    clause = outer.args.get("order" if "descending" in entry else "group")
    words = set(_WORDS.findall(str(entry.get("operand") or "").lower()))
    for key in clause.expressions if isinstance(clause, exp.Expr) else ():
        columns = {each.name.lower() for each in key.find_all(exp.Column)}
        if columns and not columns.isdisjoint(words):
            yield key
            return
