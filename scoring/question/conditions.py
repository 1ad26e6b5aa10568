"""The pseudo-SQL of definitions: its conditions, columns and functions, found without a grammar."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from scoring.question.stored import AGGREGATES, CERTAIN, Condition, Left, Part, folded, like, listed, merged, ranged
from scoring.specification import NEGATION, Column, Op, QuestionFilter, Source
from scoring.values import TimeRange

_TOKEN = re.compile(
    r"""
      (?=\S)(?:  # at a space none is tried
      (?P<plain>[a-z_][\w$]*(?:\.(?:[\w$]+|`[^`]{1,100}`))*)
    | (?P<text>'(?:[^']|'(?=\w)){0,400}'|"[^"]{0,400}"(?!\s*[=<>!])|“[^”]{0,400}”|‘[^’]{0,400}’)
    | (?P<hyphened>[A-Z]+-[A-Z]+(?![\w(]))
    | (?P<name>`[^`]{1,100}`|"[^"]{1,100}"|[^\W\d][\w$]*(?:\.(?:[\w$]+|`[^`]{1,100}`))*)
    | (?P<number>\d+(?:,\d{3}(?!\d))*(?:\.\d+)?(?!\w|\.\d))
    | (?P<op><\s?=|>\s?=|!\s?=|<>|==|[=<>≥≤≠])
    | (?P<mark>[-+*/%(),])
    )
    """,
    re.VERBOSE,
)
_OPS = {
    "=": Op.EQ, "==": Op.EQ, "<": Op.LT, ">": Op.GT, "<=": Op.LE, ">=": Op.GE, "≤": Op.LE, "≥": Op.GE,
    "!=": Op.NE, "<>": Op.NE, "≠": Op.NE,
}  # fmt: skip
_FLIPPED = {Op.LT: Op.GT, Op.GT: Op.LT, Op.LE: Op.GE, Op.GE: Op.LE}
_FUNCTIONS = AGGREGATES | {
    "divide": "DIVIDE", "multiply": "MULTIPLY", "subtract": "SUBTRACT", "substract": "SUBTRACT", "year": "YEAR",
    "month": "MONTH", "day": "DAY", "strftime": "STRFTIME", "substr": "SUBSTR", "substring": "SUBSTR", "date": "DATE",
    "distinct": "DISTINCT", "round": "ROUND", "cast": "CAST", "length": "LENGTH", "lower": "LOWER", "upper": "UPPER",
}  # fmt: skip
_NOW = frozenset({"current_timestamp", "current_date", "now", "getdate", "curdate", "sysdate", "today"})
_PROSE = frozenset({"table", "value", "values", "column", "database", "data"})
"""Words before `is 'x'` in prose that name no column."""
_NEGATORS = frozenset({"not", "except", "excluding", "exclude"})
_ARITHMETIC = {"/": "DIVIDE", "*": "MULTIPLY", "-": "SUBTRACT"}
_KEYWORDS = frozenset(
    "and or not is null between like in where when then else case end select from as the a of to by desc asc "
    "with group "
    "order limit refers means both except for from if on that which are be has have it its at an than".split()
)


class Formula(NamedTuple):
    """What a definition says."""

    filters: tuple[QuestionFilter, ...]
    columns: tuple[str, ...]
    functions: tuple[str, ...]


def read_formula(text: str, offset: int = 0) -> Formula:
    """The conditions, columns and functions of pseudo-SQL; what is no SQL is passed over.

    >>> formula = read_formula("MAX(cost) where kind = 'x' and year(due) = 2012")
    >>> [(each.lhs.name, each.op.value, str(each.rhs)) for each in formula.filters if each.lhs]
    [('kind', '=', "'x'"), ('due', 'within', '[2012-01-01, 2013-01-01)')]
    >>> formula.columns, formula.functions
    (('cost', 'kind', 'due'), ('MAX', 'YEAR'))
    """
    parts = _parts(text)
    found: list[Condition] = []
    after = 0
    for place, part in enumerate(parts):
        if place >= after and (part.kind == "op" or part.lower in _OPERATORS):
            conditions, after = _condition_at(parts, place)
            found += conditions
    joined_by_or = len(found) > 1 and any(part.lower == "or" for part in parts)
    filters = tuple(_filter(each, text, offset) for each in merged(found, joined_by_or=joined_by_or))
    return Formula(filters, _columns(parts), _functions(parts))


def _parts(text: str) -> list[Part]:
    found: list[Part] = []
    for match in _TOKEN.finditer(text):
        kind, said, start = match.lastgroup or "", match[0], match.start()
        found.append(_new(Part, (_KINDS.get(kind, kind), said, said.lower(), start, start + len(said))))
    return found


# The named tuple's own constructor takes twice as long; typeshed leaves what `tuple.__new__` takes open.
_new: Callable[[type[Part], tuple[object, ...]], Part] = tuple.__new__  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


_KINDS = {"plain": "name", "hyphened": "name"}
"""Forms of a name: the commonest is looked for first, with hyphens before without."""


_OPERATORS = frozenset({"between", "in", "like", "is"})


def _filter(condition: Condition, text: str, offset: int) -> QuestionFilter:
    return QuestionFilter(
        lhs=condition.left.operand,
        op=condition.op,
        rhs=condition.rhs,
        source=Source.DEFINITION,
        span=text[condition.start : condition.end],
        start=offset + condition.start,
        certain=condition.certain,
    )


def _condition_at(parts: list[Part], place: int) -> tuple[list[Condition], int]:
    """The conditions whose operator stands at `place`, and the place after them."""
    part = parts[place]
    if part.kind == "op":
        return _comparison(parts, place)
    if part.kind != "name":
        return [], place + 1
    word = part.lower
    negated = _word(parts, place - 1) == "not"
    if word == "between":
        return _between(parts, place, negated=negated)
    if word == "in" and _text(parts, place + 1) == "(":
        return _members(parts, place, negated=negated)
    if word == "like":
        return _like(parts, place, negated=negated)
    if word == "is":
        return _null(parts, place)
    return [], place + 1


def _word(parts: list[Part], place: int) -> str:
    return parts[place].lower if 0 <= place < len(parts) else ""


def _text(parts: list[Part], place: int) -> str:
    return parts[place].text if 0 <= place < len(parts) else ""


def _comparison(parts: list[Part], place: int) -> tuple[list[Condition], int]:
    op = _OPS[parts[place].text.replace(" ", "")]
    right, end = _literal(parts, place + 1)
    if right is None:
        return _bare_word(parts, place, op) if op in (Op.EQ, Op.NE) else _flipped(parts, place, op)
    left = _left(parts, place)
    if left is None:
        return [], end
    if left.negated:
        op = NEGATION[op]
    return [Condition.of(left, op, right, parts[end - 1].end)], end


def _flipped(parts: list[Part], place: int, op: Op) -> tuple[list[Condition], int]:
    """`3.5 < x`: the column is on the right."""
    value = parts[place - 1] if place and parts[place - 1].kind in ("number", "text") else None
    right = parts[place + 1] if place + 1 < len(parts) and parts[place + 1].kind == "name" else None
    if value is None or right is None or right.lower in _KEYWORDS or _text(parts, place + 2) == "(":
        return [], place + 1
    left = Left(_column(right.text), "", "", value.start)
    return [Condition.of(left, _FLIPPED.get(op, op), value, right.end)], place + 1


def _bare_word(parts: list[Part], place: int, op: Op) -> tuple[list[Condition], int]:
    """`colour = Blue`: an unquoted value, when the condition is all there is."""
    left, right = _left(parts, place), parts[place + 1] if place + 1 < len(parts) else None
    if left is None or right is None:
        return [], place + 1
    if left.negated:
        op = NEGATION[op]
    if right.lower == "null":
        return [
            Condition(left, Op.IS_NULL if op is Op.EQ else Op.NOT_NULL, None, left.start, right.end, CERTAIN)
        ], place + 2
    closes = place + 2 >= len(parts) or _word(parts, place + 2) in ("and", "or", ")")
    if right.kind in ("name", "mark") and closes and right.text not in "()," and not _looks_like_column(right.text):
        condition = Condition.of(left, op, right, right.end)
        return [Condition(left, condition.op, condition.rhs, left.start, right.end, 0.5)], place + 2
    return [], place + 1


_COLUMN_MARK = re.compile(r"[_.`$\d]|[a-z][A-Z]|[A-Z]-")


def _looks_like_column(name: str) -> bool:
    return _COLUMN_MARK.search(name) is not None or name.lower() in _FUNCTIONS


def _literal(parts: list[Part], place: int) -> tuple[Part | None, int]:
    """A quoted text or a number, a sign allowed; a number that is part of arithmetic is none."""
    if place >= len(parts):
        return None, place
    part = parts[place]
    if part.kind == "text":
        return part, place + 1
    if part.text == "-" and _kind(parts, place + 1) == "number":
        number = parts[place + 1]
        return Part("number", "-" + number.text, "-" + number.lower, part.start, number.end), place + 2
    if part.kind == "number" and _text(parts, place + 1) not in _ARITHMETIC:
        return part, place + 1
    return None, place + 1


def _kind(parts: list[Part], place: int) -> str:
    return parts[place].kind if 0 <= place < len(parts) else ""


def _left(parts: list[Part], place: int) -> Left | None:
    """The column or call that ends right before `place`, and whether NOT stands before it."""
    at = place - 1
    while _word(parts, at) in ("not", "is", "was", "are"):
        at -= 1
    if at < 0:
        return None
    if parts[at].text == ")":
        return _call(parts, at)
    if parts[at].kind == "text" and parts[at].text[0] == '"':
        return Left(_column(parts[at].text), "", "", parts[at].start)
    if parts[at].kind != "name" or parts[at].lower in _KEYWORDS:
        return None
    negated = _word(parts, at - 1) in _NEGATORS
    return Left(_column(parts[at].text), "", "", parts[at].start, negated=negated)


def _call(parts: list[Part], close: int) -> Left | None:
    """`year(d)`, `strftime('%Y', d)`, `COUNT(x)` ending at the bracket `close`."""
    depth, at = 0, close
    while at >= 0 and close - at < 40:
        depth += {")": 1, "(": -1}.get(parts[at].text, 0)
        if depth == 0:
            break
        at -= 1
    if at <= 0 or depth or parts[at - 1].kind != "name":
        return None
    inner = parts[at + 1 : close]
    skipped = _KEYWORDS | _FUNCTIONS.keys() | _NOW
    names = [each for each in inner if each.kind == "name" and each.lower not in skipped]
    func = parts[at - 1].lower
    literals = ",".join(each.text.strip("'\"") for each in inner if each.kind in ("text", "number"))
    distinct = any(each.lower == "distinct" for each in inner)
    column = _column(names[0].text) if names else Column(name="*")
    if func not in _FUNCTIONS or (not names and func not in AGGREGATES):
        return None
    return Left(column, func, literals, parts[at - 1].start, distinct=distinct)


def _column(name: str) -> Column:
    if name.isidentifier():
        return Column(name=name.lower())
    pieces = [piece.strip('`"') for piece in name.split(".")] if "`" not in name or "." in name else [name.strip('`"')]
    table = pieces[-2].lower() if len(pieces) > 1 and not _ALIAS.fullmatch(pieces[-2]) else None
    return Column(name=pieces[-1].lower(), table=table)


_ALIAS = re.compile(r"[Tt]\d{1,2}|[a-zA-Z]")


def _between(parts: list[Part], place: int, *, negated: bool) -> tuple[list[Condition], int]:
    left = _left(parts, place)
    low, at = _literal(parts, place + 1)
    if left is None or low is None or _word(parts, at) not in ("and", "to"):
        return [], place + 1
    high, end = _literal(parts, at + 1)
    if high is None:
        return [], end
    return ranged(left, low, high, high.end, negated=negated), end


def _members(parts: list[Part], place: int, *, negated: bool) -> tuple[list[Condition], int]:
    left, at = _left(parts, place), place + 2
    members: list[Part] = []
    while at < len(parts) and parts[at].text != ")":
        literal, after = _literal(parts, at)
        if literal is not None:
            members.append(literal)
        at = max(after, at + 1)
    if left is None or not members:
        return [], at + 1
    condition = listed(left, members, parts[min(at, len(parts) - 1)].end)
    op = NEGATION[condition.op] if negated else condition.op
    return [Condition(left, op, condition.rhs, condition.start, condition.end, CERTAIN)], at + 1


def _like(parts: list[Part], place: int, *, negated: bool) -> tuple[list[Condition], int]:
    left, (pattern, end) = _left(parts, place), _literal(parts, place + 1)
    if left is None or pattern is None:
        return [], place + 1
    exact = f"'{pattern.bare.strip('%')}'"
    dated = folded(left, Part("text", exact, exact.lower(), pattern.start, pattern.end))
    if isinstance(dated, TimeRange):
        return [Condition(left, Op.NOT_WITHIN if negated else Op.WITHIN, dated, left.start, pattern.end)], end
    op, rhs = like(pattern.text.strip("'\"“”‘’"))
    return [Condition(left, NEGATION[op] if negated else op, rhs, left.start, pattern.end, CERTAIN)], end


def _null(parts: list[Part], place: int) -> tuple[list[Condition], int]:
    negated = _word(parts, place + 1) == "not"
    at = place + 1 + negated
    left = _left(parts, place)
    if left is not None and _kind(parts, at) == "text" and left.column.name not in _PROSE:
        return [Condition.of(left, Op.NE if negated else Op.EQ, parts[at], parts[at].end)], at + 1
    if left is None or _word(parts, at) != "null":
        return [], place + 1
    op = Op.NOT_NULL if negated else Op.IS_NULL
    return [Condition(left, op, None, left.start, parts[at].end, CERTAIN)], at + 1


def _columns(parts: list[Part]) -> tuple[str, ...]:
    """The names that can only be columns: by their form, by their place in a formula, or where nothing else is said."""
    listed = _is_list(parts)
    found: dict[str, None] = {}
    for place, part in enumerate(parts):
        if part.kind == "name":
            if part.lower in _NO_COLUMNS or (part.lower in _FUNCTIONS and _is_call(parts, place)):
                continue
            if not (listed or _marked(part) or _in_formula(parts, place)):
                continue
        elif part.kind != "text" or part.text[0] != '"' or _kind(parts, place + 1) != "op":
            continue
        found[part.lower if part.text.isidentifier() else _column(part.text).name] = None
    return tuple(found)


def _marked(part: Part) -> bool:
    text = part.text
    return not (text == part.lower and text.isalpha()) and _COLUMN_MARK.search(text) is not None


_EXTREMES = frozenset({"max", "min", "avg"})
_NO_COLUMNS = _KEYWORDS | _NOW
_JOINTS = frozenset({",", "and", "or"})


def _is_list(parts: list[Part]) -> bool:
    """Whether names alone are said, one by one: `city, county and state`."""
    after_joint = True
    for place, part in enumerate(parts):
        joint = place > 0 and part.lower in _JOINTS
        if not joint and not (after_joint and part.kind == "name"):
            return False
        after_joint = part.lower in _JOINTS
    return True


def _is_call(parts: list[Part], place: int) -> bool:
    return _text(parts, place + 1) == "(" or parts[place].lower in _EXTREMES


def _in_formula(parts: list[Part], place: int) -> bool:
    """Whether a name is computed with, compared, sorted by, or an argument of a call."""
    after = parts[place + 1] if place + 1 < len(parts) else None
    if after is not None and (after.kind == "op" or after.text in _SIGNS or _compares(parts, place + 1)):
        return True
    before = parts[place - 1] if place else None
    if before is None:
        return after is not None and after.lower in _AFTER_COLUMNS
    if before.kind == "op" or before.text in _SIGNS or before.lower in _BEFORE_COLUMNS:
        return True
    if before.lower in _EXTREMES or (before.text.isupper() and before.lower in _FUNCTIONS):
        return True
    if after is not None and after.lower in _CALLED_COLUMN and parts[place].text[0].isupper():
        return True
    return before.lower == "of" and _word(parts, place - 2) in AGGREGATES


def _compares(parts: list[Part], place: int) -> bool:
    """Whether a word is an operator there: `in (`, `is null`, not the `in` and `is` of prose."""
    word, after = parts[place].lower, _word(parts, place + 1)
    if word == "not":
        return after in _OPERATORS or after == "null"
    if word == "is":
        return after in ("null", "not") or (_kind(parts, place + 1) == "text" and _word(parts, place - 1) not in _PROSE)
    return word in ("between", "like") or (word == "in" and after == "(")


_AFTER_COLUMNS = frozenset({"where", "from", "contains", "include", "includes"})
"""Words after the column that a formula begins with."""
_CALLED_COLUMN = frozenset({"column", "field", "value"})
_SIGNS = frozenset("+-*/%()")
_BEFORE_COLUMNS = frozenset({"by", "then", "else", "select", "distinct"})


def _functions(parts: list[Part]) -> tuple[str, ...]:
    """Functions called and arithmetic done, in order, once each."""
    found: dict[str, None] = {}
    for place, part in enumerate(parts):
        if part.kind == "name" and part.lower in _FUNCTIONS and _text(parts, place + 1) == "(":
            found[_FUNCTIONS[part.lower]] = None
        elif part.text in _ARITHMETIC and place and _computes(parts[place - 1]) and place + 1 < len(parts):
            found[_ARITHMETIC[part.text]] = None
    return tuple(found)


def _computes(before: Part) -> bool:
    return before.kind in ("name", "number") or before.text == ")"
