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


@cache
def function_names() -> frozenset[str]:
    """The lower-case names of the functions of all dialects that can be read.

    >>> {"now", "getdate", "lag", "tostartofmonth", "sum"} <= function_names(), "varga" in function_names()
    (True, False)
    """
    known: set[str] = set()
    for dialect in {canonical_dialect(each) or "" for each in KNOWN_DIALECTS}:
        parser = parser_dialect(dialect).parser_class
        known.update(name.lower() for name in cast("Iterable[str]", (*parser.FUNCTIONS, *parser.FUNCTION_PARSERS)))  # pyright: ignore[reportUnknownMemberType] sqlglot does not type them
    return frozenset(known | _FURTHER)
