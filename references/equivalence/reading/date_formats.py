"""Writes out date formats that SQLite lacks: names of days and months, and years of two digits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sqlglot import exp

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_NAMES: Mapping[str, tuple[str, Sequence[tuple[str, str]]]] = {
    "%B": ("%m", [(f"{number:02d}", name) for number, name in enumerate(_MONTHS, 1)]),
    "%b": ("%m", [(f"{number:02d}", name[:3]) for number, name in enumerate(_MONTHS, 1)]),
    "%A": ("%w", [(str(number), name) for number, name in enumerate(_DAYS)]),
    "%a": ("%w", [(str(number), name[:3]) for number, name in enumerate(_DAYS)]),
}
"""Codes of names: the code of a number, and the name of each of its values."""
_WHOLE = re.compile(r"%[YmdHMSjw%]|[^%A-Za-z]")
"""Codes that every dialect and SQLite read alike, and what is no letter."""
_PIECES = re.compile(r"%[BbAay]|(?:(?!%[BbAay])(?:%.|.))+")
_TOKENS: Mapping[str, Sequence[tuple[str, str]]] = {
    "oracle": (("YYYY", "%Y"), ("MM", "%m"), ("DD", "%d"), ("HH24", "%H"), ("MI", "%M"), ("SS", "%S")),
    "snowflake": (
        ("YYYY", "%Y"), ("YY", "%y"), ("MMMM", "%B"), ("MM", "%m"), ("MON", "%b"), ("DD", "%d"), ("DY", "%a"),
        ("HH24", "%H"), ("MI", "%M"), ("SS", "%S"),
    ),
    "postgres": (("FMMonth", "%B"), ("FM%uay", "%A"), ("Mon", "%b")),
}  # fmt: skip
"""What formats of Oracle and Snowflake are made of, and names in those of PostgreSQL as the parser leaves them."""


def formatted(date: exp.Expr, format_: exp.Expr | None) -> exp.Expr | None:
    """A date by a format, in pieces that SQLite can write; `None` for one that has other codes.

    >>> from sqlglot import parse_one
    >>> formatted(parse_one("d"), exp.Literal.string("%Y-%y")).sql("sqlite")
    "STRFTIME('%Y-', d) || SUBSTRING(STRFTIME('%Y', d), 3, 2)"
    """
    if not isinstance(format_, exp.Literal):
        return None
    pieces = _PIECES.findall(format_.name)
    found = [_piece(date, each) for each in pieces]
    if "".join(pieces) != format_.name or not found or None in found:
        return None
    whole, *rest = [each for each in found if each is not None]
    for each in rest:
        whole = exp.DPipe(this=whole, expression=each, safe=True)
    return whole


def _piece(date: exp.Expr, code: str) -> exp.Expr | None:
    if code in _NAMES:
        number, names = _NAMES[code]
        ifs = [
            exp.If(this=exp.EQ(this=_text(date, number), expression=exp.Literal.string(value)), true=_quoted(name))
            for value, name in names
        ]
        return exp.Case(ifs=ifs)
    if code == "%y":
        return exp.Substring(this=_text(date, "%Y"), start=exp.Literal.number(3), length=exp.Literal.number(2))
    return None if _WHOLE.sub("", code) else _text(date, code)


def _text(date: exp.Expr, code: str) -> exp.Expr:
    return exp.TimeToStr(this=date.copy(), format=exp.Literal.string(code))


def _quoted(name: str) -> exp.Expr:
    return exp.Literal.string(name)


def abbreviated(node: exp.Expr, full: str) -> exp.Literal:
    """The code of DAYNAME and MONTHNAME, whose names are short in some dialects."""
    return exp.Literal.string(full.lower() if node.args.get("abbreviated") else full)


def written_as(format_: exp.Expr | None, dialect: str) -> exp.Literal | None:
    """A format of words as one of codes; `None` for one that has other words.

    >>> written_as(exp.Literal.string("YYYY-MM"), "oracle").name
    '%Y-%m'
    """
    if not isinstance(format_, exp.Literal):
        return None
    text = format_.name.upper() if dialect in {"oracle", "snowflake"} else format_.name
    for word, code in _TOKENS.get(dialect, ()):
        text = text.replace(word, code)
    return exp.Literal.string(text) if "%" in text and not re.search(r"[A-Za-z]", re.sub(r"%.", "", text)) else None
