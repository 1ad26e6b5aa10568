"""Signals about what a question wants of its rows: ties, ordinary things, a total beside its parts, a median."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.wording import asked, said, said_stems
from scoring.specification import SubqueryRole
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_ALL_TIED = lazy(
    r"\b(?:all|every|any) (?:the |of the )?(?:\w+ )?(\w+) (?:with|that have|who have|having|at|sharing"
    r"|on|who (?:got|scored|have|had|reached|achieved|earned|made|took|share)) the (?:highest|lowest|most"
    r"|fewest|top|largest|smallest|best|earliest|latest|maximum|minimum)\b"
    r"|\b(?:which|what|the|\w+est|top) (?:\w+ ){0,2}\w+\(s\)"
    r"|\bif (?:several|more than one|two|both|two or more|multiple|some"
    r"|many)\b[^.]{0,40}\b(?:share|tie"
    r"|equal|draw)|\bjoint(?:ly)? (?:first|top|highest|lowest|winners?|leaders?)\b"
    r"|\b(?:including|incl\.?|include|keep|show|with|w/?|list) (?:all )?(?:the )?ties\b"
    r"|\bties (?:both |all )?in\b|\bties (?:please|pls|too|also|as well|welcome|count)\b|\b(?:and|plus) (?:any )?ties\b"
    r"|\b(?:on|for|in case of|with) (?:a )?ties?,? (?:show|list|give|return|name|keep)\b[^.]{0,9}"
    r" (?:all|both|every\w*)\b"
    r"|\bties?[:,] (?:show|list|give|return|keep) (?:me )?(?:them )?(?:all|both|every\w*)\b"
    r"|\bif (?:there(?:['’]?s| (?:is"
    r"|are)) )?(?:a )?(?:ties?|tied)\b|\btied\b|\b(?:could|may|might|can) be (?:several|more than one|many)\b"
    r"|\bif (?:two|2|three|3|several|some|more|any) (?:\w+ ){0,2}(?:are|is|come|end up|have)\b[^.]{0,20}"
    r"\b(?:level|equal|even|same)\b"
    r"|\bif (?:it['’]?s|its|it is|there['’]?s|theres) a (?:draw|tie)\b"
    r"|\bties? shares? (?:a|the|one) (?:rank|place|spot)\b|\bkeep (?:'?em|them) all\b"
    r"|\b(?:equal|same) \w+ shares? (?:the|a) \w+|\ball (?:of them |of those )?(?:when|if|who are) equal\b"
)


def tie_asked_cut(case: Case) -> Finding | None:
    """All who share the extreme are asked for, and LIMIT or ROW_NUMBER keeps one.

    >>> tie_asked_cut(case("List all pilots with the highest pay",
    ...     "SELECT name FROM pilots ORDER BY pay DESC LIMIT 1")).detail
    'all pilots with the highest: LIMIT 1'
    """
    cut = _cuts(case)
    if not cut and not any(each.func in ("ROW_NUMBER", "ROWNUMBER") for each in case.sql.windows):
        return None
    found = _ALL_TIED.search(said(case))
    if found is None or not _may_cut(cut, found.group()) or _keeps_ties(case):
        return None
    return Finding(1.0, f"{found.group()}: {f'LIMIT {cut[0]}' if cut else 'ROW_NUMBER'}")


def _cuts(case: Case) -> list[int]:
    """How many first rows the answer keeps, by each LIMIT that keeps no ties."""
    inner = {each.block for each in case.sql.subqueries if each.role is not SubqueryRole.DERIVED}
    return [each.count for each in case.sql.limits if each.count and not each.ranked and each.block not in inner]


def _keeps_ties(case: Case) -> bool:
    return _BROKEN.search(said(case)) is not None or "with ties" in case.written.casefold()


def _may_cut(cut: Sequence[int], words: str) -> bool:
    """Whether the words of ties speak of such a number of first rows: of one, or of a few and of ties by name."""
    return max(cut, default=1) <= (_TOP if "tie" in words else 1)


_TOP = 100
"""Most first rows that someone asks for; a larger LIMIT is a tool's."""
_BROKEN = lazy(
    r"\bbreak(?:ing)? ties\b|\bties? (?:broken|are broken|by)\b|\bwhichever\b"
    r"|\b(?:ties?|tied|level|equal)\b[^.]{0,20}\b(?:take|pick|use) (?:any|either|one|the)\b"
)


_QUALIFIED = frozenset(
    map(
        stem,
        "archive archived draft deleted failed former old backup temp tmp staging history historical audit "
        "log pending invitation invitations removed cancelled canceled rejected test sample legacy obsolete "
        "expired inactive planned forecast budget template request requests".split(),
    )
)


def table_of_others(case: Case) -> Finding | None:
    """The rows come from a table of a special kind of the things asked for, which nothing mentions.

    `parcels_archive` and `failed_logins` are not the parcels and the logins.

    >>> table_of_others(case("How many parcels are late?",
    ...     "SELECT COUNT(*) FROM parcels_archive WHERE late = 1")).detail
    'parcels_archive: archive'
    """
    tables = {table for block in case.sql.blocks for table in block.tables}
    special = [each for each in sorted(tables) if not _QUALIFIED.isdisjoint(identifier_words(each))]
    return _of_others(special, tables, case) if special else None


def _of_others(special: list[str], tables: set[str], case: Case) -> Finding | None:
    """The first of the special tables whose things are spoken of, and not what is special about them."""
    spoken = said_stems(case)
    for table in special:
        words = identifier_words(table)
        odd = [word for word in words if word in _QUALIFIED - spoken and not _is_cut_short(word, spoken)]
        if _is_of_programs(words):
            continue
        if not _RECORDS.isdisjoint(odd) and _is_over_time(case):
            continue
        rest = tuple(word for word in words if word not in _QUALIFIED)
        if odd and not spoken.isdisjoint(rest[-1:]) and not _stands_beside(table, rest, tables, case):
            return Finding(1.0, f"{table}: {odd[0]}")
    return None


def _is_cut_short(word: str, spoken: Set[str]) -> bool:
    """Whether people shorten a word: `reqs` for requests."""
    return any(2 < len(said) < len(word) and word.startswith(said) for said in spoken)


def _is_of_programs(words: tuple[str, ...]) -> bool:
    """Whether a table holds the lines of a log, or requests of programs: no special kind of a thing."""
    return words[-1] == "log" or (words[-1] == "request" and not _TRAFFIC.isdisjoint(words))


_TRAFFIC = frozenset({"api", "http", "web", "page"})
"""What requests of programs are named after: they are no orders that wait for a person."""


def _is_over_time(case: Case) -> bool:
    """Whether what happened over time is asked for, or the newest record of each is taken for what is current."""
    if _OVER_TIME.search(case.asked) is not None:
        return True
    newest = bool(case.sql.windows) or any(each.func == "MAX" for each in case.sql.aggregations)
    return newest and "current" in case.spoken


_RECORDS = frozenset(map(stem, ("log", "history", "historical", "audit")))
_OVER_TIME = lazy(r"\b(?:last|latest|first|earliest|previous|ever|changed?|changes|when|still|status|history)\b")


def _stands_beside(table: str, rest: tuple[str, ...], tables: set[str], case: Case) -> bool:
    """Whether the ordinary table is read, too, and the special one neither gives the answer nor is excluded."""
    shown = {column.table for each in case.answer for column in each.operand.columns}
    plain = any(identifier_words(each) == rest for each in tables)
    return plain and shown != {table} and not _excludes(case, table)


def _excludes(case: Case, table: str) -> bool:
    """Whether an exclusion reads the table."""
    paths = {each.block for each in case.sql.subqueries if each.role in (SubqueryRole.NOT_IN, SubqueryRole.NOT_EXISTS)}
    return any(block.path in paths and table in block.tables for block in case.sql.blocks)


_TOTAL_AND = lazy(
    r"\b(?:total|overall|in all|altogether)\b[^.?]{0,20}\b(?:and|plus|as well as|&"
    r"|\+)\b[^.?]{0,20}\b(?:per|by|for each|split by|broken down by)\b"
    r"|\b(?:per|by|for each) \w+(?: \w+)? (?:and|plus|as well as|&|\+) (?:in |the |an? )?(?:total|overall)\b"
)


def total_beside_groups_missing(case: Case) -> Finding | None:
    """A total and its parts are asked for, and only the parts come.

    ROLLUP, a UNION or a total over a window gives both.

    >>> total_beside_groups_missing(case("Fares in total and per route",
    ...     "SELECT route, SUM(fare) FROM trips GROUP BY route")).detail
    'no total beside the groups'
    """
    sql = case.sql
    if not sql.group_by or sql.set_operations or sql.windows or not _TOTAL_AND.search(asked(case)):
        return None
    if re.search(r"\b(?:rollup|cube|grouping sets|with totals)\b", case.written, re.IGNORECASE) or len(sql.blocks) > 2:
        return None
    shown = [each for each in case.answer if each.operand.func in ("SUM", "COUNT")]
    return Finding(1.0, "no total beside the groups") if len(shown) < 2 else None


_QUANTILE = lazy(
    r"\bapprox_quantiles\(\s*[\w.]+,\s*(?P<parts>\d+)\s*\)\s*\[\s*(?:safe_)?offset\(\s*(?P<place>\d+)"
    r"|\bpercentile(?:_cont|_disc|_approx)?\(\s*(?:[\w.]+,\s*)?(?P<share>0?\.\d+)",
    re.IGNORECASE,
)


def _other_quantile(case: Case) -> Finding | None:
    """A median is asked for, and no other quantile, and the SQL takes another."""
    if re.search(r"\bmedian\b", asked(case)) is None or _OTHER_QUANTILES.search(said(case)) is not None:
        return None
    taken = {_share(found): found.group() for found in _QUANTILE.finditer(case.written)}
    return Finding(1.0, f"the median as {min(taken.values())}") if taken and _HALF not in taken else None


def _share(quantile: re.Match[str]) -> float:
    return float(quantile["share"] or 0) or int(quantile["place"] or 0) / max(int(quantile["parts"] or 1), 1)


_HALF = 0.5
_OTHER_QUANTILES = lazy(
    r"\bp ?\d\d\b|quartil|quantil|percentil|decil|\d\d(?:th|st|nd|rd)\b|\biqr\b|\bspread\b|\b\d\d ?%"
)


def median_averaged(case: Case) -> Finding | None:
    """A median is asked for, and a plain average or another quantile is taken.

    One very large value moves an average and not a median.

    >>> median_averaged(case("What is the median fare?", "SELECT AVG(fare) FROM trips")).detail
    'AVG for the median'
    """
    sql = case.sql
    other = _other_quantile(case)
    if other is not None:
        return other
    if (
        "median" not in asked(case)
        or not re.search(r"\bmedian\b", asked(case))
        or re.search(r"\b(?:average|avg|mean)\b", asked(case))
    ):
        return None
    funcs = {each.func for each in sql.aggregations}
    if "AVG" not in funcs or sql.windows or any(each.offset for each in sql.limits) or len(sql.limits) > 0:
        return None
    return (
        None
        if re.search(r"\b\w*(?:median|percentile|quantile)\w*\s*\(", case.written, re.IGNORECASE)
        else Finding(1.0, "AVG for the median")
    )
