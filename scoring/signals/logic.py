"""Signals about how conditions are negated, compared and joined."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from scoring.alignment.contradictions import excludes
from scoring.alignment.conventions import conventions
from scoring.alignment.matching import NEGATIVE
from scoring.display import show_filter, show_match
from scoring.linking import content_words
from scoring.patterns import lazy
from scoring.signals.compared_values import DOWN, UP, distance_flipped, named_and_excluded, number_flipped
from scoring.signals.filters import literals_of
from scoring.signals.finding import EXPECTED_ACTUAL, Finding
from scoring.signals.keys import is_key
from scoring.signals.spans import age_flipped, distance_from_now_flipped, window_for_calendar
from scoring.signals.times import other_time
from scoring.specification import NEGATION, Clause, Column, Join, Op, QuestionFilter, SqlFilter
from scoring.values import Expression, Number, RelativeTime, Text, TimeRange
from scoring.verdict import Case
from scoring.words import identifier_words


def negation_lost(case: Case) -> Finding | None:
    """The question excludes something and the SQL excludes nothing.

    The answer gives the opposite rows, or all. Every way to exclude counts: `<>`, NOT, NOT IN, EXCEPT, IS NULL, a
    zero or a stored `no`; a stored state other than the one excluded, too: `pending` for what is not approved.

    >>> negation_lost(case("Which suppliers are not in Peru?", "SELECT name FROM suppliers WHERE c = 'Peru'")).detail
    "no negation for 'are not'"
    """
    if not case.question.negations or (excludes(case.sql) and _excludes_more(case)):
        return None
    if any(match.required.op in NEGATIVE for match in case.filters.matched):
        return None
    met = (_told_by_state, _counts_them_as_zero, _is_held_against, _is_labelled, _is_first_of_all, _is_bounded)
    if any(each(case) for each in met) or _OF_ALL.search(case.written) is not None:
        return None
    word = case.question.negations[0]
    met = [match.required.span.casefold() for match in case.filters.matched]
    met += [each.phrase.casefold() for each in case.enriched.definitions]
    if any(re.search(rf"\b{re.escape(word.casefold())}\b", span) for span in met):
        return None
    return Finding(1.0, f"no negation for '{word}'")


def _is_bounded(case: Case) -> bool:
    """Whether the SQL has the bound that says what to leave out: `>= 5` for `skip anything under 5`."""
    left_out = case.question.negations[0].split()[0] in _LEFT_OUT
    return left_out and any(match.required.op in _BOUNDS for match in case.filters.matched)


_LEFT_OUT = frozenset({"skip", "ignore", "drop", "exclude", "leave"})
_BOUNDS = frozenset({Op.GE, Op.GT, Op.LE, Op.LT})


def _is_labelled(case: Case) -> bool:
    """Whether what has no value is shown in a group of its own: `COALESCE(channel, 'not recorded')`."""
    if _FILLS.isdisjoint(case.sql.functions):
        return False
    excluded = {token.stem for token in case.question.tokens if token.start in case.question.excluded}
    labels = (match.group() for match in _LABEL.finditer(case.written[:20_000]))
    return any(excluded & set(content_words(label)) for label in labels)


_FILLS = frozenset({"COALESCE", "NVL", "IFNULL", "ISNULL", "NVL2"})
_LABEL = lazy(r"'(?:\(?(?:not|no|none|un\w{3,}|without|missing|unknown|n/a)\b[^'\n]{0,40})'", re.IGNORECASE)


def _is_first_of_all(case: Case) -> bool:
    """Whether what was never done before is found by the first time of all: `MIN(listened_at) >= '2026-04-01'`."""
    first = any(each.lhs is not None and each.lhs.func == "MIN" for each in case.sql.filters)
    return first and _NEVER_BEFORE.search(case.asked) is not None


_NEVER_BEFORE = lazy(r"\b(?:never|not|no|n't)\b.{0,60}\b(?:before|earlier|until then|previously)\b")


def _is_held_against(case: Case) -> bool:
    """Whether another column is compared with the excluded one: on hand > reserved."""
    excluded = {token.stem for token in case.question.tokens if token.start in case.question.excluded}
    compared = (each.rhs.columns for each in case.sql.filters if isinstance(each.rhs, Expression))
    return any(not excluded.isdisjoint(identifier_words(name)) for names in compared for name in names)


_OF_ALL = lazy(r"\b(?:bool_and|logical_and|every|booland_agg)\s*\(", re.IGNORECASE)
"""Aggregates that leave out things of which one row fails."""


def _excludes_more(case: Case) -> bool:
    """Whether more is left out than what goes without saying: deleted rows, tests, drafts."""
    unsaid = conventions(case.sql.filters, case.question.stems)
    return excludes(replace(case.sql, filters=tuple([each for each in case.sql.filters if each not in unsaid])))


def _counts_them_as_zero(case: Case) -> bool:
    """Whether things without any are to count as zero, and the SQL keeps them behind an outer join."""
    return any(each.kind == "left" for each in case.sql.joins) and _AS_ZERO.search(case.asked) is not None


_AS_ZERO = lazy(r"\b(?:without|no|none|not)\b.{0,60}\b(?:as|are|is|at|show|shows|with) (?:a )?(?:0|zero)\b")
_STATES = frozenset("status state stage phase step outcome progress".split())


def _told_by_state(case: Case) -> bool:
    """Whether a stored state, which is not the one that the question excludes, may tell what has not happened."""
    excluded = {token.stem for token in case.question.tokens if token.start in case.question.excluded}
    if any(map(_names_absence, case.sql.filters)) or any(map(_is_stage, case.sql.filters)):
        return True
    return bool(excluded) and any(excluded.isdisjoint(words) for words in map(_state_words, case.sql.filters) if words)


def _names_absence(each: SqlFilter) -> bool:
    """Whether a state is asked for whose name says that something did not happen: `no_show`, `not_started`."""
    return bool(_state_words(each)) and any(
        isinstance(value, Text) and _ABSENT.match(value.folded) for value in literals_of(each.rhs)
    )


def _is_stage(each: SqlFilter) -> bool:
    """Whether a stage is asked for by a number, or the last time of something lies before another one."""
    if each.lhs is None or each.op not in (Op.EQ, Op.IN, Op.WITHIN):
        return False
    if each.lhs.func == "MAX":
        return isinstance(each.rhs, (TimeRange, RelativeTime)) and each.rhs.start is None
    kinds = any(not _STATES.isdisjoint(identifier_words(column.name)) for column in each.lhs.columns)
    return kinds and any(isinstance(value, Number) for value in literals_of(each.rhs))


_ABSENT = lazy(r"(?:no|non|not|never)[\W_]")


def _state_words(each: SqlFilter) -> list[str]:
    """The words of a state that a condition asks for; none for other conditions."""
    if each.op not in (Op.EQ, Op.IN) or each.lhs is None or each.clause is not Clause.WHERE:
        return []
    if all(_STATES.isdisjoint(identifier_words(column.name)) for column in each.lhs.columns):
        return []
    texts = [value.folded for value in literals_of(each.rhs) if isinstance(value, Text)]
    return [word for text in texts for word in content_words(text) or (text,)]


def comparison_flipped(case: Case) -> Finding | None:
    """The SQL compares in the opposite direction, or with a time before or after the whole time asked for.

    `over 50` became `< 50`, `not in Peru` became `= 'Peru'`, `in 2025` became `> '2025-12-31'`: the answer gives other
    rows only. Nor is the time from a week or a month ago until now last week or last month.

    >>> comparison_flipped(case("Orders with a total over 50", "SELECT id FROM orders WHERE total < 50")).strength
    1.0
    """
    for match in case.filters.mismatched:
        if _OF_EACH_TIME.search(case.asked) is not None and isinstance(match.required.rhs, RelativeTime):
            continue
        if any(_opposite(match.required, each) or _negated(match.required, each, case) for each in match.present):
            return Finding(1.0, f"{EXPECTED_ACTUAL}: {show_match(match)}")
    time = other_time(case) or window_for_calendar(case) or age_flipped(case) or distance_from_now_flipped(case)
    return time or named_and_excluded(case) or distance_flipped(case) or number_flipped(case)


_OF_EACH_TIME = lazy(r"\b(?:their|its|his|her) (?:last|first|final) (?:\d+|few) (?:day|week|month|year)s\b")
"""A time that is counted from a moment of each thing, and not from now."""


def _negated(one: QuestionFilter, other: SqlFilter, case: Case) -> bool:
    """Whether the SQL keeps only the rows with a value that the question excludes, or excludes those it asks for."""
    if other.clause is not Clause.WHERE or other.alternative is not None or NEGATION.get(one.op) is not other.op:
        return False
    return one.rhs == other.rhs and (one.op not in NEGATIVE or not excludes(case.sql))


def _opposite(one: QuestionFilter, other: SqlFilter) -> bool:
    if isinstance(one.rhs, TimeRange) and isinstance(other.rhs, TimeRange) and other.clause is not Clause.CASE:
        return one.op is other.op is Op.WITHIN and not one.rhs.overlaps(other.rhs)
    return (one.op in UP and other.op in DOWN) or (one.op in DOWN and other.op in UP)


def bound_shifted(case: Case) -> Finding | None:
    """The SQL includes a bound that the question excludes, or the other way round.

    `more than 5` became `>= 5`, so the rows at exactly 5 are wrong.

    >>> bound_shifted(case("Orders with more than 5 items", "SELECT id FROM orders WHERE items >= 5")).strength
    1.0
    """
    for match in case.filters.mismatched:
        if any(_shifted(match.required, each) for each in match.present):
            return Finding(1.0, f"{EXPECTED_ACTUAL}: {show_match(match)}")
    return _label_shifted(case)


_LABELLED = lazy(r"<(=?)\s{0,9}(\d{1,9})\s{1,9}then\s{1,9}'\d{1,9}\s?[-–]\s?(\d{1,9})'", re.IGNORECASE)


def _label_shifted(case: Case) -> Finding | None:
    """A class of a CASE is labelled up to another number than its bound: `<= 18` for '0-17'."""
    labels = islice(_LABELLED.finditer(case.written), 50)
    odd = next((each for each in labels if int(each[2]) - int(each[3]) == len(each[1])), None)
    return Finding(1.0, odd[0].lower()) if odd is not None else None


def _shifted(required: QuestionFilter, present: SqlFilter) -> bool:
    same_side = {required.op, present.op} in ({Op.GT, Op.GE}, {Op.LT, Op.LE})
    if not same_side or required.rhs is None or present.rhs is None or required.span.lower().startswith("within"):
        return False
    if isinstance(required.rhs, Number) and isinstance(present.rhs, Number):
        return required.rhs.value == present.rhs.value and not _counts_whole_days(present)
    return required.rhs == present.rhs


_WHOLE_DAYS = lazy(r"timestampdiff\(|timestamp_diff\(|\bfloor\(")


def _counts_whole_days(present: SqlFilter) -> bool:
    """Whether whole units of time are compared: of 60 days and an hour, 60, so that `>= 60` is after 60 days."""
    name = present.lhs.name if present.lhs is not None else ""
    return present.op is Op.GE and _WHOLE_DAYS.match(name) is not None


def conditions_exclude(case: Case) -> Finding | None:
    """Two ANDed conditions can never hold together.

    One row has one value, so the answer is empty. A block that reads a table twice may compare two different rows and
    does not count. Nor can a value be asked of a row that an outer join must not find: `t.kind = 4 AND t.id IS NULL`.

    >>> conditions_exclude(case("Who plays both chess and go?",
    ...     "SELECT name FROM players WHERE game = 'chess' AND game = 'go'")).detail
    "game = 'chess' and 'go'"
    """
    if len(case.sql.filters) < 2:
        return None
    seen: dict[tuple[str, str], SqlFilter] = {}
    for each in case.sql.filters:
        if each.lhs is None or not _pins_value(each) or _read_twice(each, case):
            continue
        if any(column.table is None for column in each.lhs.columns) and "unnest" in case.written.casefold():
            continue  # the elements of an array that is read twice have no table
        other = seen.setdefault((each.block, each.lhs.name), each)
        if other.rhs != each.rhs and other.lhs is not None and other.lhs.columns == each.lhs.columns:
            return Finding(1.0, f"{show_filter(other)} and {each.rhs}")
    return _asked_of_absent(case)


def _asked_of_absent(case: Case) -> Finding | None:
    """A value of a column that is asked for where its row is to be absent."""
    for each, column in _absent_rows(case):
        other = next((other for other in case.sql.filters if _is_beside(other, each, column)), None)
        if other is not None:
            return Finding(1.0, f"{show_filter(each)} and {show_filter(other)}")
    return None


def _absent_rows(case: Case) -> Iterator[tuple[SqlFilter, Column]]:
    """The conditions that keep rows without a partner behind an outer join, with the key that they find NULL."""
    outer = {(join.block, join.table): join for join in case.sql.joins if join.kind == "left"}
    for each in case.sql.filters if outer else ():
        column = _own_column(each) if each.op is Op.IS_NULL else None
        join = outer.get((each.block, column.table or "")) if column is not None else None
        if column is not None and join is not None and _is_key_of(column, join) and not _read_twice(each, case):
            yield each, column


def _is_key_of(column: Column, join: Join) -> bool:
    return is_key(column.name) or any(column in pair for pair in join.pairs)


def _is_beside(each: SqlFilter, absent: SqlFilter, column: Column) -> bool:
    """Whether a condition of the same block asks a value of another column of the same table."""
    own = _own_column(each) if each.block == absent.block and each.op in _VALUED else None
    return own is not None and own.table == column.table and own != column


_VALUED = frozenset({Op.EQ, Op.IN, Op.GT, Op.GE, Op.LT, Op.LE, Op.WITHIN, Op.CONTAINS, Op.STARTS_WITH, Op.NOT_NULL})


def _own_column(each: SqlFilter) -> Column | None:
    """The column of an ANDed condition of WHERE that is on a column itself."""
    plain = each.clause is Clause.WHERE and each.alternative is None and each.lhs is not None
    if not plain or each.lhs is None or len(each.lhs.columns) != 1 or each.lhs.func is not None:
        return None
    column = each.lhs.columns[0]
    return column if each.lhs.name == column.name and column.table is not None else None


def _pins_value(each: SqlFilter) -> bool:
    """Whether it is an ANDed equality with a text or number in WHERE."""
    if each.op is not Op.EQ or each.alternative is not None or each.clause is not Clause.WHERE:
        return False
    return isinstance(each.rhs, Text | Number)


def _read_twice(each: SqlFilter, case: Case) -> bool:
    """Whether its block reads a table twice, so that two conditions may test two different rows."""
    tables = next((block.tables for block in case.sql.blocks if block.path == each.block), ())
    return len(tables) != len(set(tables))
