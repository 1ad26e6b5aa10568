"""Moments in time zones, by the rules of the IANA database. The throw-away databases have this function of dates."""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from references.dated_texts import moment, written

_OFFSET = re.compile(r"([+-])(\d{1,2}):?(\d\d)?")
_UTC_NAMES = frozenset({"UTC", "ETC/UTC", "GMT", "Z"})


def zone_time(text: object, source: str, target: str) -> str | None:
    """The moment in another zone. Raises `ValueError` for a local time that a change of clocks skips or repeats.

    >>> zone_time("2024-03-05 02:00:00", "UTC", "America/New_York"), zone_time("2024-07-01", "Asia/Tokyo", "UTC")
    ('2024-03-04 21:00:00', '2024-06-30 15:00:00')
    """
    when, here, there = moment(text), zone(source), zone(target)
    if when is None or here is None or there is None:
        return None
    local = when.replace(tzinfo=here)
    try:
        if local.utcoffset() != local.replace(fold=1).utcoffset():
            raise ValueError(f"{text} is not one moment in {source}")
        return written(local.astimezone(there).replace(tzinfo=None), whole=False)
    except OverflowError:
        return None


@lru_cache(maxsize=64)
def zone(name: str) -> tzinfo | None:
    """The zone of a name or an offset; `None` for one that is not known here.

    >>> zone("utc"), zone("+05:30"), zone("Mars/Olympus")
    (datetime.timezone.utc, datetime.timezone(datetime.timedelta(seconds=19800)), None)
    """
    if name.upper() in _UTC_NAMES:
        return UTC
    offset = _OFFSET.fullmatch(name)
    if offset is not None:
        span = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
        return timezone(span if offset[1] == "+" else -span) if span < timedelta(hours=15) else None
    if "/" not in name:
        # a short name, such as EST or IST, is another zone in each database
        return None
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError):
        return None
