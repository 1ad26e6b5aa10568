"""Reads LIKE, GLOB, regular expressions and substring positions as equality, contains, prefix or suffix."""

from __future__ import annotations

from sqlglot import exp

from scoring.patterns import lazy
from scoring.specification import NEGATION, Op
from scoring.sql.calendar.moments import Constant, moment
from scoring.sql.calendar.ranges import prefix_time
from scoring.sql.drafts import FilterDraft
from scoring.sql.expressions import bare, is_quoted_text
from scoring.sql.scopes import Scope, read
from scoring.sql.terms import Node, Term, function_name
from scoring.values import Number, Pattern, Scalar, Text, TimeRange, text

_PLAIN = lazy(r"[\w\s\-,'/&@:#]*")
_FOLDS = frozenset({exp.Lower, exp.Upper, exp.Cast, exp.TryCast})
"""They do not change a pattern, because text is compared folded."""
_MASKS = (("%", "\ue000"), ("_", "\ue001"))
"""Private-use characters that replace escaped wildcards."""


def pattern_text(scope: Scope, node: Node) -> str | None:
    """The pattern as written if it is text, also `'%' || 'x' || '%'`; else `None`."""
    node = bare(node)
    while type(node) in _FOLDS and isinstance(node.args.get("this"), exp.Expr):
        node = bare(node.args["this"])
    if type(node) is exp.Literal:
        return str(node.args["this"])
    if is_quoted_text(scope, node):
        return node.name
    parts: list[Node] = []
    if type(node) is exp.Concat:
        parts = node.args["expressions"]
    elif type(node) is exp.DPipe:
        parts = list(node.flatten())
    if not parts or not all(type(part) is exp.Literal for part in parts):
        return None
    return "".join(str(part.args["this"]) for part in parts)


def like(term: Term, raw: str, escape: str | None, *, negated: bool) -> FilterDraft | Text | TimeRange:
    """The filter of a LIKE pattern; a plain value if the pattern has no wildcard."""
    masked = raw
    for mark, mask in _MASKS:
        masked = masked.replace((escape or "\\") + mark, mask)
    inner, open_left, open_right = masked.strip("%"), masked.startswith("%"), masked.endswith("%")
    if not inner or "%" in inner or "_" in inner:
        return FilterDraft(term.operand, Op.NOT_LIKE if negated else Op.LIKE, Pattern(text(raw).folded))
    body = inner
    for mark, mask in _MASKS:
        body = body.replace(mask, mark)
    if open_left:
        return _matched(term, text(body), open_left, open_right, negated)
    return _prefixed(term, body, negated=negated) if open_right else moment(body) or text(body)


def _prefixed(term: Term, prefix: str, *, negated: bool) -> FilterDraft:
    """`LIKE '2012-01%'` keeps a month of a date; other prefixes are text."""
    time = prefix_time(term, prefix)
    if time is not None:
        return FilterDraft(term.operand, Op.NOT_WITHIN if negated else Op.WITHIN, time)
    return _matched(term, text(prefix), False, True, negated)


def regular(term: Term, raw: str, *, negated: bool, full: bool) -> FilterDraft:
    """The filter of a regular expression; simplified if it is a plain word with or without anchors."""
    body = raw.removeprefix("(?i)")
    open_left, open_right = not (full or body.startswith("^")), not (full or body.endswith("$"))
    body = body.removeprefix("^").removesuffix("$")
    open_left, body = open_left or body.startswith(".*"), body.removeprefix(".*")
    open_right, body = open_right or body.endswith(".*"), body.removesuffix(".*")
    if not body or not _PLAIN.fullmatch(body):
        return FilterDraft(term.operand, Op.NOT_LIKE if negated else Op.LIKE, Pattern(text(raw).folded))
    return _matched(term, text(body), open_left, open_right, negated)


def containing(scope: Scope, op: Op, node: Node, value: Constant) -> FilterDraft | None:
    """Reads `INSTR(x, 'y')`: `> 0` means that x contains y, `= 0` that it does not, `= 1` that it starts with y."""
    needle = bare(node.args["substr"])
    raw = needle.name if type(needle) is exp.Literal or is_quoted_text(scope, needle) else None
    meaning = _POSITIONS.get((op, value.value)) if isinstance(value, Number) else None
    if raw is None or meaning is None:
        return None
    scope.spec.functions.add(function_name(node))
    return FilterDraft(read(scope, node.args["this"]).operand, meaning, text(raw))


def _matched(term: Term, value: Scalar, open_left: bool, open_right: bool, negated: bool) -> FilterDraft:
    op = _OPEN[open_left, open_right]
    return FilterDraft(term.operand, NEGATION[op] if negated else op, value)


_OPEN: dict[tuple[bool, bool], Op] = {
    (True, True): Op.CONTAINS,
    (False, True): Op.STARTS_WITH,
    (True, False): Op.ENDS_WITH,
    (False, False): Op.EQ,
}
_POSITIONS: dict[tuple[Op, float], Op] = {
    (Op.GT, 0): Op.CONTAINS,
    (Op.GE, 1): Op.CONTAINS,
    (Op.NE, 0): Op.CONTAINS,
    (Op.EQ, 0): Op.NOT_CONTAINS,
    (Op.LT, 1): Op.NOT_CONTAINS,
    (Op.LE, 0): Op.NOT_CONTAINS,
    (Op.EQ, 1): Op.STARTS_WITH,
}
