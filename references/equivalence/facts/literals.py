"""Values to try because of a comparison: some that meet the condition, and some that just miss it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

from references.sandbox import Value

Literal = int | float | str


class Operator(StrEnum):
    EQUAL = "="
    UNEQUAL = "<>"
    ABOVE = ">"
    BELOW = "<"
    LIKE = "LIKE"


class Form(StrEnum):
    """The part of a column that is compared."""

    WHOLE = "whole"
    DATE_PART = "date part"
    PIECE = "piece"
    """A substring that begins at `start`."""
    LENGTH = "length"
    JOINED = "joined"
    """Texts that are joined."""
    MIXED = "mixed"
    """A computation with the column."""
    COUNT = "count"
    PATH = "path"
    """A step into JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """Values to try for a column."""

    inside: tuple[Value, ...]
    """Values that probably meet the condition."""
    beside: tuple[Value, ...]
    """Values that just miss it."""


_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_SECONDS_OF_DAY = re.compile(r"\d{5}(?:\.\d+)?")
"""A number that may be the seconds of a time of day, from 02:46:40 on: with fewer digits it may be a year."""
_DAY_SECONDS = 86_400
_CLOCK = re.compile(r"(\d\d):\d\d:\d\d")
_MONTH = re.compile(r"(\d{4})-(\d\d)$")
_YEAR = re.compile(r"[12]\d{3}$")
_SMALL = re.compile(r"\d{1,3}$")
_FURTHEST = 200
"""The largest `start` of a substring."""
_LONGEST_JOIN = 8
"""Places at which a text is cut that was joined of others."""
NONE = Values(inside=(), beside=())


def values_for(
    form: Form, operator: Operator, literal: Literal, *, start: int = 1, between: tuple[str, ...] = ()
) -> Values:
    """Returns values to try for a column whose `form` is compared with a literal; joined texts have others between.

    >>> values_for(Form.WHOLE, Operator.ABOVE, 10).inside
    (11,)
    >>> values_for(Form.DATE_PART, Operator.EQUAL, "1995").inside[0]
    '1995-06-15'
    """
    if form is Form.COUNT:
        return NONE
    if form is Form.DATE_PART:
        return _dates_with(literal)
    if form is Form.PIECE:
        return _placed(str(literal), start, operator)
    if form is Form.LENGTH:
        return _long(literal)
    if form is Form.JOINED:
        return _pieces(str(literal), between)
    if operator is Operator.LIKE:
        return _like(str(literal))
    if isinstance(literal, str):
        return _texts(literal, operator)
    return _mixed(literal) if form is Form.MIXED else _numbers(literal, operator)


def _numbers(literal: float, operator: Operator) -> Values:
    above, below = literal + 1, literal - 1
    if operator is Operator.ABOVE:
        return Values(inside=(above,), beside=(literal, below))
    if operator is Operator.BELOW:
        return Values(inside=(below,), beside=(literal, above))
    if operator is Operator.UNEQUAL:
        return Values(inside=(above, below), beside=(literal,))
    return Values(inside=(literal,), beside=(above, below))


def _mixed(literal: float) -> Values:
    around = (literal + 1, literal, literal - 1, 2 * literal + 1, -literal)
    return Values(inside=(*around, 1), beside=(0, 2))


def _texts(literal: str, operator: Operator) -> Values:
    day = _day(literal)
    if day is not None:
        return _days(literal, day, operator)
    number = _number(literal)
    if number is not None and operator in {Operator.ABOVE, Operator.BELOW}:
        found = _numbers(number, operator)
        return Values(inside=tuple(map(str, found.inside)), beside=tuple(map(str, (*found.beside, number))))
    if operator is Operator.ABOVE:
        return Values(inside=(f"{literal}z",), beside=(literal,))
    if operator is Operator.BELOW:
        return Values(inside=(literal[:-1],), beside=(literal,))
    if operator is Operator.UNEQUAL:
        return Values(inside=(f"{literal}z",), beside=(literal,))
    return Values(inside=(literal,), beside=(f"{literal}z",))


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _day(text: str) -> date | None:
    found = _DATE.match(text)
    try:
        return date(*map(int, found.groups())) if found else None
    except ValueError:
        return None


def _days(literal: str, day: date, operator: Operator) -> Values:
    rest = literal[10:]
    before, after = (f"{_shifted(day, step).isoformat()}{rest}" for step in (-1, 1))
    inside = {Operator.ABOVE: after, Operator.BELOW: before, Operator.UNEQUAL: after}.get(operator, literal)
    edges = tuple(f"{day.year}-{edge}" for edge in ("01-01", "12-31"))
    timed = () if rest else (f"{literal} 10:30:00",)
    return Values(inside=(inside,), beside=(literal, before, after, *timed, *edges))


def _shifted(day: date, days: int) -> date:
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return day


def _dates_with(literal: Literal) -> Values:
    """Dates of which a part (year, month, day of the month, whole date) equals the literal."""
    text = f"{literal:g}" if isinstance(literal, float) else str(literal)
    if _DATE.match(text):
        return _texts(text, Operator.EQUAL)
    text = _time_of_day(text)
    if found := _CLOCK.fullmatch(text):
        hours = (int(found[1]) + each for each in (0, -1, 1))
        near = (f"2020-06-15 {each % 24:02d}:{rest}" for each in hours for rest in ("59:59", "00:00"))
        return Values(inside=(f"2020-06-15 {text}",), beside=tuple(near))
    if month := _MONTH.match(text):
        head = month.group()
        return Values(inside=(f"{head}-15",), beside=(f"{head}-01", f"{int(head[:4]) + 1}{head[4:]}-15", f"{head}-28"))
    if _YEAR.match(text):
        return _years(int(text))
    if _SMALL.match(text):
        number = int(text)
        return Values(inside=tuple(_parts(number)), beside=tuple(_ages(number)))
    return Values(inside=("2020-06-15",), beside=("2021-03-10",))


def _time_of_day(text: str) -> str:
    """A number of seconds since midnight as a time of day; another text stays."""
    if not _SECONDS_OF_DAY.fullmatch(text) or int(text[:5]) >= _DAY_SECONDS:
        return text
    minutes, second = divmod(int(text[:5]), 60)
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{second:02d}"


def _years(year: int) -> Values:
    inside = (f"{year}-06-15", f"{year}-01-01", f"{year}-12-31")
    return Values(inside=inside, beside=(f"{year + 1}-01-01", f"{year - 1}-12-31", f"{year + 1}-06-15"))


def _parts(number: int) -> Iterator[str]:
    """Days of that month, of that day of the month, so many years ago, and so many days and months from each other."""
    if 1 <= number <= 12:
        yield f"2020-{number:02d}-15"
    if 1 <= number <= 28:
        yield f"2020-06-{number:02d}"
    elif 29 <= number <= 31:
        yield from (f"2020-{month}-{number}" for month in ("03", "12", "01"))
    yield f"{2024 - number - 1}-03-10"
    for days in (0, number - 1, number, number + 1):
        yield (date(2020, 6, 15) + timedelta(days=days)).isoformat()
    yield f"{2020 + (number + 5) // 12}-{(number + 5) % 12 + 1:02d}-15"


def _ages(number: int) -> Iterator[str]:
    """Birthdays around an age at the frozen time of queries."""
    yield f"{2024 - number}-03-10"
    yield f"{2024 - number}-12-20"
    yield f"{2024 - number + 1}-03-10"


def _placed(literal: str, start: int, operator: Operator) -> Values:
    """Texts that contain the literal, or the numbers next to it, where the substring begins."""
    found = _at(literal, start)
    near = tuple(_at(each, start)[0] for each in _neighbours(literal))
    if operator in {Operator.ABOVE, Operator.BELOW, Operator.UNEQUAL}:
        return Values(inside=(*near, *found[:1]), beside=found)
    return Values(inside=found, beside=(*near, f"z{literal}"))


def _at(literal: str, start: int) -> tuple[str, ...]:
    """Texts whose characters from `start` on are the literal; a negative `start` counts from the end."""
    if start < 0:
        return (f"zz{literal}", literal)
    ahead = "z" * (min(max(start, 1), _FURTHEST) - 1)
    dated = tuple(_completed(literal)) if start == 1 else _inner(literal, start)
    return (*dated, f"{ahead}{literal}", f"{ahead}{literal}z")


def _neighbours(literal: str) -> Iterator[str]:
    number = _number(literal)
    if number:
        yield f"{number + 1:0{len(literal)}d}"
        yield f"{number - 1:0{len(literal)}d}"


def _inner(literal: str, start: int) -> tuple[str, ...]:
    """ISO dates, with or without dashes, that contain the literal as month or day."""
    literal = literal.zfill(2)
    if len(literal) != 2 or not literal.isdigit():
        return ()
    heads = {6: ("2020-", "-15"), 9: ("2020-06-", ""), 5: ("2020", "")}
    head = heads.get(start)
    return (f"{head[0]}{literal}{head[1]}",) if head else ()


def _completed(literal: str) -> Iterator[str]:
    """Dates that begin with the literal."""
    if _DATE.match(literal):
        yield literal
    elif _MONTH.match(literal):
        yield f"{literal}-15"
    elif _YEAR.match(literal):
        yield f"{literal}-06-15"


def _long(literal: Literal) -> Values:
    size = int(literal) if isinstance(literal, int | float) and 0 <= literal < 200 else 3
    return Values(inside=("z" * size, "z" * (size + 1)), beside=("z" * max(size - 1, 0),))


def _like(pattern: str) -> Values:
    """Texts that match a LIKE pattern, and texts that nearly do."""
    core = pattern.replace("%", "").replace("_", "b")
    padded = pattern.replace("%", "z").replace("_", "c")
    dated = tuple(_completed(core.rstrip("-")))
    return Values(inside=(*dated, core, padded), beside=(f"z{core}", f"{core}z", core[:-1]))


def swapped(values: Iterable[Value]) -> tuple[Value, ...]:
    """Returns the texts in the opposite letter case."""
    return tuple(each.swapcase() for each in values if isinstance(each, str) and each.swapcase() != each)


def _pieces(text: str, between: tuple[str, ...]) -> Values:
    """What may have been joined to a text, with the texts that are written between.

    >>> _pieces("Ann Lee", (" ",)).inside, _pieces("AFR", ()).inside
    (('Ann', 'Lee'), ('A', 'FR', 'AF', 'R'))
    """
    known = [each for each in between if each]
    if known:
        cut = re.split("|".join(map(re.escape, known)) + "|[%_]+", text)
    else:
        cut = [piece for place in range(1, min(len(text), _LONGEST_JOIN)) for piece in (text[:place], text[place:])]
    return Values(inside=tuple(dict.fromkeys(each for each in cut if each)), beside=())
