"""Signals about extremes: one of each group for one of all, one of all for one of each, and one that is not taken."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.wording import asked, said, shapes
from scoring.signals.order import EXTREMES, FIRST_OF, PLACES
from scoring.specification import Clause, Op, SqlFilter, SubqueryRole
from scoring.specification.shapes import Shape, ShapeKind
from scoring.values import Number, RelativeTime, Text, TimeRange
from scoring.verdict import Case
from scoring.words import identifier_words, stem


def extreme_per_group(case: Case) -> Finding | None:
    """One extreme of all is asked for, and one of each group comes.

    GROUP BY turns the lowest fare into a lowest fare for each route.

    >>> extreme_per_group(case("What is the lowest fare, and of which route?",
    ...     "SELECT MIN(fare), route FROM trips GROUP BY route")).detail
    'min(fare) by route'
    """
    sql = case.sql
    grouped = any(each.block in sql.outputs for each in sql.group_by)
    if not grouped or sql.limits or sql.having or not _asks_one(case) or _LISTED.search(asked(case)):
        return None
    if any(_is_pinned(each, case) for each in sql.filters) or _OF_WHOM.search(asked(case)) is not None:
        return None
    taken = next((each.operand.name for each in case.answer if each.operand.func in EXTREMES), None)
    return Finding(1.0, f"{taken} by {sql.group_by[0].operand.name}") if taken is not None else None


_LISTED = lazy(
    r"\b(?:min|max)(?:imum)?\b,? (?:and |& )?(?:the )?(?:max|min|avg|average|mean)|(?:\band|&|\+) (?:the )?(?:max"
    r"|min)\b"
)
"""Extremes among other figures of each: `min max avg`, `how many and the max`."""
_OF_WHOM = lazy(
    r"\bwhose (?:very |most )?(?:first|last|latest|earliest|newest|oldest|recent|highest|lowest)\b"
    r"|\b(?:first|last) (?:\w+ )?(?:date|day|time)\b[^.?]{0,60}\bfor (?:all |the )?\w+s\b"
)
"""What is asked of the extreme of each: customers whose last order was in May."""


def _asks_one(case: Case) -> bool:
    """Whether one extreme of all is asked for."""
    question = case.question
    if question.group_by or not _EACH.isdisjoint(case.spoken):
        return False
    return bool(question.superlatives) or not EXTREMES.isdisjoint(each.func for each in question.aggregations)


def _is_pinned(each: SqlFilter, case: Case) -> bool:
    """Whether a condition keeps one value of a grouping key: there is one group."""
    keys = {key.operand.columns for key in case.sql.group_by}
    return each.op is Op.EQ and each.lhs is not None and each.lhs.columns in keys and each.alternative is None


_EACH = frozenset({"each", "per", "every", "everyone", "everybody"})


def _say_the_same(case: Case) -> bool:
    """Whether all extremes are of how often: `most often`, `the most common`."""
    return all(
        any(word in each.word for word in ("often", "common", "frequent")) for each in case.question.superlatives
    )


def extreme_dropped(case: Case) -> Finding | None:
    """Two extremes are asked for, and the SQL takes one.

    `top`, `first` and their like only say where to cut and are no second extreme.

    >>> extreme_dropped(case("Which is the oldest van with the lowest mileage?",
    ...     "SELECT id FROM vans ORDER BY age DESC LIMIT 1")).detail
    'oldest; lowest'
    """
    asked = list(dict.fromkeys(each.word for each in case.question.superlatives if each.word not in PLACES))
    if len(asked) < 2 or any(each.func in FIRST_OF for each in case.sql.windows) or _say_the_same(case):
        return None
    taken = (
        len(_SORTED_ARRAY.findall(case.written))
        + len(case.sql.order_by)
        + sum(1 for each in case.sql.aggregations if each.func in EXTREMES)
    )
    ranks = sum(1 for each in case.sql.windows if each.func in _RANKS)
    return Finding(1.0, "; ".join(asked[:5])) if taken < 2 and ranks < 2 else None


_RANKS = frozenset({"RANK", "DENSE_RANK", "ROW_NUMBER"})
_SORTED_ARRAY = lazy(r"\barray_agg\s*\([^;]{1,200}?\border\s+by\b", re.IGNORECASE)
_EACH_TOP = lazy(
    r"\b(?:top|best|highest|lowest|most|largest|biggest|smallest|latest|newest|oldest|cheapest|fastest"
    r"|first|last|worst|least|(?:heav|bus|pric|costl)iest|longest|shortest|strongest|slowest|youngest)\b"
    r".{0,80}\b(?:in|for|of|within|from|by|at) (?:each|every)\b|\bfor each\b.{0,80}\b(?:top|best|highest"
    r"|lowest|most|largest)\b"
    r"|\b(?:top|best|highest|biggest|largest|worst|lowest"
    r"|(?:two|three|four|five|ten|[2-9]|10) (?:cheapest|latest|newest|oldest|longest|shortest|fastest|slowest|smallest"
    r"|youngest|(?:most|least) \w+))\b.{0,80}\bper (?!kg|kilo|unit|piece|lit|m2|sq|hour|day|night|km|mile)(\w+)\b"
)
_RATES = lazy(
    r"\b(?:average|avg|mean|rate|number|count|ratio|revenue|spend|sales|price|cost) (?:of )?(?:\w+ )?per \w+"
    r"|\b(?:most|highest|fewest|lowest|least) (?:\w+ )?\w+s per \w+"
)


def top_of_all(case: Case) -> Finding | None:
    """The top of each group, or of some rows, is asked for, and one LIMIT or a rank cuts all rows.

    The best pilot of each base needs a rank within the base; LIMIT 1 leaves one pilot in all. The ten longest flights
    to Oslo are not those to Oslo among the ten longest.

    >>> top_of_all(case("Who is the highest paid pilot in each base?",
    ...     "SELECT base, name FROM pilots ORDER BY pay DESC LIMIT 1")).detail
    'LIMIT 1 for all groups'
    """
    text, limit = asked(case), case.sql.limit
    ranked = _ranked_in_all(case)
    if ranked is not None:
        return Finding(1.0, ranked.text)
    early = _cut_early(case) or _ranked_across(case)
    if early is not None:
        return early
    found = _EACH_TOP.search(text) if limit is not None else None
    if found is None or limit is None or limit.ranked or limit.count not in _rows_wanted(case) or _ranks_groups(case):
        return None
    if found[1] is not None and (_RATES.search(text) or not _shown(found[1], case)):
        return None
    return Finding(1.0, f"LIMIT {limit.count} for all groups")


_WITHIN = lazy(
    r"\b(?:rank\w*|(?:second|third|2nd|3rd)[ -](?:best|highest|largest|lowest|most|oldest|latest)\b) [^.?]{0,40}?"
    r"\b(?:within|in|of|per|at|for) (?:each|every|its|their) \w+"
)


def _ranked_across(case: Case) -> Finding | None:
    """A rank within each group is asked for, and the only rank is among all rows."""
    ranks = [each for each in case.sql.windows if each.func in _RANKS]
    if len(ranks) != 1 or ranks[0].partition_by or _WITHIN.search(asked(case)) is None:
        return None
    return Finding(1.0, "a rank without PARTITION BY")


def _cut_early(case: Case) -> Finding | None:
    """The rows asked for are cut inside, and a condition of the question is tested outside."""
    cuts = [each for each in case.sql.limits if not each.ranked and each.count in _rows_wanted(case) - {1}]
    outputs = {each.path for each in case.sql.blocks if each.output}
    if len(cuts) != 1 or cuts[0].block in outputs:
        return None
    late = next((each for each in _met(case) if each.block in outputs and _is_plain(each)), None)
    return Finding(1.0, f"LIMIT {cuts[0].count} before {late.text}") if late is not None else None


def _met(case: Case) -> list[SqlFilter]:
    """The conditions of the SQL that the question asks for."""
    return [each for match in case.filters.matched for each in match.present]


def _is_plain(each: SqlFilter) -> bool:
    return each.clause is Clause.WHERE and isinstance(each.rhs, (Text, Number, TimeRange, RelativeTime))


def _ranked_in_all(case: Case) -> Shape | None:
    """The one rank that cuts the rows, where it is among all rows and the first of each group are asked for."""
    ranks = shapes(case, ShapeKind.RANKED)
    found = _EACH_TOP.search(asked(case)) if len(ranks) == 1 and "partitioned" not in ranks[0].words else None
    if found is None or ranks[0].number not in _rows_wanted(case):
        return None
    if any(each.partition_by for each in case.sql.windows):
        return None
    return ranks[0] if found[1] is None or (not _RATES.search(asked(case)) and _shown(found[1], case)) else None


def _rows_wanted(case: Case) -> set[int]:
    """How many rows a LIMIT has that is meant for each group."""
    return {1} | {each.k for each in case.question.superlatives if each.k is not None and each.k <= _MOST_ROWS}


_MOST_ROWS = 20


def _ranks_groups(case: Case) -> bool:
    """Whether something else may take the top of each group."""
    sql = case.sql
    if sql.windows or any(each.partition for each in sql.limits):
        return True
    return any(each.correlated or each.role is SubqueryRole.IN for each in sql.subqueries)


def _shown(word: str, case: Case) -> bool:
    """Whether a column of the answer, or a key of its groups, is named by the word."""
    operands = [each.operand for each in case.answer] + [each.operand for each in case.sql.group_by]
    columns = [column for each in operands for column in each.columns]
    return any(stem(word) in identifier_words(f"{column.table or ''}_{column.name}") for column in columns)


def rank_keeps_more(case: Case) -> Finding | None:
    """A number of rows is asked for, and DENSE_RANK keeps as many different values.

    Five dense ranks may hold thirty rows. Half strength, as few values may be equal.

    >>> rank_keeps_more(case("Who are the top 5 pilots by hours?", "SELECT name FROM (SELECT name, DENSE_RANK() OVER "
    ...     "(ORDER BY hours DESC) AS r FROM pilots) t WHERE r <= 5")).detail
    'denserank up to 5'
    """
    found = shapes(case, ShapeKind.RANKED)
    if not found or _TIED.search(said(case)):
        return None
    asked_rows = {each.k for each in case.question.superlatives if each.k is not None}
    for each in found:
        if each.words[0] == "denserank" and each.number in asked_rows and each.number > 1 and "equal" not in each.words:
            return Finding(0.5, f"{each.words[0]} up to {each.number}")
    return None


_TIED = lazy(
    r"\bties?\b|\bone of (?:the \w+ \w+est|those|these)\b|\b(?:everyone|all) (?:who|with)\b|\btied\b|\bdistinct\b"
    r"|\bdifferent\b|\bunique\b|\bdense\b"
)
