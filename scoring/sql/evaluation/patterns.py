"""Matches texts with patterns of LIKE, GLOB and regular expressions, as far as all matchers agree."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from types import MappingProxyType

from sqlglot import exp

from scoring.sql.evaluation.rules import DialectRules
from scoring.sql.evaluation.values import LONGEST, OPEN, Open, Operation, Typical, Value, as_text
from scoring.sql.terms import Node

_SHORT, _LONG = 24, 60
"""Characters of the longest text and of the longest regular expression that are compared."""
_MOST_QUANTIFIERS = 3
_REPEATED_GROUP = re.compile(r"\)[*+?{]")
"""With a choice or a repetition inside, the ways to match a text may double with each letter."""
_SHARED = re.compile(r"[\w .*+?^$|()]*", re.ASCII)
"""Regular expressions that all dialects read alike."""
_SIMPLE = re.compile(r"[\w %]*", re.ASCII)
_SEARCHING = frozenset({"postgres", "mysql", "bigquery", "redshift", "presto", "trino"})
"""Dialects whose regular expressions may match any part of a text."""


def _cased(
    rules: DialectRules, subject: Value, match: Callable[[str, str], bool], text: str, pattern: str
) -> bool | Open:
    """What a match comes to; it is open if that depends on case and the dialect does not say whether case matters."""
    folded = match(text.casefold(), pattern.casefold())
    if isinstance(subject, Typical):
        return folded
    exact = match(text, pattern)
    if exact is folded:
        return exact
    if rules.sensitive is None or not (text + pattern).isascii():
        return OPEN
    return exact if rules.sensitive else folded


def _like(rules: DialectRules, node: Node, values: Sequence[Value]) -> Value:
    subject, pattern = values
    text, kind = as_text(rules, subject), type(node)
    if text is None or not isinstance(pattern, str) or "\\" in pattern or len(text) * len(pattern) > LONGEST:
        return OPEN
    if kind is exp.Glob:
        if set("[%_") & set(pattern):
            return OPEN
        pattern = pattern.replace("*", "%").replace("?", "_")
    elif "[" in pattern and rules.sensitive is not True and not rules.storage:
        return OPEN  # classes of T-SQL
    cases = rules._replace(sensitive=kind is exp.Glob) if kind is not exp.Like else rules
    found = _cased(cases, subject, _matches, text, pattern)
    return found if isinstance(found, Open) else found is not bool(node.args.get("negate"))


def _matches(text: str, pattern: str) -> bool:
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


def _regular(rules: DialectRules, node: Node, values: Sequence[Value]) -> Value:
    subject, pattern = values
    text, kind, typical = as_text(rules, subject), type(node), isinstance(subject, Typical)
    if text is None or not isinstance(pattern, str) or _is_costly(pattern, text):
        return OPEN
    if not typical and not _is_shared(rules, kind, text, pattern):
        return OPEN
    if kind is exp.SimilarTo:
        pattern = pattern.replace("%", ".*").replace("_", ".")
    try:
        compiled = re.compile(pattern, re.IGNORECASE if typical or kind is exp.RegexpILike else 0)
    except (re.error, OverflowError):
        return OPEN
    whole = kind in (exp.SimilarTo, exp.RegexpFullMatch) or bool(node.args.get("full_match"))
    return (compiled.fullmatch(text) if whole else compiled.search(text)) is not None


def _is_shared(rules: DialectRules, kind: type[Node], text: str, pattern: str) -> bool:
    """Whether the dialect reads a regular expression as Python does."""
    if kind is exp.SimilarTo:
        return rules.name == "postgres" and text.isascii() and _SIMPLE.fullmatch(pattern) is not None
    return rules.name in _SEARCHING and text.isascii() and _SHARED.fullmatch(pattern) is not None


def _is_costly(pattern: str, text: str) -> bool:
    """Whether the search might go back often; `[[` begins a class that Python does not know."""
    if len(pattern) > _LONG or len(text) > _SHORT or "[[" in pattern:
        return True
    quantifiers = sum(map(pattern.count, "*+{?"))
    nested = _REPEATED_GROUP.search(pattern) is not None and (quantifiers > 1 or "|" in pattern)
    return nested or quantifiers > _MOST_QUANTIFIERS


def _affix(rules: DialectRules, node: Node, values: Sequence[Value]) -> Value:
    """STARTS_WITH, ENDS_WITH and CONTAINS."""
    text, part = as_text(rules, values[0]), as_text(rules, values[1])
    return OPEN if text is None or part is None else _cased(rules, values[0], _AFFIXES[type(node)], text, part)


_AFFIXES: MappingProxyType[type[Node], Callable[[str, str], bool]] = MappingProxyType(
    {exp.StartsWith: str.startswith, exp.EndsWith: str.endswith, exp.Contains: lambda text, part: part in text}
)
REGULAR = frozenset({exp.RegexpLike, exp.RegexpILike, exp.RegexpFullMatch})
"""Regular expressions."""
OPERATIONS: MappingProxyType[type[Node], Operation] = MappingProxyType(
    dict.fromkeys(_AFFIXES, Operation(_affix, ("this", "expression")))
    | dict.fromkeys((exp.Like, exp.ILike, exp.Glob), Operation(_like, ("this", "expression")))
    | dict.fromkeys((*REGULAR, exp.SimilarTo), Operation(_regular, ("this", "expression")))
)
"""Patterns."""
