"""Reads the conditions of a formula: comparisons, BETWEEN, IN, LIKE and IS NULL."""

from __future__ import annotations

from scoring.question.definitions.identifiers import looks_like_column
from scoring.question.definitions.left_sides import Left, column_named, left_before
from scoring.question.definitions.parts import KEYWORDS, PROSE, Part, kind_at, literal_at, text_at, word_at
from scoring.question.definitions.stored import CERTAIN, Condition, folded, like, listed, ranged
from scoring.specification import NEGATION, Op
from scoring.values import TimeRange

_OPS = {
    "=": Op.EQ, "==": Op.EQ, "<": Op.LT, ">": Op.GT, "<=": Op.LE, ">=": Op.GE, "≤": Op.LE, "≥": Op.GE,
    "!=": Op.NE, "<>": Op.NE, "≠": Op.NE,
}  # fmt: skip
_FLIPPED = {Op.LT: Op.GT, Op.GT: Op.LT, Op.LE: Op.GE, Op.GE: Op.LE}


def conditions_at(parts: list[Part], place: int) -> tuple[list[Condition], int]:
    """The conditions of the operator at `place`, and the place after them."""
    part = parts[place]
    if part.kind == "op":
        return _comparison(parts, place)
    if part.kind != "name":
        return [], place + 1
    word = part.lower
    negated = word_at(parts, place - 1) == "not"
    if word == "between":
        return _between(parts, place, negated=negated)
    if word == "in" and text_at(parts, place + 1) == "(":
        return _members(parts, place, negated=negated)
    if word == "like":
        return _like(parts, place, negated=negated)
    if word == "is":
        return _null(parts, place)
    return [], place + 1


def _comparison(parts: list[Part], place: int) -> tuple[list[Condition], int]:
    op = _OPS[parts[place].text.replace(" ", "")]
    right, end = literal_at(parts, place + 1)
    if right is None:
        return _bare_word(parts, place, op) if op in (Op.EQ, Op.NE) else _flipped(parts, place, op)
    left = left_before(parts, place)
    if left is None:
        return [], end
    if left.negated:
        op = NEGATION[op]
    return [Condition.of(left, op, right, parts[end - 1].end)], end


def _flipped(parts: list[Part], place: int, op: Op) -> tuple[list[Condition], int]:
    """`3.5 < x`: the column is on the right."""
    value = parts[place - 1] if place and parts[place - 1].kind in ("number", "text") else None
    right = parts[place + 1] if place + 1 < len(parts) and parts[place + 1].kind == "name" else None
    if value is None or right is None or right.lower in KEYWORDS or text_at(parts, place + 2) == "(":
        return [], place + 1
    left = Left(column_named(right.text), "", "", value.start)
    return [Condition.of(left, _FLIPPED.get(op, op), value, right.end)], place + 1


def _bare_word(parts: list[Part], place: int, op: Op) -> tuple[list[Condition], int]:
    """`colour = Blue`: an unquoted value, if nothing but a further condition follows."""
    left, right = left_before(parts, place), parts[place + 1] if place + 1 < len(parts) else None
    if left is None or right is None:
        return [], place + 1
    if left.negated:
        op = NEGATION[op]
    if right.lower == "null":
        return [
            Condition(left, Op.IS_NULL if op is Op.EQ else Op.NOT_NULL, None, left.start, right.end, CERTAIN)
        ], place + 2
    closes = place + 2 >= len(parts) or word_at(parts, place + 2) in ("and", "or", ")")
    if right.kind in ("name", "mark") and closes and right.text not in "()," and not looks_like_column(right.text):
        condition = Condition.of(left, op, right, right.end)
        return [Condition(left, condition.op, condition.rhs, left.start, right.end, 0.5)], place + 2
    return [], place + 1


def _between(parts: list[Part], place: int, *, negated: bool) -> tuple[list[Condition], int]:
    left = left_before(parts, place)
    low, at = literal_at(parts, place + 1)
    if left is None or low is None or word_at(parts, at) not in ("and", "to"):
        return [], place + 1
    high, end = literal_at(parts, at + 1)
    if high is None:
        return [], end
    return ranged(left, low, high, high.end, negated=negated), end


def _members(parts: list[Part], place: int, *, negated: bool) -> tuple[list[Condition], int]:
    left, at = left_before(parts, place), place + 2
    members: list[Part] = []
    while at < len(parts) and parts[at].text != ")":
        literal, after = literal_at(parts, at)
        if literal is not None:
            members.append(literal)
        at = max(after, at + 1)
    if left is None or not members:
        return [], at + 1
    condition = listed(left, members, parts[min(at, len(parts) - 1)].end)
    op = NEGATION[condition.op] if negated else condition.op
    return [Condition(left, op, condition.rhs, condition.start, condition.end, CERTAIN)], at + 1


def _like(parts: list[Part], place: int, *, negated: bool) -> tuple[list[Condition], int]:
    left, (pattern, end) = left_before(parts, place), literal_at(parts, place + 1)
    if left is None or pattern is None:
        return [], place + 1
    exact = f"'{pattern.bare.strip('%')}'"
    dated = folded(left, Part("text", exact, exact.lower(), pattern.start, pattern.end))
    if isinstance(dated, TimeRange):
        return [Condition(left, Op.NOT_WITHIN if negated else Op.WITHIN, dated, left.start, pattern.end)], end
    op, rhs = like(pattern.text.strip("'\"“”‘’"))
    return [Condition(left, NEGATION[op] if negated else op, rhs, left.start, pattern.end, CERTAIN)], end


def _null(parts: list[Part], place: int) -> tuple[list[Condition], int]:
    negated = word_at(parts, place + 1) == "not"
    at = place + 1 + negated
    left = left_before(parts, place)
    if left is not None and kind_at(parts, at) == "text" and left.column.name not in PROSE:
        return [Condition.of(left, Op.NE if negated else Op.EQ, parts[at], parts[at].end)], at + 1
    if left is None or word_at(parts, at) != "null":
        return [], place + 1
    op = Op.NOT_NULL if negated else Op.IS_NULL
    return [Condition(left, op, None, left.start, parts[at].end, CERTAIN)], at + 1
