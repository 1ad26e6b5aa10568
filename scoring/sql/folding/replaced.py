"""Folds calls that replace, repeat or fill a text, where nothing is left of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType

from sqlglot import exp

from scoring.patterns import lazy
from scoring.sql.folded import Folded, fixed, identical, unknown
from scoring.sql.folding.truths import Fold
from scoring.sql.terms import Node, function_name

_WHOLE = lazy(r"(?:\(\?[ims]+\))?\^?\(?(?:\.|\[\\s\\S\]|\[\^\])(?:[*+]|\{[01],\})\)?\??\$?")
"""Regular expressions that match a whole text."""


def replaced(_: Fold, node: Node, parts: Sequence[Folded]) -> Folded:
    """REPLACE and TRANSLATE: a text replaced in itself."""
    subject, old, new = parts if len(parts) > 2 else [*parts, fixed("")]
    if identical(subject, old) and (type(node) is exp.Replace or new.value == ""):
        return new
    return unknown(function_name(node), parts)


def _translated(fold: Fold, node: Node) -> Folded:
    parts = [fixed("") if node.args.get(each) is None else fold(node.args[each]) for each in ("this", "from_", "to")]
    return fixed(None) if any(each.is_null for each in parts) else replaced(fold, node, parts)


def replaced_by_pattern(fold: Fold, node: Node) -> Folded:
    """REGEXP_REPLACE: a pattern that matches the whole text leaves the replacement."""
    subject, pattern = fold(node.args["this"]), fold(node.args["expression"])
    new = fixed("") if node.args.get("replacement") is None else fold(node.args["replacement"])
    raw, kept = pattern.value, new.value
    whole = pattern.constant and isinstance(raw, str) and _WHOLE.fullmatch(raw) is not None
    if whole and (not new.constant or (isinstance(kept, str) and "\\" not in kept and "$" not in kept)):
        return new
    return unknown(function_name(node), (subject, pattern, new))


def filled(fold: Fold, node: Node) -> Folded:
    """REPEAT, LPAD and RPAD: nothing is left of a text that is repeated 0 times, or cut to no length."""
    subject = fold(node.args["this"])
    count = fold(node.args["times" if type(node) is exp.Repeat else "expression"])
    if subject.is_null or count.is_null:
        return fixed(None)
    if isinstance(count.value, int) and count.value <= 0:
        return fixed("")
    return unknown(f"{function_name(node)} {type(node).__name__} {node.args.get('is_left')}", (subject, count))


READERS: MappingProxyType[type[Node], Callable[[Fold, Node], Folded]] = MappingProxyType(
    {
        exp.Translate: _translated,
        exp.RegexpReplace: replaced_by_pattern,
        exp.Repeat: filled,
        exp.Pad: filled,
    }
)
"""Readers of these calls."""
