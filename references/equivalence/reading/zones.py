"""Reads moments in named time zones. A moment without one is in UTC here."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from references.equivalence.reading.date_words import call, plain
from references.time_zones import zone

_UTC = "UTC"
_LOCAL = frozenset({"bigquery"})
"""Dialects whose AT TIME ZONE takes moments alone, and gives the local time."""


def zoned(node: exp.Expr, dialect: str) -> exp.Expr | None:
    """The same node with the local time in place of the moment and the zone; `None` for one without a known zone.

    >>> from sqlglot import parse_one
    >>> zoned(parse_one("DATE(ts, 'Asia/Tokyo')", dialect="bigquery"), "bigquery").sql("sqlite")
    "DATE(ZONE_TIME(ts, 'UTC', 'Asia/Tokyo'))"
    """
    if isinstance(node, exp.ConvertTimezone):
        source = node.args.get("source_tz")
        known = dialect == "snowflake" and source is not None
        return _moved(node.args["timestamp"], source, node.args["target_tz"]) if known else None
    if dialect in _LOCAL and isinstance(node, exp.AtTimeZone):
        return _moved(node.this, None, node.args["zone"])
    if dialect in _LOCAL and isinstance(node, exp.Datetime):
        return _moved(node.this, None, node.expression)
    return _without_zone(node) if node.args.get("zone") is not None else None


def _without_zone(node: exp.Expr) -> exp.Expr | None:
    """A day or a text of a moment in a zone, and a moment that is written in one."""
    if isinstance(node, exp.Timestamp):
        return _moved(node.this, node.args["zone"], exp.Literal.string(_UTC))
    moment = _moved(node.this, None, node.args["zone"])
    if moment is None or not (isinstance(node, exp.Date | exp.TimeToStr) or _name(node.args["zone"]) == _UTC):
        return None
    local = node.copy()
    local.set("zone", None)
    local.set("this", moment)
    return local


def floored(node: exp.Expr, floor: Callable[[exp.Expr], exp.Expr | None]) -> exp.Expr | None:
    """The moment at which a unit began in a zone, if the node names one, by a function that floors a local time."""
    name = _name(node.args.get("zone"))
    local = _moved(node.this, None, node.args["zone"]) if name is not None else None
    found = floor(local) if local is not None else None
    return call("zone_time", found, str(name), _UTC) if found is not None else None


def loses_zone(node: exp.Expr) -> bool:
    """Whether a zone is left in a translated query. SQLite would take no notice of it."""
    return isinstance(node, exp.AtTimeZone | exp.ConvertTimezone) or node.args.get("zone") is not None


def _moved(moment: exp.Expr, source: exp.Expr | None, target: exp.Expr) -> exp.Expr | None:
    names = _UTC if source is None else _name(source), _name(target)
    if None in names:
        return None
    here = plain(moment)
    return here.copy() if names[0] == names[1] else call("zone_time", here, *map(str, names))


def _name(node: exp.Expr | None) -> str | None:
    """The name of a zone that is known here."""
    name = node.name if isinstance(node, exp.Literal) and node.is_string else ""
    found = zone(name)
    return None if found is None else _UTC if str(found) == _UTC else name
