"""What queries read inside values: steps into JSON, places and characters of texts, and decimals of numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from sqlglot import exp

from references.equivalence.facts.operands import literal_of
from references.sandbox import Value

Path: TypeAlias = tuple[str | int, ...]
"""Keys of objects and places in lists."""

EXTRACTS = (exp.JSONExtract, exp.JSONExtractScalar)
_LONGEST = 200
"""The longest text and the furthest place in a list that are made."""
_MOST_DOCUMENTS = 12
_MOST_DIGITS = 8
_LETTERS = "qwertyuiopasdfghjklzxcvbnm0123456789"


@dataclass(slots=True)
class Readings:
    """What queries read inside the values of one column."""

    paths: dict[Path, dict[Value, None]] = field(default_factory=dict[Path, dict[Value, None]])
    """Steps into JSON, each with what is compared with it."""
    numeric: set[Path] = field(default_factory=set[Path])
    """Steps whose values are numbers."""
    pieces: dict[str, None] = field(default_factory=dict[str, None])
    """Texts that are looked for, replaced or trimmed."""
    length: int = 0
    """The last place that is read."""
    digits: int = 0
    """Decimals to which numbers are rounded."""

    def documents(self) -> tuple[str, ...]:
        """JSON texts that have what is read, each with other values; then without one, and without any."""
        paths = sorted(self.paths, key=lambda each: (len(each), tuple(map(str, each))))
        values = {path: self._values(path) for path in paths}
        most = max((len(each) for each in values.values()), default=0)
        whole = [
            _document({path: values[path][(turn + place) % len(values[path])] for place, path in enumerate(paths)})
            for turn in range(most)
        ]
        parts = [_document({each: values[each][0] for each in paths if each != left}) for left in paths]
        return tuple(dict.fromkeys((*whole[:_MOST_DOCUMENTS], *parts[:_MOST_DOCUMENTS], "{}")))

    def _values(self, path: Path) -> Sequence[Value]:
        numeric = path in self.numeric
        said = [each for each in self.paths[path] if each is not None]
        if numeric:
            said = [_as_number(each) for each in said]
        own: list[Value] = [7, 30, 2] if numeric else [f"{path[-1] if path else ''}{letter}" for letter in "xyz"]
        return [*dict.fromkeys((*said, *own))]

    def texts(self) -> Iterator[str]:
        """Texts that are long enough, and texts with what is looked for."""
        pieces = [each for each in self.pieces if 0 < len(each) <= _LONGEST]
        size = min(self.length, _LONGEST)
        for turn in (0, 11):
            if size:
                yield _letters(size + 2, turn)
            for each in (pieces, pieces[::-1]) if pieces else ():
                joined = "".join(f"{piece}{_letters(2, turn + 2 * place)}" for place, piece in enumerate(each))
                yield f"{joined}{_letters(max(size - len(joined), 0), turn)}"
        for piece in pieces:
            yield f"{piece}{_letters(3, 5)}{piece}{_letters(1, 9)}{piece}"

    def numbers(self) -> Iterator[float]:
        """Numbers with more decimals than any that is kept."""
        if self.digits:
            size = min(self.digits, _MOST_DIGITS) + 2
            yield from (float(f"{head}.{(tail * size)[:size]}") for head, tail in (("3", "2784"), ("12", "6182")))


def _as_number(value: Value) -> Value:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return 1


def _letters(size: int, turn: int) -> str:
    start = turn % len(_LETTERS)
    return (_LETTERS[start:] + _LETTERS * (1 + size // len(_LETTERS)))[:size]


def _document(held: Mapping[Path, Value]) -> str:
    """A JSON text with a value at each path; a longer path takes the place of its beginning.

    >>> _document({("a", "b"): 1, ("tags", 1): "x"})
    '{"a": {"b": 1}, "tags": ["item 0", "x"]}'
    """
    return json.dumps(_holding([(path, value) for path, value in held.items() if path]))


def _holding(held: Sequence[tuple[Path, Value]]) -> object:
    """The object that holds these, or the list where all steps are places in one."""
    made = {step: _held_at(step, held) for step in dict.fromkeys(path[0] for path, _ in held)}
    places = [step for step in made if isinstance(step, int)]
    if places and len(places) == len(made):
        return [made.get(place, f"item {place}") for place in range(max(places) + 1)]
    return {str(step): value for step, value in made.items() if isinstance(step, str)}


def _held_at(step: str | int, held: Sequence[tuple[Path, Value]]) -> object:
    deeper = [(path[1:], value) for path, value in held if path[0] == step and len(path) > 1]
    return _holding(deeper) if deeper else next(value for path, value in held if path == (step,))


def path_of(node: exp.Expr) -> Path | None:
    """The steps of a JSON path, also through paths around it; `None` for those that are not read.

    >>> from sqlglot import parse_one
    >>> path_of(parse_one("data -> '$.a' ->> '$.tags[1]'", dialect="sqlite"))
    ('a', 'tags', 1)
    """
    ahead: Path | None = ()
    if isinstance(node.this, EXTRACTS):
        ahead = path_of(node.this)
    path = node.args.get("expression")
    if ahead is None or not isinstance(path, exp.JSONPath):
        return None
    steps: list[str | int] = []
    for each in path.expressions:
        if (isinstance(each, exp.JSONPathKey) and isinstance(each.this, str)) or (
            isinstance(each, exp.JSONPathSubscript) and isinstance(each.this, int) and 0 <= each.this <= _LONGEST
        ):
            steps.append(each.this)
        elif not isinstance(each, exp.JSONPathRoot):
            return None
    return (*ahead, *steps)


def note(found: Readings, node: exp.Expr) -> None:
    """Notes what a call reads."""
    if isinstance(node, EXTRACTS):
        path = path_of(node)
        if path is not None and not isinstance(node.parent, EXTRACTS):
            found.paths.setdefault(path, {})
            if _is_number(node):
                found.numeric.add(path)
    elif isinstance(node, exp.Substring):
        start, length = (_whole(node.args.get(each)) for each in ("start", "length"))
        found.length = max(found.length, abs(start) + max(length, 1) - (start > 0))
    elif isinstance(node, exp.Round):
        found.digits = max(found.digits, _whole(node.args.get("decimals")))
    else:
        piece = node.args.get("substr" if isinstance(node, exp.StrPosition) else "expression")
        if isinstance(piece, exp.Literal) and piece.is_string:
            found.pieces[piece.name] = None


def _is_number(node: exp.Expr) -> bool:
    """Whether a value is computed with, or cast to a number."""
    up = node.parent
    while isinstance(up, exp.Paren | exp.Round | exp.Abs):
        up = up.parent
    if isinstance(up, exp.Cast):
        return not up.to.is_type(*exp.DataType.TEXT_TYPES)
    return isinstance(up, exp.Sum | exp.Avg | exp.Add | exp.Sub | exp.Mul | exp.Div)


def _whole(node: exp.Expr | None) -> int:
    value = literal_of(node) if node is not None else None
    return value if isinstance(value, int) else 0
