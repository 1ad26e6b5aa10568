"""Signals about what an output is called and what it computes."""

from __future__ import annotations

import re

from scoring.signals.finding import Finding, differing
from scoring.specification import Projection
from scoring.verdict import Case

_MEAN = re.compile(r"\b(?:avg|average\w*|mean)\b")
_LIKE_MEAN = re.compile(
    r"avg|average|\bmean\b|typical|usual|rate|rating|ratio|percent|pct|%|share|score|median|how (?:long|fast|often|far)"
    r"|duration|basket|ticket|\baov\b|\barp|margin|turnaround|speed|utili|occupan|normal|expected|\b(?:per|each|every)\b"
)
_AMOUNT = re.compile(
    r"\b(?:revenues?|sales|turnover|income|spend|spent|gmv|earnings|takings|volume|how much|totals?|sum)\b"
)
_DIVIDES = re.compile(r" / (?!10+(?:\.0*)?\b)")
"""A division that is no change of the unit."""
_LAST = re.compile(r"\b(?:last|latest|most recent)\b")
_FIRST = re.compile(r"\b(?:first|earliest)\b")
_COUNT = re.compile(r"count\((?:\*|1|[\w.]+)\)")
_MEASURED = re.compile(r"\b(?:hours?|hrs|minutes?|mins|kg|km|tonnes?|lit(?:er|re)s?|revenue|turnover|amount)\b")
_COUNTED = re.compile(r"\b(?:n|nr|no|num|number|count|cnt|per)\b")
_OF_COLUMN = re.compile(r"(?:min|max)\([\w.]+\)")


def mean_and_sum_swapped(case: Case) -> Finding | None:
    """A sum is called an average, a count of rows hours, or the mean of an amount stands for the amount asked for."""
    for each in case.answer:
        name, func = _called(each), each.operand.func
        if func == "SUM" and _MEAN.search(name) and not _DIVIDES.search(_outside(each.operand.name)):
            return differing("AVG", f"{each.operand.name} called {each.alias}")
        if _COUNT.fullmatch(each.operand.name) and _MEASURED.search(name) and not _COUNTED.search(name):
            return differing("SUM", f"{each.operand.name} called {each.alias}")
        if func == "AVG" and _AMOUNT.search(case.asked) and not _LIKE_MEAN.search(f"{case.said} {name}"):
            return differing("SUM", each.operand.name)
    return None


def named_end_flipped(case: Case) -> Finding | None:
    """The first of something is called the last, or the last the first."""
    for each in case.answer:
        name, func = _called(each), each.operand.func
        last, first = _LAST.search(name) is not None, _FIRST.search(name) is not None
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
