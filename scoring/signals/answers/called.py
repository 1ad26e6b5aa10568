"""Signals about what an output is called and what it computes."""

from __future__ import annotations

from scoring.patterns import lazy
from scoring.signals.finding import Finding, differing
from scoring.specification import Projection
from scoring.verdict import Case

_MEAN = lazy(r"\b(?:avg|average\w*|mean)\b")
_LIKE_MEAN = lazy(
    r"avg|average|\bmeans?\b|typical|usual|rate|rating|ratio|percent|pct|%|share|score|median|how (?:long|fast|often)"
    r"|duration|basket|ticket|\baov\b|\barp|margin|turnaround|speed|utili|occupan|normal|expected|\b(?:per|each|every)\b"
)
_OFTEN_MEAN = lazy(
    r"csat|\bnps\b|satisf|time|\bage\b|\bold\b|temperature|price|weight|length|size|pace|response|wait|delay|latenc"
    r"|level|quality|stars|grade|height|depth|pressure|humidity|\bmoving\b|\brolling\b|trend|baseline|compar|versus"
    r"|\bvs\b|than|yield|how far|densit|consumption|mileage|quick|slow|fast|long"
)
"""Words of measures that people average without saying so."""
_AMOUNT = lazy(r"\b(?:revenues?|sales|turnover|income|spend|spent|gmv|earnings|takings|volume|how much|totals?|sum)\b")
_DIVIDES = lazy(r" / (?!10+(?:\.0*)?\b)")
"""A division that is no change of the unit."""
_LAST = lazy(r"\b(?:last|latest|newest|most recent|highest|largest|biggest|longest|max|maximum)\b")
_FIRST = lazy(r"\b(?:first|earliest|lowest|smallest|shortest|cheapest|min|minimum)\b")
_OLDEST = lazy(r"\boldest\b")
_MOMENT = lazy(r"_(?:at|on|date|dt|ts|time)\)$")
_PEAK = lazy(r"\b(?:peak|highest|max|maximum)\b")
_SIMPLE_SUM = lazy(r"sum\([\w.]+\)")
_COUNT = lazy(r"count\((?:\*|1|[\w.]+)\)")
_MEASURED = lazy(r"\b(?:hours?|hrs|minutes?|mins|kg|km|tonnes?|lit(?:er|re)s?|revenue|turnover|amount)\b")
_COUNTED = lazy(r"\b(?:n|nr|no|num|number|count|cnt|per)\b")
_OF_COLUMN = lazy(r"(?:min|max)\([\w.]+\)")


def mean_and_sum_swapped(case: Case) -> Finding | None:
    """A sum is called an average, a count of rows hours, or a mean stands where nothing speaks of one."""
    return _named_otherwise(case) or _mean_unasked(case)


def _named_otherwise(case: Case) -> Finding | None:
    for each in case.answer:
        name, func = _called(each), each.operand.func
        meant = _meant_by_name(name, each.operand.name) if func == "SUM" else None
        if meant is not None:
            return differing(meant, f"{each.operand.name} called {each.alias}")
        if _COUNT.fullmatch(each.operand.name) and _MEASURED.search(name) and not _COUNTED.search(name):
            return differing("SUM", f"{each.operand.name} called {each.alias}")
        if func == "AVG" and _AMOUNT.search(case.asked) and not _LIKE_MEAN.search(f"{case.said} {name}"):
            return differing("SUM", each.operand.name)
    return None


def _meant_by_name(name: str, added: str) -> str | None:
    """The aggregate that the name of a sum speaks of, if it is no sum."""
    if _MEAN.search(name) and not _DIVIDES.search(_outside(added)):
        return "AVG"
    return "MAX" if _PEAK.search(name) and _SIMPLE_SUM.fullmatch(added) else None


def _mean_unasked(case: Case) -> Finding | None:
    """A mean of a plain column, where nothing speaks of a mean."""
    unasked = next((each for each in case.sql.aggregations if each.func == "AVG" and not each.conditional), None)
    if unasked is None or not _PLAIN.fullmatch(unasked.column) or _is_mean_meant(unasked.column, case):
        return None
    before = case.follow_up.before if case.follow_up is not None else None
    if before is not None and any(each.func == "AVG" for each in before.aggregations):
        return None
    return differing("no mean", f"AVG({unasked.column})")


_PLAIN = lazy(r"[\w.]+")


def _is_mean_meant(column: str, case: Case) -> bool:
    """Whether either question, an output's name or the column speaks of a mean, or of what is often one."""
    texts = " ".join([case.said, *(_called(each) for each in case.answer)])
    return _LIKE_MEAN.search(f"{texts} {column.casefold()}") is not None or _OFTEN_MEAN.search(texts) is not None


def named_end_flipped(case: Case) -> Finding | None:
    """The first of something is called the last, or the last the first."""
    for each in case.answer:
        name, func = _called(each), each.operand.func
        last, first = _LAST.search(name) is not None, _FIRST.search(name) is not None
        if not last and not first and _OLDEST.search(name) and _MOMENT.search(each.operand.name):
            first = True
        flipped = last is not first and func == ("MIN" if last else "MAX")
        if flipped and _OF_COLUMN.fullmatch(each.operand.name):
            return Finding(1.0, f"{each.operand.name} called {each.alias}")
    return None


def _outside(text: str) -> str:
    """A formula without what stands in its first sum."""
    start = text.find("sum(")
    depth = 0
    for place in range(start + 3, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return text[:start] + text[place + 1 :]
    return text


def _called(each: Projection) -> str:
    return (each.alias or "").casefold().replace("_", " ")
