"""Signals about tables, joins and set operations, and about the words of the question."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import TypeAlias

from scoring.alignment.same_values import TIMES
from scoring.linking import STOP_WORDS, content_words, initials, is_named
from scoring.patterns import lazy
from scoring.signals.finding import Finding, counted
from scoring.signals.keys import owns
from scoring.specification import Column, Join, Op, Operand, SubqueryRole, TokenKind
from scoring.values import Choices, Text
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_FRAME = frozenset(
    "number total sum average mean highest lowest most least maximum minimum max min top first last percentage percent"
    " ratio rate difference more than less over under between count different distinct unique same other only not no"
    " without order sorted ascending descending alphabetical name id year date many much have had has been being"
    " provide state identify mention calculate indicate tell among included belong out one two three five ten"
    " following kind type value please along together both either neither except was were list give would can could"
    " should during within since before after above below per every large small high low big there and for with"
    " corresponding respective respectively information detail all any if return display mention use used using she he"
    " they them her him its it isn't aren't don't doesn't didn't wasn't weren't hasn't haven't contain having whether"
    " belonging called named overall exactly only still yet ever whose such so but because while than as hour"
    " day week month quarter year weekday weekend hourly daily weekly monthly quarterly yearly annual annually trend"
    " get got".split()
)
"""Words that frame a question and name nothing in it; stemmed on use. Other signals look at its periods."""
_FRAME_STEMS = frozenset(stem(word) for word in _FRAME) | frozenset(stem(word) for word in STOP_WORDS)
_SEMI_JOINS = frozenset({SubqueryRole.IN, SubqueryRole.NOT_IN, SubqueryRole.EXISTS, SubqueryRole.NOT_EXISTS})
_BOTH_STEMS = frozenset({"both", "neither"})
_BOTH = lazy(r"\bboth\b|\bneither\b", re.IGNORECASE)


def table_unused(case: Case) -> Finding | None:
    """A table is joined and nothing but its join key is read.

    The join drops rows without a partner and repeats those with several. A table that links two others is in use,
    unless their own keys would have met.

    >>> table_unused(case("List the names of all pilots",
    ...     "SELECT p.name FROM pilots p JOIN flights f ON p.id = f.pilot_id")).detail
    'joined but not used: flights'
    """
    if not case.sql.joins:
        return None
    counts = any(each.column == "*" or each.func == "COUNT" for each in case.sql.aggregations)
    if counts and len(case.sql.joins) < 2:
        return None
    read = read_columns(case)
    if any(column.table is None for column in read):
        return None
    used = _used_beside_keys(read, case.sql.joins) | _looked_up(case)
    links = _links(case.sql.joins)
    unused = [
        table
        for table in _joined(case)
        if table not in used and _is_superfluous(table, links.get(table, frozenset()), case, counts=counts)
    ]
    return counted(unused, "joined but not used", most=1)


def _used_beside_keys(read: set[Column], joins: tuple[Join, ...]) -> set[str | None]:
    """The tables of which more than join keys is read."""
    keys = {column for join in joins for pair in join.pairs for column in pair}
    return {column.table for column in read if column not in keys}


_Link: TypeAlias = tuple[str, str | None]
"""A column of a table that a join equates, and the other table."""


def _links(joins: tuple[Join, ...]) -> dict[str | None, set[_Link]]:
    """The links of each table."""
    links: dict[str | None, set[_Link]] = {}
    for join in joins:
        for pair in join.pairs:
            for mine, other in (pair, pair[::-1]):
                links.setdefault(mine.table, set()).add((mine.name, other.table))
    return links


def _is_superfluous(table: str, links: Set[_Link], case: Case, *, counts: bool) -> bool:
    """Whether a table of which only keys are read could be left out: rows that are counted may need it."""
    others = {other for _, other in links if other != table}
    if len(others) == 1 and _is_looked_up(table, case):
        return False  # each row of the other table has at most one here: nothing is repeated
    if len(others) > 1:
        # A detour links other tables by one column of its own, so that they could be joined directly.
        return len({name for name, _ in links}) == 1
    return not (counts or case.spoken.issuperset(identifier_words(table)[-1:]))


def _is_looked_up(table: str, case: Case) -> bool:
    """Whether other tables refer to a table by its key, and by nothing else: `flights.pilot_id = pilots.id`."""
    pairs = [pair for join in case.sql.joins for pair in join.pairs if table in (pair[0].table, pair[1].table)]
    turned = [pair if pair[0].table == table else pair[::-1] for pair in pairs]
    return all(owns(mine) and not owns(theirs) for mine, theirs in turned)


def _joined(case: Case) -> list[str]:
    """The joined tables, without two of DISTINCT rows, where the join only asks for a partner."""
    blocks = [each for each in case.sql.blocks if len(each.tables) > (2 if each.distinct else 1)]
    return list(dict.fromkeys(table for block in blocks for table in block.tables))


def read_columns(case: Case) -> set[Column]:
    """Columns read for anything but joining, without the keys that a subquery returns."""
    sql = case.sql
    keys = {each.block for each in sql.subqueries if each.role in _SEMI_JOINS} if sql.subqueries else ()
    read: set[Column] = set()
    for each in sql.projections:
        if each.block not in keys:
            read.update(each.operand.columns)
    for each in (*sql.order_by, *sql.group_by):
        read.update(each.operand.columns)
    for each in sql.filters:
        if each.lhs is not None:
            read.update(each.lhs.columns)
    for each in sql.aggregations:
        read.update(each.columns)
    return read


def _looked_up(case: Case) -> set[str | None]:
    """The tables whose columns IN or EXISTS looks up, or looks in: they link as a joined table does."""
    if not case.sql.subqueries:
        return set()
    inner = {each.block for each in case.sql.subqueries if each.role in _SEMI_JOINS}
    found = {column.table for each in case.sql.subqueries if each.key is not None for column in each.key.columns}
    return found | {
        column.table for each in case.sql.projections if each.block in inner for column in each.operand.columns
    }


def join_without_key(case: Case) -> Finding | None:
    """Tables are combined without any condition that links them.

    Every row of one meets every row of the other.

    >>> join_without_key(case("List the pilots' flights", "SELECT f.no FROM pilots p CROSS JOIN flights f")).detail
    'flights'
    """
    if _NESTED_JOIN.search(case.written) is not None:
        return None
    repeated = {table for block in case.sql.blocks for table in block.tables if block.tables.count(table) > 1}
    paired = {column.table for join in case.sql.joins for pair in join.pairs for column in pair}
    for each in case.sql.joins:
        if _needs_no_key(each, case):
            continue
        if "/" not in each.table and each.table in _tables(case) - paired - repeated:
            return Finding(1.0, each.table)
    return None


_NESTED_JOIN = lazy(r"\bjoin\s*\(\s*(?!select\b|with\b|values\b|\()", re.IGNORECASE)
"""Joins in brackets, whose keys are not read."""


def _needs_no_key(join: Join, case: Case) -> bool:
    return bool(join.pairs) or join.bound or join.kind not in _KEYED or _is_one_row(join, case)


def _is_one_row(join: Join, case: Case) -> bool:
    """Whether a CROSS JOIN is with one row: of a key's value, or of the period that holds a moment."""
    if join.kind != "cross":
        return False
    own = [each for each in case.sql.filters if each.lhs and {one.table for one in each.lhs.columns} == {join.table}]
    bounds = {each.lhs for each in own if isinstance(each.rhs, TIMES)}
    return len(bounds) > 1 or any(each.op is Op.EQ and each.lhs and _is_key(each.lhs) for each in own)


def _is_key(operand: Operand) -> bool:
    last = identifier_words(operand.columns[0].name)[-1:]
    return len(operand.columns) == 1 and last in (("code",), ("id",), ("key",), ("name",))


_KEYED = frozenset({"cross", "comma", "inner", "left"})
"""Joins that need a condition.

A table with a key to a third one, as days and shops of sales, is linked by that, and two readings of one table may each
be of one row.
"""


def _tables(case: Case) -> set[str]:
    return {table for block in case.sql.blocks for table in block.tables}


def words_uncovered(case: Case) -> Finding | None:
    """Words of the question resemble nothing that the SQL reads, filters or computes.

    Part of the question may be forgotten. Strength is the share of content words without a counterpart. Schemas use
    other words than people.

    >>> words_uncovered(case("What is the warranty of each printer?", "SELECT colour FROM printers")).detail
    'not covered by the SQL: warranty'
    """
    spoken = _words_to_cover(case)
    if not spoken:
        return None
    vocabulary = sql_words(case)
    spelt = _spelt_by_initials(case, vocabulary)
    lost = [word for word in spoken if word not in spelt and not is_named(word, vocabulary)]
    return Finding(len(lost) / len(spoken), f"not covered by the SQL: {'; '.join(lost[:5])}") if lost else None


def _spelt_by_initials(case: Case, vocabulary: Set[str]) -> set[str]:
    """The stems of two or three words in a row whose first letters are a word of a name: `aov`, `gp`."""
    stems = [token.stem for token in case.question.tokens if token.kind is TokenKind.WORD]
    runs = [stems[start : start + size] for size in (2, 3) for start in range(len(stems) - size + 1)]
    return {each for run in runs if initials(run) in vocabulary for each in run}


def _words_to_cover(case: Case) -> list[str]:
    """The question's content words, but those of met conditions and followed definitions."""
    skip: set[str] = set()
    for match in case.filters.matched:
        lhs = match.required.lhs
        skip.update(content_words(match.required.span))
        skip.update(content_words(lhs.name) if lhs is not None and not lhs.columns else ())
    for each in case.question.superlatives:
        skip.update(content_words(each.word))
    if not case.defined.isdisjoint(case.read):
        for each in case.enriched.definitions:
            skip.update(content_words(each.phrase))
    telling = case.question.stems - _FRAME_STEMS - skip
    if not telling:
        return []
    words = [
        token.stem
        for token in case.question.tokens
        if token.stem in telling and len(token.stem) > 2 and token.kind is TokenKind.WORD
    ]
    return list(dict.fromkeys(words))


_MIDDLES: dict[str, tuple[str, ...]] = dict.fromkeys(
    ("MEDIAN", "QUANTILE", "APPROX_QUANTILE", "APPROX_QUANTILES", "PERCENTILE_CONT", "PERCENTILE_DISC"),
    (stem("median"), stem("percentile"), stem("quantile"), stem("quartile")),
)
"""What aggregates that take a place in an order are called in questions."""


def sql_words(case: Case) -> frozenset[str]:
    """Stemmed words of every table, column and text literal of the SQL."""
    words: set[str] = set()
    for column in case.sql.columns:
        words.update(identifier_words(column.name))
    for block in case.sql.blocks:
        for table in block.tables:
            words.update(identifier_words(table))
    for each in case.answer:
        words.update(identifier_words(each.alias) if each.alias is not None else ())
    for each in case.sql.aggregations:
        words.update(_MIDDLES.get(each.func, ()))
    for each in case.sql.filters:
        for value in each.rhs.members if isinstance(each.rhs, Choices) else (each.rhs,):
            if isinstance(value, Text):
                words.update(map(stem, value.folded.split()))
    return frozenset(words)


def set_operation_missing(case: Case) -> Finding | None:
    """`both` or `neither` is asked for, and the SQL tests one row at a time.

    Two rows of one thing must be compared: by INTERSECT, EXCEPT, a subquery, a second reading of the table, or a
    group.

    >>> set_operation_missing(case("Which players play both chess and go?",
    ...     "SELECT name FROM players WHERE game = 'chess' AND game = 'go'")).strength
    1.0
    """
    found = _BOTH.search(case.question.text) if not _BOTH_STEMS.isdisjoint(case.spoken) else None
    if found is None or case.sql.set_operations or case.sql.group_by or len(case.sql.subqueries) > 0:
        return None
    if found.group().casefold() == "neither" and _excludes_each(case):
        return None
    tables = [table for block in case.sql.blocks for table in block.tables]
    if len(tables) != len(set(tables)):
        return None
    return Finding(1.0, f"'{found.group()}' tested on single rows")


def _excludes_each(case: Case) -> bool:
    """Whether `neither` is met by an anti-join, or by conditions on different columns."""
    anti = any(each.kind == "left" for each in case.sql.joins) and any(
        each.op is Op.IS_NULL for each in case.sql.filters
    )
    return anti or len({each.lhs.name for each in case.sql.filters if each.lhs is not None}) > 1


def rounding_unasked(case: Case) -> Finding | None:
    """A result is rounded though nothing asks for it.

    People seldom mind; execution labels do.

    >>> rounding_unasked(case("What is the mean weight?", "SELECT ROUND(AVG(weight), 2) FROM parcels")).detail
    'ROUND'
    """
    if "ROUND" not in case.sql.functions or any(word.startswith(("round", "decimal")) for word in case.spoken):
        return None
    return Finding(1.0, "ROUND")
