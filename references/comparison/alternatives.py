"""Expands a reference that stands for several queries, with `{a, b}` groups and `;` variants.

The notation is that of SQL-Eval: any non-empty choice of a group's columns is right, `{}` repeats the choice of the
group before it (in a GROUP BY), and `;` separates variants. Strings, quoted names, comments and calls are not touched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product

MOST_ALTERNATIVES = 64
"""The most queries that one reference expands to. The rest are left out, which is flagged."""

_PIECE = re.compile(
    r"""'(?:[^']|'')*'? | "(?:[^"]|"")*"? | `[^`]*`? | --[^\n]* | /\*.*?(?:\*/|$) | [;{}(),] | [A-Za-z_]\w*
      | [^;{}(),'"`\-/$A-Za-z_]+ | .""",
    re.VERBOSE | re.DOTALL,
)
_DOLLAR = re.compile(r"\$(?:[A-Za-z_]\w*)?\$")
_OPAQUE = ("'", '"', "`", "--", "/*", "$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """One query that answers the question, or some of its columns."""

    sql: str
    keep: tuple[int, ...] | None = None
    """The places of the columns that count; `None` for all."""
    distinct: bool = False
    """Rows that are equal in the columns that count are one row."""

    @property
    def text(self) -> str:
        """The query with the columns that count, for display."""
        if self.keep is None:
            return self.sql
        return f"{self.sql} -- columns {', '.join(str(each + 1) for each in self.keep)}"


@dataclass(frozen=True, slots=True)
class Expansion:
    """The queries that a reference stands for."""

    alternatives: tuple[Alternative, ...]
    capped: bool = False
    """Whether some were left out because there are too many."""


class MalformedReferenceError(ValueError):
    """The braces of a reference do not pair, or `{}` has no group before it."""


def expand(reference: str, most: int = MOST_ALTERNATIVES, *, written_out: bool = False) -> Expansion:
    """Returns every query that a reference stands for, fewest columns first within a variant.

    A choice that only projects the query with all columns becomes that query with the columns that count, unless
    `written_out` is set. Raises `MalformedReferenceError`.

    >>> [each.sql for each in expand("SELECT {id, name}, COUNT(*) FROM t GROUP BY {}").alternatives]
    ... # doctest: +NORMALIZE_WHITESPACE
    ['SELECT id, COUNT(*) FROM t GROUP BY id', 'SELECT name, COUNT(*) FROM t GROUP BY name',
     'SELECT id, name, COUNT(*) FROM t GROUP BY id, name']
    >>> [each.text for each in expand("SELECT {id, name} FROM t; SELECT ';{' FROM u").alternatives]
    ... # doctest: +NORMALIZE_WHITESPACE
    ['SELECT id, name FROM t -- columns 1', 'SELECT id, name FROM t -- columns 2',
     'SELECT id, name FROM t -- columns 1, 2', "SELECT ';{' FROM u"]
    """
    each_variant = [_alternatives(pieces, written_out=written_out) for pieces in _variants(_pieces(reference))]
    found: list[Alternative] = []
    # Every variant gets a share, so that a wide first one does not crowd out the others.
    for place, variant in enumerate(each_variant):
        room = max(1, (most - len(found)) // (len(each_variant) - place))
        found.extend(islice(variant, room))
    return Expansion(tuple(found[:most]), capped=any(next(variant, None) is not None for variant in each_variant))


def _pieces(text: str) -> list[str]:
    pieces: list[str] = []
    place = 0
    while place < len(text):
        dollar = _DOLLAR.match(text, place) if text[place] == "$" else None
        if dollar is not None:
            end = text.find(dollar.group(), dollar.end())
            stop = len(text) if end < 0 else end + len(dollar.group())
        else:
            match = _PIECE.match(text, place)
            stop = match.end() if match is not None else place + 1
        pieces.append(text[place:stop])
        place = stop
    return pieces


def _variants(pieces: Sequence[str]) -> list[list[str]]:
    variants: list[list[str]] = [[]]
    for piece in pieces:
        if piece == ";":
            variants.append([])
        else:
            variants[-1].append(piece)
    return [each for each in variants if any(_is_code(piece) for piece in each)]


def _is_code(piece: str) -> bool:
    return bool(piece.strip()) and not piece.startswith(("--", "/*"))


@dataclass(frozen=True, slots=True)
class _Group:
    items: tuple[str, ...]
    """Its columns; empty when it repeats the choice before it."""
    place: int | None
    """The place of its first column in the select list; `None` outside the select list."""


def _alternatives(pieces: Sequence[str], *, written_out: bool) -> Iterator[Alternative]:
    parts = _parts(pieces)
    groups = [part for part in parts if isinstance(part, _Group) and part.items]
    if not groups:
        yield Alternative(sql=_written(parts, ()))
        return
    only, surface = groups[0], _surface(parts)
    if not written_out and len(groups) == 1 and only.place is not None and _projects(surface, only):
        yield from _projected(parts, only, only.place, surface)
        return
    for choice in product(*(_subsets(group.items) for group in groups)):
        yield Alternative(sql=_written(parts, choice))


def _projected(
    parts: Sequence[str | _Group], group: _Group, place: int, surface: Sequence[str | _Group]
) -> Iterator[Alternative]:
    """Yields the query with all columns of its group, once for each choice of columns that count."""
    whole, width, inside = _written(parts, (group.items,)), _width(surface), range(place, place + len(group.items))
    for choice in _choices(range(len(group.items))):
        chosen = {place + each for each in choice}
        keep = tuple(each for each in range(width) if each in chosen or each not in inside)
        yield Alternative(sql=whole, keep=keep, distinct="DISTINCT" in _words(surface))


def _choices(places: range) -> Iterator[tuple[int, ...]]:
    return (choice for size in range(1, len(places) + 1) for choice in combinations(places, size))


def _subsets(items: tuple[str, ...]) -> list[tuple[str, ...]]:
    # A product needs all of them at once: past the cap the longest are left out.
    return [tuple(items[each] for each in choice) for choice in islice(_choices(range(len(items))), MOST_ALTERNATIVES)]


def _parts(pieces: Sequence[str]) -> list[str | _Group]:
    """Reads every brace group among the pieces."""
    reader = _PartReader()
    rest = iter(pieces)
    for piece in rest:
        if piece == "{":
            reader.add_group(_group_items(rest))
        elif piece == "}":
            raise MalformedReferenceError("a } has no { before it: write alternatives as {a, b}")
        else:
            reader.add(piece)
    groups = [part for part in reader.parts if isinstance(part, _Group)]
    if groups and not groups[0].items:
        raise MalformedReferenceError("{} repeats a choice, but there is no {a, b} before it")
    return reader.parts


class _PartReader:
    """Collects parts, and counts where in the select list they stand."""

    def __init__(self) -> None:
        self.parts: list[str | _Group] = []
        self._depth = 0
        self._commas = 0
        self._selecting = False
        self._seen_from = False

    def add_group(self, items: tuple[str, ...]) -> None:
        """Adds a brace group."""
        listed = self._selecting and self._depth == 0
        self.parts.append(_Group(items, self._commas if listed and items else None))
        self._commas += max(0, len(items) - 1) if listed else 0

    def add(self, piece: str) -> None:
        """Adds a piece of SQL."""
        word = piece.upper()
        self._depth += (piece == "(") - (piece == ")")
        if self._depth == 0 and word in {"SELECT", "FROM"}:
            self._selecting = word == "SELECT" and not self._seen_from
        self._seen_from = self._seen_from or word == "FROM"
        self._commas += piece == "," and self._depth == 0 and self._selecting
        self.parts.append(piece)


def _group_items(rest: Iterator[str]) -> tuple[str, ...]:
    items, depth = [""], 0
    for piece in rest:
        if piece == "{":
            raise MalformedReferenceError("a { is inside another group: groups do not nest")
        if piece == "}" and depth == 0:
            named = tuple(item.strip() for item in items)
            return tuple(item for item in named if item)
        depth += (piece == "(") - (piece == ")")
        if piece == "," and depth == 0:
            items.append("")
        else:
            items[-1] += piece
    raise MalformedReferenceError("a { is not closed: write alternatives as {a, b}")


_SET_OPERATIONS = frozenset({"UNION", "INTERSECT", "EXCEPT", "MINUS"})
_PICKS_ROWS = frozenset({"ON", "TOP"})
"""Words before the select list that pick rows: DISTINCT ON and TOP."""
_CUTS = frozenset({"LIMIT", "FETCH", "OFFSET"})


def _surface(parts: Sequence[str | _Group]) -> list[str | _Group]:
    """The parts outside brackets, strings and comments."""
    surface: list[str | _Group] = []
    depth = 0
    for part in parts:
        depth += (part == "(") - (part == ")")
        if depth == 0 and (isinstance(part, _Group) or (part.strip() and not part.startswith(_OPAQUE))):
            surface.append(part)
    return surface


def _words(surface: Sequence[str | _Group]) -> list[str]:
    return [part.upper().strip() for part in surface if isinstance(part, str)]


def _listed(surface: Sequence[str | _Group]) -> list[str | _Group]:
    """The select list, including the words before it."""
    end = next((n for n, part in enumerate(surface) if isinstance(part, str) and part.upper() == "FROM"), None)
    return list(surface[:end])


def _projects(surface: Sequence[str | _Group], group: _Group) -> bool:
    """Whether the result of each choice is a projection of the result with all columns."""
    words = _words(surface)
    if any(isinstance(part, _Group) and not part.items for part in surface):
        return False
    if any(isinstance(part, str) and "*" in part for part in _listed(surface)):
        return False
    if "GROUP" not in words and any("(" in item for item in group.items):
        return False
    if not (_SET_OPERATIONS.isdisjoint(words) and _PICKS_ROWS.isdisjoint(_words(_listed(surface)))):
        return False
    # DISTINCT applies before LIMIT, so a choice with fewer columns may keep other rows.
    return "DISTINCT" not in words or _CUTS.isdisjoint(words)


def _width(surface: Sequence[str | _Group]) -> int:
    listed = _listed(surface)
    return 1 + sum(len(part.items) - 1 if isinstance(part, _Group) else part == "," for part in listed)


def _written(parts: Sequence[str | _Group], choices: Sequence[tuple[str, ...]]) -> str:
    chosen, left = "", iter(choices)
    written: list[str] = []
    for part in parts:
        if isinstance(part, _Group) and part.items:
            chosen = ", ".join(next(left))
        written.append(chosen if isinstance(part, _Group) else part)
    return "".join(written).strip()
