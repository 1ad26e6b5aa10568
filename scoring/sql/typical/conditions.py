"""Evaluates conditions for one row: comparisons, lists, patterns and connectives."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from sqlglot import exp

from scoring.sql.expressions import bare
from scoring.sql.terms import COMPARISONS, Node, children
from scoring.sql.typical.row import OPEN, Open, Reader, Row, Value, as_text, compare, negated, truth


def _compared(row: Row, node: Node) -> Value:
    right = bare(node.args["expression"])
    if type(right) in (exp.Any, exp.All):
        return OPEN
    return compare(type(node), row(node.args["this"]), row(right))


def _between(row: Row, node: Node) -> Value:
    key = row(node.args["this"])
    ends = [compare(exp.GTE, key, row(node.args["low"])), compare(exp.LTE, key, row(node.args["high"]))]
    return _joined(ends, conjunction=True)


def _in(row: Row, node: Node) -> Value:
    members: list[Node] = children(node, "expressions")
    if not members or any(isinstance(bare(each), exp.Query) for each in members):
        return OPEN
    key = row(node.args["this"])
    return _joined([compare(exp.EQ, key, row(each)) for each in members], conjunction=False)


def _joined(parts: Sequence[bool | Open | None], *, conjunction: bool) -> bool | Open | None:
    if (not conjunction) in parts:
        return not conjunction
    if OPEN in parts:
        return OPEN
    return None if None in parts else conjunction


def _and(row: Row, node: Node) -> Value:
    parts = [truth(row(node.args["this"])), truth(row(node.args["expression"]))]
    return _joined(parts, conjunction=type(node) is exp.And)


def _xor(row: Row, node: Node) -> Value:
    one, other = truth(row(node.args["this"])), truth(row(node.args["expression"]))
    if isinstance(one, bool) and isinstance(other, bool):
        return one is not other
    return OPEN if OPEN in (one, other) else None


def _is(row: Row, node: Node) -> Value:
    inner, right = row(node.args["this"]), bare(node.args["expression"])
    negative = bool(node.args.get("negate"))
    if type(right) is exp.Not:
        negative, right = not negative, bare(right.args["this"])
    if isinstance(inner, Open):
        return OPEN
    if type(right) is exp.Null:
        return (inner is None) is not negative
    if type(right) is not exp.Boolean:
        return OPEN
    return (truth(inner) is bool(right.args["this"])) is not negative


def _like(row: Row, node: Node) -> Value:
    text, pattern = as_text(row(node.args["this"])), row(node.args["expression"])
    if text is None or not isinstance(pattern, str):
        return OPEN
    if type(node) is exp.Glob:
        if "[" in pattern:
            return OPEN
        pattern = pattern.replace("*", "%").replace("?", "_")
    found = _matches(pattern.casefold(), text.casefold())
    return found is not bool(node.args.get("negate"))


def _matches(pattern: str, text: str) -> bool:
    """LIKE, in a loop that goes back to the last `%` only."""
    at, here, last, kept = 0, 0, -1, 0
    while here < len(text):
        if at < len(pattern) and pattern[at] == "%":
            last, kept, at = at, here, at + 1
        elif at < len(pattern) and pattern[at] in ("_", text[here]):
            at, here = at + 1, here + 1
        elif last >= 0:
            at, kept = last + 1, kept + 1
            here = kept
        else:
            return False
    return not pattern[at:].strip("%")


def _regular(row: Row, node: Node) -> Value:
    text, pattern = as_text(row(node.args["this"])), row(node.args["expression"])
    if text is None or not isinstance(pattern, str) or _is_costly(pattern, text):
        return OPEN
    try:
        compiled = re.compile(pattern, re.IGNORECASE)
    except (re.error, OverflowError):
        return OPEN
    whole = bool(node.args.get("full_match"))
    return (compiled.fullmatch(text) if whole else compiled.search(text)) is not None


def _is_costly(pattern: str, text: str) -> bool:
    """Whether the search might go back often; `[[` begins a class that Python does not know."""
    if len(pattern) > _LONG or len(text) > _SHORT or "[[" in pattern:
        return True
    quantifiers = sum(map(pattern.count, "*+{?"))
    nested = _REPEATED_GROUP.search(pattern) is not None and (quantifiers > 1 or "|" in pattern)
    return nested or quantifiers > _MOST_QUANTIFIERS


def _similar(row: Row, node: Node) -> Value:
    text, given = as_text(row(node.args["this"])), row(node.args["expression"])
    pattern = given.replace("%", ".*").replace("_", ".") if isinstance(given, str) else None
    if text is None or pattern is None or _is_costly(pattern, text):
        return OPEN
    try:
        found = re.fullmatch(pattern, text, re.IGNORECASE)
    except (re.error, OverflowError):
        return OPEN
    return found is not None


def _affix(row: Row, node: Node) -> Value:
    text, part = as_text(row(node.args["this"])), as_text(row(node.args["expression"]))
    if text is None or part is None:
        return OPEN
    return _AFFIXES[type(node)](text.casefold(), part.casefold())


def _not(row: Row, node: Node) -> Value:
    return negated(truth(row(node.args["this"])))


_SHORT, _LONG = 24, 60
"""Characters of the longest text and of the longest regular expression that are compared."""
_MOST_QUANTIFIERS = 3
_REPEATED_GROUP = re.compile(r"\)[*+?{]")
"""With a choice or a repetition inside, the ways to match a text may double with each letter."""
_AFFIXES: Mapping[type[Node], Callable[[str, str], bool]] = MappingProxyType(
    {exp.StartsWith: str.startswith, exp.EndsWith: str.endswith, exp.Contains: lambda text, part: part in text}
)
READERS: Mapping[type[Node], Reader] = MappingProxyType(
    dict.fromkeys(COMPARISONS, _compared)
    | dict.fromkeys(_AFFIXES, _affix)
    | dict.fromkeys((exp.And, exp.Or), _and)
    | dict.fromkeys((exp.Like, exp.ILike, exp.Glob), _like)
    | dict.fromkeys((exp.RegexpLike, exp.RegexpILike), _regular)
    | {exp.Between: _between, exp.In: _in, exp.Is: _is, exp.Not: _not, exp.Xor: _xor, exp.SimilarTo: _similar}
)
"""Readers of conditions."""
