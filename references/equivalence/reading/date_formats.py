"""Writes out date formats that SQLite lacks: names of days and months, and years of two digits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sqlglot import exp

from references.equivalence.reading.date_words import call, plain
from references.equivalence.reading.weeks import iso_week

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
    "%u": ("%w", [(str(number), str(number or 7)) for number in range(7)]),
    "%Q": ("%m", [(f"{number:02d}", str((number + 2) // 3)) for number in range(1, 13)]),
    "%~": ("%w", [(str(number), str(number + 1)) for number in range(7)]),
}
"""Codes of names: the code of a number, and the name of each of its values. `%Q` is BigQuery's quarter, and `%~` counts
weekdays from Sunday as 1."""
_ISO = frozenset({"%u", "%G", "%V"})
"""The weekday, the year and the week of ISO 8601."""
_ISO_DIALECTS = frozenset({"bigquery", "duckdb", "postgres", "redshift", "oracle"})
"""Dialects in whose formats these codes stand for that, as they are written or as the parser leaves them."""
_STYLES: Mapping[str, str] = {
    "23": "%Y-%m-%d", "112": "%Y%m%d", "20": "%Y-%m-%d %H:%M:%S", "120": "%Y-%m-%d %H:%M:%S", "101": "%m/%d/%Y",
    "103": "%d/%m/%Y", "104": "%d.%m.%Y", "105": "%d-%m-%Y", "110": "%m-%d-%Y", "111": "%Y/%m/%d", "102": "%Y.%m.%d",
    "108": "%H:%M:%S", "8": "%H:%M:%S",
}  # fmt: skip
"""T-SQL's styles of dates by number."""
_WHOLE = re.compile(r"%[YmdHMSjw%]|[^%A-Za-z]")
"""Codes that every dialect and SQLite read alike, and what is no letter."""
_LETTERS = re.compile(r"[A-Za-z]")
_LITERAL = frozenset({"bigquery", "duckdb", "mysql"})
"""Dialects whose formats are made of codes, so that other letters stand for themselves."""
_CODE = re.compile(r"%.")
_TOKENS: Mapping[str, Sequence[tuple[str, str]]] = {
    "oracle": (
        ("IYYY", "%G"), ("IW", "%V"), ("YYYY", "%Y"), ("MM", "%m"), ("DD", "%d"), ("HH24", "%H"), ("MI", "%M"),
        ("SS", "%S"),
    ),
    "snowflake": (
        ("YYYY", "%Y"), ("YY", "%y"), ("MMMM", "%B"), ("MM", "%m"), ("MON", "%b"), ("DD", "%d"), ("DY", "%a"),
        ("HH24", "%H"), ("MI", "%M"), ("SS", "%S"),
    ),
    "postgres": (("FMMonth", "%B"), ("FM%uay", "%A"), ("Mon", "%b"), ("%u", "%~"), ("I%~", "%u")),
    "redshift": (("%u", "%~"), ("I%~", "%u")),
}  # fmt: skip
"""What formats of Oracle and Snowflake are made of, and names in those of PostgreSQL as the parser leaves them."""


def formatted(date: exp.Expr, format_: exp.Expr | None, dialect: str = "") -> exp.Expr | None:
    """A date by a format, as SQLite can write it; `None` for one that has other codes.

    >>> from sqlglot import parse_one
    >>> formatted(parse_one("d"), exp.Literal.string("%Y-%m")).sql("sqlite")
    "STRFTIME('%Y-%m', d)"
    >>> formatted(parse_one("d"), exp.Literal.string("%a")).sql("sqlite")[:47]
    "CASE WHEN STRFTIME('%w', d) = '0' THEN 'Sun' WH"
    """
    if not isinstance(format_, exp.Literal):
        return None
    codes = _CODE.findall(format_.name)
    if not _shared(codes, dialect):
        return None
    if "%G" in codes or "%V" in codes:
        return _of_iso_weeks(date, format_.name) if set(codes) <= {"%G", "%V"} else None
    known = _is_known(format_.name, dialect) and codes.count("%y") <= (format_.name == "%y")
    return _formatted(date, format_.name) if known else None


def _shared(codes: Sequence[str], dialect: str) -> bool:
    """Whether codes that few dialects have are those of this one."""
    iso = dialect in _ISO_DIALECTS or not _ISO.intersection(codes)
    return iso and (dialect == "bigquery" or "%Q" not in codes)


def _is_known(format_: str, dialect: str) -> bool:
    rest = [each for each in _split(format_) if each not in _NAMES and each != "%y"]
    if dialect in _LITERAL:
        rest = [each if each.startswith("%") else _LETTERS.sub("", each) for each in rest]
    return not _WHOLE.sub("", "".join(rest))


def _split(format_: str) -> list[str]:
    return [each for each in re.split(r"(%.)", format_) if each]


def _formatted(date: exp.Expr, format_: str) -> exp.Expr:
    """A branch for each name, which is a part of the format there."""
    pieces = _split(format_)
    place = next((place for place, each in enumerate(pieces) if each in _NAMES), None)
    if format_ == "%y":
        return exp.Substring(this=_text(date, "%Y"), start=exp.Literal.number(3), length=exp.Literal.number(2))
    if place is None:
        return _text(date, format_) if "%" in format_ else exp.Literal.string(format_)
    number, names = _NAMES[pieces[place]]
    ifs: list[exp.Expr] = []
    for value, name in names:
        branch = _formatted(date, "".join((*pieces[:place], name, *pieces[place + 1 :])))
        ifs.append(exp.If(this=exp.EQ(this=_text(date, number), expression=exp.Literal.string(value)), true=branch))
    return exp.Case(ifs=ifs)


def _of_iso_weeks(date: exp.Expr, format_: str) -> exp.Expr | None:
    """A format of the year and the week of ISO 8601, which are those of the week's Thursday."""
    if re.search(r"[A-Za-z]", _CODE.sub("", format_)):
        return None
    thursday = call("day_plus", call("day_floor", date, "WEEK"), exp.Literal.number(3), "DAY")
    format_ = format_.replace("%G", "%Y")
    if "%V" not in format_:
        return _text(thursday, format_)
    week = iso_week("WEEK", date)
    ifs: list[exp.Expr] = []
    for number in range(1, 54):
        branch = _formatted(thursday, format_.replace("%V", f"{number:02d}"))
        ifs.append(exp.If(this=exp.EQ(this=week.copy(), expression=exp.Literal.number(number)), true=branch))
    return exp.Case(ifs=ifs)


def _text(date: exp.Expr, code: str) -> exp.Expr:
    return exp.TimeToStr(this=date.copy(), format=exp.Literal.string(code))


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


def styled(node: exp.Expr, _: str) -> exp.Expr | None:
    """T-SQL's CONVERT: of a date to a text by the number of a style, or a cast."""
    style, to, value = node.args.get("style"), node.this, node.expression
    if style is None or not to.is_type(*exp.DataType.TEXT_TYPES):
        return exp.Cast(this=value.copy(), to=to.copy()) if style is None else None
    format_ = _STYLES.get(style.name)
    text = formatted(plain(value), exp.Literal.string(format_)) if format_ is not None else None
    return exp.Cast(this=text, to=to.copy()) if text is not None else None
