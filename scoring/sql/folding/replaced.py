"""Folds calls that replace, repeat or fill a text, where nothing is left of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import MappingProxyType

from sqlglot import exp

from scoring.sql.folded import Folded, fixed, identical, unknown
from scoring.sql.folding.truths import Fold
from scoring.sql.terms import Node, function_name

_WHOLE = re.compile(r"(?:\(\?[ims]+\))?\^?\(?(?:\.|\[\\s\\S\]|\[\^\])(?:[*+]|\{[01],\})\)?\??\$?")
"""Regular expressions that match a whole text."""
_LONGEST = 4000


def replaced(fold: Fold, node: Node) -> Folded:
    """REPLACE and TRANSLATE: a text replaced in itself, or one that is not there."""
    names = ("this", "expression", "replacement") if type(node) is exp.Replace else ("this", "from_", "to")
    subject, old, new = (fixed("") if node.args.get(each) is None else fold(node.args[each]) for each in names)
    if any(each.is_null for each in (subject, old, new)):
        return fixed(None)
    if identical(subject, old) and (type(node) is exp.Replace or new.value == ""):
        return new
    known = _of_constants(subject, old, new) if type(node) is exp.Replace else None
    return unknown(function_name(node), (subject, old, new)) if known is None else known


def _of_constants(subject: Folded, old: Folded, new: Folded) -> Folded | None:
    """What a replacement in a constant text leaves; `None` if that depends on the row."""
    whole, part = subject.value, old.value
    if not (subject.constant and old.constant and isinstance(whole, str) and isinstance(part, str)):
        return None
    if not part or part.casefold() not in whole.casefold():
        return subject
    known = new.constant and isinstance(new.value, str) and len(whole) * len(new.value) < _LONGEST
    return fixed(whole.replace(part, str(new.value))) if known else None


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
    if isinstance(count.value, float) and count.value <= 0:
        return fixed("")
    return unknown(f"{function_name(node)} {type(node).__name__} {node.args.get('is_left')}", (subject, count))


READERS: MappingProxyType[type[Node], Callable[[Fold, Node], Folded]] = MappingProxyType(
    {
        exp.Replace: replaced,
        exp.Translate: replaced,
        exp.RegexpReplace: replaced_by_pattern,
        exp.Repeat: filled,
        exp.Pad: filled,
    }
)
"""Readers of these calls."""
