"""Tries conditions on typical rows: values between the literals of the condition, none equal to one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from sqlglot import exp

from scoring.patterns import lazy
from scoring.sql.evaluation.operations import OPERATIONS
from scoring.sql.evaluation.values import OPEN, Open, Quoted, Typical, Value, applied, negated, parts_of, truth
from scoring.sql.expressions import is_quoted_text
from scoring.sql.scopes import Scope
from scoring.sql.terms import COMPARISONS, Node, as_number

_MOST_COLUMNS = 8
_LARGEST = 1e15
_MOST_NODES = 400
_DEEPEST = 40
_BUDGET = 40_000
"""Expressions that are evaluated for one text, over all its conditions."""
Key = tuple[str, str, str]
"""A column: the path of its block, the alias of its table, its name."""

_Literals = dict[Key, tuple[set[str], set[float]]]
"""Columns with the texts and numbers that they are compared with."""


class Held(NamedTuple):
    """How the arms of an OR fared that holds for every typical row."""

    always: frozenset[int]
    """Places of the arms that hold for each row."""
    failing: frozenset[int]
    """Places of those that do not."""


def holds_always(scope: Scope, arms: Sequence[tuple[Node, bool]]) -> Held | None:
    """How the arms of an OR fare if together they hold for every typical row; `None` if not, or if that is open.

    An arm is an expression, and whether it is negated.
    """
    row = _row(scope, [node for node, _ in arms])
    if row is None:
        return None
    try:
        return _tried(row, arms)
    except _TooCostly:
        return None


def meets_typically(scope: Scope, node: Node) -> bool:
    """Whether some typical row meets a condition: no value of it is one of the condition's literals."""
    row = _row(scope, [node])
    if row is None:
        return False
    try:
        return any(row.truth(node) is True for _ in row.each())
    except _TooCostly:
        return False


class _TooCostly(Exception):  # noqa: N818 - it ends a search, it is no error
    """The conditions of the text are too large to be tried."""


class _Tried:
    """A row whose columns take one of their typical values each."""

    __slots__ = ("_scope", "places", "values")

    def __init__(self, scope: Scope, values: Mapping[Key, Sequence[Typical]]) -> None:
        self._scope = scope
        self.values = values
        self.places: dict[Key, int] = dict.fromkeys(values, 0)

    def __call__(self, node: Node, /) -> Value:
        folds = self._scope.walk.folds
        folds.tried += 1
        if folds.tried > _BUDGET:
            raise _TooCostly
        kind = type(node)
        if kind in _COLUMNS:
            return self._column(node)
        operation = OPERATIONS.get(kind)
        if operation is None:
            return OPEN
        return applied(operation, folds.rules, node, [self(each) for each in parts_of(operation, node)])

    def truth(self, node: Node) -> bool | Open | None:
        """What a condition comes to."""
        return truth(self._scope.walk.folds.rules, self(node))

    def _column(self, node: Node) -> Value:
        """The value of a column, or of an aggregate in its place."""
        if is_quoted_text(self._scope, node):
            return Quoted(node.name)
        key = _key(self._scope, node)
        values = self.values.get(key)
        return OPEN if values is None else values[self.places[key] % len(values)]

    def each(self) -> Iterator[None]:
        """Gives all columns their first values, then their second ones, and so on."""
        for place in range(max(map(len, self.values.values()), default=0)):
            self.places = dict.fromkeys(self.values, place)
            yield


def _key(scope: Scope, node: Node) -> Key:
    if type(node) is not exp.Column:
        return scope.path, "", node.sql()
    item, term = scope.column(node)
    return scope.path, "" if item is None else item.alias, term.name


def _row(scope: Scope, nodes: Sequence[Node]) -> _Tried | None:
    """A row of typical values for the columns of some expressions; `None` if these are too large."""
    columns = _columns(scope, nodes)
    if not columns or len(columns) > _MOST_COLUMNS:
        return None
    values = {key: typical_values(*literals) for key, literals in columns.items()}
    return _Tried(
        scope,
        {key: [each._replace(column=number) for each in found] for number, (key, found) in enumerate(values.items())},
    )


def _columns(scope: Scope, nodes: Sequence[Node]) -> _Literals:
    """The columns of some expressions with what they are compared with; none if these are too large."""
    columns: _Literals = {}
    waiting = [(node, 0) for node in nodes]
    for count in range(_MOST_NODES + 1):
        if not waiting:
            break
        node, depth = waiting.pop()
        if count == _MOST_NODES or depth > _DEEPEST:
            return {}
        if type(node) in _COLUMNS:
            columns.setdefault(_key(scope, node), (set(), set()))
        elif not isinstance(node, exp.Query):
            if type(node) in _COMPARING:
                _collect(scope, node, columns)
            waiting += [(each, depth + 1) for each in node.iter_expressions()]
    return columns


def _collect(scope: Scope, node: Node, columns: _Literals) -> None:
    """Adds the literals of a comparison to each of its columns."""
    literals: list[Node] = []
    keys: list[Key] = []
    waiting = [node]
    for _ in range(_MOST_NODES):
        if not waiting:
            break
        part = waiting.pop()
        if type(part) is exp.Literal:
            literals.append(part)
        elif type(part) in _COLUMNS:
            keys.append(_key(scope, part))
        elif not isinstance(part, exp.Query):
            waiting += part.iter_expressions()
    for key in keys:
        texts, numbers = columns.setdefault(key, (set(), set()))
        for each in literals:
            if each.args["is_string"]:
                texts.add(each.name.strip("%_ "))
            elif (number := as_number(each.name)) is not None and abs(number.value) < _LARGEST:
                numbers.add(number.value)


def _tried(row: _Tried, arms: Sequence[tuple[Node, bool]]) -> Held | None:
    always, failing = set(range(len(arms))), set[int]()
    for _ in row.each():
        if not _is_kept(row, arms, always, failing):
            return None
    for key, values in row.values.items():
        best = _BUDGET
        chosen = 0
        for place in range(len(values)):
            row.places[key] = place
            if not (kept := _is_kept(row, arms, always, failing)):
                return None
            if kept < best:
                best, chosen = kept, place
        row.places[key] = chosen
    return Held(frozenset(always), frozenset(failing))


def _is_kept(row: _Tried, arms: Sequence[tuple[Node, bool]], always: set[int], failing: set[int]) -> int:
    """How many arms hold for the row."""
    found: list[bool | Open | None] = [
        negated(row.truth(node)) if negative else row.truth(node) for node, negative in arms
    ]
    held = {place for place, each in enumerate(found) if each is True}
    always &= held
    failing |= {place for place, each in enumerate(found) if each is False}
    return len(held)


_COLUMNS = frozenset({exp.Column, exp.Count, exp.Sum, exp.Avg})
"""What a row gives a value."""
_COMPARING = COMPARISONS | {
    exp.Between, exp.In, exp.Like, exp.ILike, exp.Glob, exp.RegexpLike, exp.RegexpILike, exp.SimilarTo, exp.StartsWith,
    exp.EndsWith, exp.Contains,
}  # fmt: skip


_WORDS = tuple([f"{letter.upper()}uqvx" for letter in "bcdefghijklmnopqrstuvwxy"])
"""Texts in order. Hardly any text of a table comes before the first or after the last."""
_DATES = tuple([f"{year}-05-17" for year in range(1990, 2025, 2)])
_DATE = lazy(r"\d{4}(?:-\d\d?){0,2}\b")
_LEAST, _MOST = 1.0, 100_000.0
"""Numbers that are not larger, or not smaller, are rare: a bound there leaves out nearly no row."""
_NARROW = 0.01
"""Literals that are nearer, for their size, leave no value between them; nor do two whole numbers in a row."""
_PLAIN = (43.0, 812.0)
_FEW = 6


def typical_values(texts: Iterable[str], numbers: Iterable[float]) -> tuple[Typical, ...]:
    """Values of a column that is compared with these literals.

    >>> [each.text for each in typical_values(["Lisbon", "M"], [])]
    ['Guqvx', 'Luqvx', 'Suqvx']
    >>> [each.number for each in typical_values([], [500])]
    [250.0, 251.0, 1041.0, 1042.0]
    """
    words, sizes = _words(sorted({each.casefold() for each in texts})), _sizes(sorted(set(numbers)))
    count = min(_FEW, max(len(words), len(sizes)))
    return tuple([Typical(words[place % len(words)], sizes[place % len(sizes)]) for place in range(count)])


def _words(literals: Sequence[str]) -> list[str]:
    """One word for each gap between the literals that has any."""
    pool = _DATES if literals and all(map(_DATE.match, literals)) else _WORDS
    edges = ["", *literals, "\uffff"]
    found: list[str] = []
    for low, high in pairwise(edges):
        gap = [each for each in pool if low < each.casefold() < high]
        if gap:
            found.append(gap[len(gap) // 2])
    return found or [pool[0]]


def _sizes(literals: Sequence[float]) -> list[float]:
    """Two whole numbers for each gap between the literals that has any; even and odd ones."""
    if not literals:
        return list(_PLAIN)
    found: list[float] = []
    if literals[0] > _LEAST:
        found += _whole(literals[0] / 2)
    for low, high in pairwise(literals):
        if high - low > 1:
            found += _whole((low + high) / 2)
        elif high - low < 1 and high - low > _NARROW * max(abs(low), abs(high)):
            found.append((low + high) / 2)
    if literals[-1] < _MOST:
        found += _whole(max(2 * literals[-1], 0) + 41)
    return found or list(_PLAIN)


def _whole(size: float) -> list[float]:
    return [float(int(size)), float(int(size) + 1)]
