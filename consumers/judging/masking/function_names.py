"""The names of functions that databases have: they say what a query does, and nothing about anybody."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import cast

from scoring.sql.dialects import KNOWN_DIALECTS, canonical_dialect, parser_dialect

_FURTHER = frozenset(
    "now today yesterday curdate curtime getdate getutcdate sysdate sysdatetime sysutcdatetime systimestamp localtime "
    "localtimestamp utc_timestamp datename datepart dateadd datediff datediff_big eomonth dateserial date_format "
    "strftime julianday unixepoch from_unixtime unix_timestamp to_days last_day next_day add_months months_between "
    "numtodsinterval numtoyminterval tochar todate nvl nvl2 isnull iif decode listagg string_agg wm_concat charindex "
    "patindex stuff len datalength percentile_cont percentile_disc ratio_to_report first_value last_value nth_value "
    "ntile lag lead rank dense_rank row_number cume_dist percent_rank rownum rowid julian make_date make_interval age "
    "timeofday to_seconds weekofyear yearweek dayname monthname dayofweek dayofyear weekday".split()
)


_DIALECTS = tuple(sorted({canonical_dialect(each) or "" for each in KNOWN_DIALECTS}))


def is_function_name(name: str, dialect: str) -> bool:
    """Whether any dialect that can be read has a function of this lower-case name.

    The given dialect is asked first: it is loaded already, and loading all others takes half a second.

    >>> [is_function_name(name, "sqlite") for name in ("now", "getdate", "lag", "tostartofmonth", "sum", "varga")]
    [True, True, True, True, True, False]
    """
    return name in _FURTHER or any(name in _functions(each) for each in (dialect, *_DIALECTS))


@cache
def _functions(dialect: str) -> frozenset[str]:
    parser = parser_dialect(dialect).parser_class
    named = cast("Iterable[str]", (*parser.FUNCTIONS, *parser.FUNCTION_PARSERS))  # pyright: ignore[reportUnknownMemberType] sqlglot does not type them
    return frozenset(name.lower() for name in named)
