"""Signals about times that are kept in one zone and asked for in another."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.finding import Finding, differing
from scoring.signals.mistakes.wording import cue, said, shapes
from scoring.specification.shapes import ShapeKind
from scoring.verdict import Case

_ZONES = lazy(r"\butc\b|\bgmt\b|\b(?:europe|america|asia|australia|pacific|africa)/\w+|\b(?:us/\w+)\b")


_TO_UTC = lazy(
    r"(?:\bto_utc_timestamp\(\s*|\bconvert_timezone\(\s*'\w+/\w+',\s*'(?:utc|etc/utc)',\s*)(?:\w+\.)?(\w+_utc)\b"
    r"|\bconvert_tz\(\s*(?:\w+\.)?(\w+_utc),\s*'\w+/\w+'",
    re.IGNORECASE,
)
"""A time that is named after UTC, taken for one of another zone."""


def zone_unasked(case: Case) -> Finding | None:
    """A time is converted to another zone than the one that a text names, or in the opposite direction.

    Rows near midnight change their day. A time in UTC is none of another zone to be turned into UTC. Nor is it a local
    one, which a text speaks of, as it stands.

    >>> zone_unasked(case("How many trips began on May 3 (UTC)?", "SELECT COUNT(*) FROM trips WHERE "
    ...     "CAST(began_at AT TIME ZONE 'America/Lima' AS DATE) = '2020-05-03'")).detail
    'expected → actual: utc → america/lima'
    """
    backwards = _TO_UTC.search(case.written)
    if backwards is not None:
        return Finding(1.0, f"{(backwards[1] or backwards[2]).lower()} is converted to UTC")
    text = said(case)
    turned = _FROM_LOCAL.search(case.written) if _IN_UTC.search(text) and _LOCAL.search(text) else None
    if turned is not None:
        return Finding(1.0, f"{turned[turned.lastindex or 0].lower()} is converted to UTC")
    return _lacks_conversion(text, case) or (_other_zone(text, case) if _FROM_UTC.search(text) is None else None)


def _other_zone(text: str, case: Case) -> Finding | None:
    """Times are converted to a zone that no text names, where one is named."""
    converted = shapes(case, ShapeKind.ZONE)
    given = {each.words[0] for each in converted} - {"utc", "gmt", "etc/utc", "+00:00"} if converted else set[str]()
    named = set(_ZONES.findall(text)) if given else set[str]()
    odd = sorted(zone for zone in given if zone not in text)
    if not named or not odd or any(zone.split("/")[-1].replace("_", " ") in text for zone in odd):
        return None
    return differing(", ".join(sorted(named)), ", ".join(odd))


_FROM_UTC = lazy(
    r"\butc,? (?:\w+ )?converted\b|\b(?:convert\w*|turned|moved|from) (?:\w+ )?(?:from )?utc\b(?: (?:in)?to)?"
)
"""A text that names the zone from which times are converted."""
_IN_UTC = lazy(r"\b(?:in|an?|as) utc\b|\butc timestamps?\b")
_FROM_LOCAL = lazy(
    r"\bconvert_timezone\(\s*'\w+/\w+',\s*'(?:etc/)?utc',\s*(?!current|getdate|sysdate|date|time)([a-z_][\w.]*)\s*\)"
    r"|\bconvert_tz\(\s*([a-z_][\w.]*),\s*'\w+/\w+',\s*'(?:utc|\+00:00)'|\bto_utc_timestamp\(\s*([a-z_][\w.]*),",
    re.IGNORECASE,
)
"""A column, and no bound such as `'2020-05-03'`, that is taken for a time of another zone than UTC."""
_LOCAL = lazy(r"\blocal\b|(?<!utc )\b(?!utc|this|that|what|of|which|the|any)[a-z]+ time\b(?! zone)")
_CONVERTS = lazy(
    r"zone|from_utc|to_utc|convert_tz|from_tz|new_time|interval|date_?add|date_?sub|'[a-z]+/[a-z_]+'|(?<!\d)[+-] ?\d",
    re.IGNORECASE,
)
"""What may turn a time in UTC into one of another zone."""


def _lacks_conversion(text: str, case: Case) -> Finding | None:
    """Nothing turns times in UTC into the local ones that are asked for, or not everywhere."""
    if _IN_UTC.search(text) is None or _LOCAL.search(text) is None or _CONVERTS.search(case.written) is not None:
        return zone_in_one_place(case)
    return Finding(1.0, "nothing converts from UTC")


_CONVERTED = lazy(r"zone|at time z|'[a-z]+/[a-z_]+'|from_utc|convert_tz", re.IGNORECASE)
_HOURLY = cue("hour", r"\b(?:per|by|each|every|which|what|peak|busiest) hours?\b|\bhours? of (?:the )?day\b|\bhourly\b")


def zone_in_one_place(case: Case) -> Finding | None:
    """A time is converted to a zone where rows are kept, and its hour is read without.

    >>> zone_in_one_place(case("Trips per hour of the day on May 3, Lima time", "SELECT EXTRACT(HOUR FROM began_at), "
    ...     "COUNT(*) FROM trips WHERE CAST(began_at AT TIME ZONE 'America/Lima' AS DATE) = '2020-05-03' "
    ...     "GROUP BY 1")).detail
    'EXTRACT(HOUR FROM began_at) in no zone'
    """
    zones = shapes(case, ShapeKind.ZONE)
    if not zones or _HOURLY.search(case.asked) is None:
        return None
    for each in shapes(case, ShapeKind.GRAIN):
        name = each.columns[0].name if each.columns else ""
        if each.words[:1] != ("hour",) or _CONVERTED.search(each.text) is not None or not name:
            continue
        if any(re.search(rf"\b{re.escape(name)}\b", zone.text) for zone in zones):
            return Finding(1.0, f"{each.text} in no zone")
    return None
