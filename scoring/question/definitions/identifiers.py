"""The columns and functions that a formula names."""

from __future__ import annotations

from scoring.patterns import lazy
from scoring.question.definitions.left_sides import column_named
from scoring.question.definitions.parts import (
    AGGREGATES,
    ARITHMETIC,
    FUNCTIONS,
    KEYWORDS,
    NOW,
    OPERATORS,
    PROSE,
    Part,
    kind_at,
    text_at,
    word_at,
)

_COLUMN_MARK = lazy(r"[_.`$\d]|[a-z][A-Z]|[A-Z]-")


def columns_of(parts: list[Part]) -> tuple[str, ...]:
    """The names that must be columns: by their form, by their place in a formula, or in a list of names alone."""
    listed = _is_list(parts)
    found: dict[str, None] = {}
    for place, part in enumerate(parts):
        if part.kind == "name":
            named = _may_be_column(parts, place) and (listed or _marked(part) or _in_formula(parts, place))
        else:
            named = part.kind == "text" and part.text[0] == '"' and kind_at(parts, place + 1) == "op"
        if named:
            found[part.lower if part.text.isidentifier() else column_named(part.text).name] = None
    return tuple(found)


def _may_be_column(parts: list[Part], place: int) -> bool:
    word = parts[place].lower
    return word not in _NO_COLUMNS and not (word in FUNCTIONS and _is_call(parts, place))


def _marked(part: Part) -> bool:
    text = part.text
    return not (text == part.lower and text.isalpha()) and _COLUMN_MARK.search(text) is not None


_EXTREMES = frozenset({"max", "min", "avg"})

_NO_COLUMNS = KEYWORDS | NOW

_JOINTS = frozenset({",", "and", "or"})


def _is_list(parts: list[Part]) -> bool:
    """Whether the parts are a list of names only: `city, county and state`."""
    after_joint = True
    for place, part in enumerate(parts):
        joint = place > 0 and part.lower in _JOINTS
        if not joint and not (after_joint and part.kind == "name"):
            return False
        after_joint = part.lower in _JOINTS
    return True


def _is_call(parts: list[Part], place: int) -> bool:
    return text_at(parts, place + 1) == "(" or parts[place].lower in _EXTREMES


def _in_formula(parts: list[Part], place: int) -> bool:
    """Whether a name is part of arithmetic, compared, sorted by, or an argument of a call."""
    after = parts[place + 1] if place + 1 < len(parts) else None
    if after is not None and (after.kind == "op" or after.text in _SIGNS or _compares(parts, place + 1)):
        return True
    if place == 0:
        return after is not None and after.lower in _AFTER_COLUMNS
    if _precedes_column(parts[place - 1]):
        return True
    if after is not None and after.lower in _CALLED_COLUMN and parts[place].text[0].isupper():
        return True
    return parts[place - 1].lower == "of" and word_at(parts, place - 2) in AGGREGATES


def _precedes_column(part: Part) -> bool:
    """Whether what follows is a column: after an operator, an aggregate or `by`."""
    if part.kind == "op" or part.text in _SIGNS or part.lower in _BEFORE_COLUMNS or part.lower in _EXTREMES:
        return True
    return part.text.isupper() and part.lower in FUNCTIONS


def _compares(parts: list[Part], place: int) -> bool:
    """Whether a word is an operator: `in (`, `is null`, not `in` and `is` in prose."""
    word, after = parts[place].lower, word_at(parts, place + 1)
    if word == "not":
        return after in OPERATORS or after == "null"
    if word == "is":
        return after in ("null", "not") or (
            kind_at(parts, place + 1) == "text" and word_at(parts, place - 1) not in PROSE
        )
    return word in ("between", "like") or (word == "in" and after == "(")


_AFTER_COLUMNS = frozenset({"where", "from", "contains", "include", "includes"})
"""Words after a column at the start of a formula."""

_CALLED_COLUMN = frozenset({"column", "field", "value"})

_SIGNS = frozenset("+-*/%()")

_BEFORE_COLUMNS = frozenset({"by", "then", "else", "select", "distinct"})


def functions_of(parts: list[Part]) -> tuple[str, ...]:
    """Functions and arithmetic in the order of the text, without duplicates."""
    found: dict[str, None] = {}
    for place, part in enumerate(parts):
        if part.kind == "name" and part.lower in FUNCTIONS and text_at(parts, place + 1) == "(":
            found[FUNCTIONS[part.lower]] = None
        elif _is_hyphen(parts, place):
            continue
        elif part.text in ARITHMETIC and place and _is_operand(parts[place - 1]) and place + 1 < len(parts):
            found[ARITHMETIC[part.text]] = None
    return tuple(found)


def _is_hyphen(parts: list[Part], place: int) -> bool:
    """Whether a hyphen stands between the figures of a date or after a prefix: `2026-04-01`, `non-private`."""
    if parts[place].text != "-" or not 0 < place < len(parts) - 1:
        return False
    before, after = parts[place - 1], parts[place + 1]
    touching = before.end == parts[place].start and parts[place].end == after.start
    dated = before.kind == "number" and after.text[:1].isdigit()
    return touching and (dated or before.lower in _PREFIXES)


_PREFIXES = frozenset({"non", "re", "co", "pre", "post", "self", "ex", "anti", "multi", "semi", "no"})


def _is_operand(before: Part) -> bool:
    return before.kind in ("name", "number") or before.text == ")"


def looks_like_column(name: str) -> bool:
    """Whether a name has the form of a column: `unit_price`, `unitPrice`, `t.price`."""
    return _COLUMN_MARK.search(name) is not None or name.lower() in FUNCTIONS
