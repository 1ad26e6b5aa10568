"""Signals about the rows that an exclusion, a subquery, an outer join or a LIMIT keeps."""

from __future__ import annotations

import re

from scoring.alignment.lengths import BOUNDS
from scoring.alignment.same_values import TIMES
from scoring.display import show_filter
from scoring.linking import content_words, is_named
from scoring.patterns import lazy
from scoring.signals.compared_values import misses_either
from scoring.signals.filters import applied
from scoring.signals.finding import Finding
from scoring.signals.keys import is_key, one_sides, repeated_tables
from scoring.specification import Block, Clause, Op, Projection, SqlFilter, SqlSpec, SubqueryRole
from scoring.sql.shapes.naming import is_own_key
from scoring.values import Choices, Expression, Number, Text
from scoring.verdict import Case
from scoring.words import identifier_words


def join_outer_missing(case: Case) -> Finding | None:
    """The SQL looks for things without a partner behind an inner join, which drops exactly those.

    `HAVING COUNT(*) = 0` or `IS NULL` on a key can only be true behind an outer join.

    >>> join_outer_missing(case("Which pilots have no flights?", "SELECT p.name FROM pilots p "
    ...     "JOIN flights f ON p.id = f.pilot_id GROUP BY p.id HAVING COUNT(*) = 0")).detail
    'count(*) = 0'
    """
    kinds = {each.kind for each in case.sql.joins}
    if "inner" not in kinds or not kinds.isdisjoint({"left", "right", "full"}):
        return None
    found = next((each for each in case.sql.filters if _sought_absent(each, case)), None)
    return Finding(1.0, show_filter(found)) if found is not None else None


def _sought_absent(each: SqlFilter, case: Case) -> bool:
    if each.lhs is None:
        return False
    if each.clause is Clause.HAVING:
        counts_rows = _COUNT_OF_ROWS.fullmatch(each.lhs.name) is not None  # and not those that meet a condition
        return each.op is Op.EQ and counts_rows and isinstance(each.rhs, Number) and not each.rhs.value
    joined = {join.table for join in case.sql.joins}
    columns = [column for column in each.lhs.columns[:1] if column.table is None or column.table in joined]
    return each.op is Op.IS_NULL and bool(case.question.negations) and any(is_key(column.name) for column in columns)


_COUNT_OF_ROWS = lazy(r"count\((?:distinct )?[\w.*]+\)")


def exclusion_wrong_table(case: Case) -> Finding | None:
    """The rows that an exclusion starts from are not those of the thing asked for.

    Pilots who never flew are missing from the table of flights, so EXCEPT and NOT IN must start from the table of
    pilots.

    >>> exclusion_wrong_table(case("Which pilots do not fly gliders?",
    ...     "SELECT pilot_id FROM flights EXCEPT SELECT pilot_id FROM flights WHERE plane = 'glider'")).detail
    'flights may lack some: pilot'
    """
    if not case.question.negations or _of_two_times(case):
        return None
    kept, things = _excluded_from(case.sql), _thing_words(case)
    if not kept or not things:
        return None
    for block in (each for each in case.sql.blocks if each.path in kept):
        if (
            block.tables
            and not _names(block, things | _before_negation(case))
            and not _is_of_things(block, things, case)
        ):
            return Finding(1.0, f"{', '.join(block.tables)} may lack some: {', '.join(sorted(things))}")
        if len(block.tables) > 1 and not _only_looked_up(block, case):
            return Finding(0.5, f"{', '.join(block.tables)} joined before the exclusion")
    return None


def _of_two_times(case: Case) -> bool:
    """Whether who did something at one time and not at another is asked for: those are among the ones who did it."""
    ops = {each.op for each in case.question.filters if isinstance(each.rhs, TIMES)}
    return {Op.WITHIN, Op.NOT_WITHIN} <= ops


def _names(block: Block, words: set[str]) -> bool:
    named = {word for table in block.tables for word in identifier_words(table)}
    return any(is_named(word, named) for word in words)


def _only_looked_up(block: Block, case: Case) -> bool:
    """Whether all joined tables but one are referred to by its rows, or by those of another, so they stay as many."""
    tables = set(block.tables)
    return len(tables - one_sides(case)) == 1 or tables - repeated_tables(case) == {block.tables[0]}


def _is_of_things(block: Block, things: set[str], case: Case) -> bool:
    return _shows_said(block, things, case) or _holds_own_key(block, case) or _keeps_kind(block, case)


_KINDS = frozenset({"type", "typ", "kind", "class", "category", "cat"})


def _keeps_kind(block: Block, case: Case) -> bool:
    """Whether rows of one kind are kept, which the question may call by its name: `loc_type = 'P'` for pubs."""
    return any(
        each.block == block.path and each.op is Op.EQ and not _KINDS.isdisjoint(identifier_words(column.name)[-1:])
        for each in case.sql.filters
        for column in (each.lhs.columns[:1] if each.lhs is not None else ())
    )


def _holds_own_key(block: Block, case: Case) -> bool:
    """Whether rows are kept by the key of their own table, whatever the question calls them: `ships` of `vessels`."""
    return any(column.table in block.tables and is_own_key(column) for column in case.sql.columns)


def _shows_said(block: Block, things: set[str], case: Case) -> bool:
    """Whether columns are asked for of a table that the question names: `customers …, list names and emails`."""
    shown = {word for each in case.answer for column in each.operand.columns for word in identifier_words(column.name)}
    tables = {word for table in block.tables for word in identifier_words(table)}
    return things <= shown and any(is_named(word, frozenset(case.question.stems)) for word in tables)


def _thing_words(case: Case) -> set[str]:
    """The words of the things asked for."""
    return {word for each in case.things for word in content_words(f"{each.phrase} {each.of or ''}")}


def _before_negation(case: Case) -> set[str]:
    """The longer words of the question before its negation: `customers` in `which customers have never ordered`."""
    begin = case.question.text.casefold().find(case.question.negations[0].casefold())
    return {token.stem for token in case.question.tokens if token.start < begin and len(token.stem) > _SHORT_WORD}


_SHORT_WORD = 3


def _excluded_from(sql: SqlSpec) -> set[str]:
    """The blocks that an exclusion takes rows away from."""
    kept = {each.left for each in sql.set_operations if each.kind.startswith(("except", "minus"))}
    return kept | {each.parent for each in sql.subqueries if each.role is SubqueryRole.NOT_IN}


def both_read_as_either(case: Case) -> Finding | None:
    """Two values or bounds that must both be met are tested as either.

    `IN ('Kite', 'Swan')` also finds who flew only one. Such a question needs two subqueries, INTERSECT or a count per
    group. Half strength where the question says only `and`, not `both`.

    >>> both_read_as_either(case("Which pilots flew both 'Kite' and 'Swan'?",
    ...     "SELECT pilot FROM flights WHERE plane IN ('Kite', 'Swan')")).detail
    "plane in ('kite', 'swan')"
    """
    if _may_ask_for_both(case):
        return None
    for each in applied(case):
        if each.op is Op.IN and isinstance(each.rhs, Choices) and len(each.rhs.members) == 2:
            strength = _conjoined([value.folded for value in each.rhs.members if isinstance(value, Text)], case)
            if strength:
                return Finding(strength, show_filter(each))
    return _spread(case)


def _may_ask_for_both(case: Case) -> bool:
    """Whether the SQL unites or counts rows, or reads a table twice, so that both values may be met."""
    tables = [table for block in case.sql.blocks for table in block.tables]
    grouped = bool(case.sql.group_by) and not _counts_who_has_both(case)
    return bool(case.sql.set_operations) or grouped or len(tables) != len(set(tables))


def _counts_who_has_both(case: Case) -> bool:
    """Whether different things that have both are to be counted, in groups that no count of the two keeps."""
    counts = any(each.func == "COUNT" and each.distinct and not each.conditional for each in case.sql.aggregations)
    return "both" in case.spoken and counts and not case.sql.having and len(case.sql.blocks) == 1


def _conjoined(values: list[str], case: Case) -> float:
    text = case.question.text.casefold()
    values = [value if value in text else value.replace("_", " ") for value in values]
    places = sorted((text.find(value), value) for value in values)
    if len(values) != 2 or places[1][0] < 0:
        return 0.0
    if places[0][0] < 0:
        return 1.0 if re.search(rf"\bboth \w+ and (?:\w+ ){{0,3}}{re.escape(places[1][1])}\b", text) else 0.0
    between = text[places[0][0] + len(places[0][1]) : places[1][0]]
    if len(between) > 40 or " and " not in f" {between} " or " or " in between:
        return 0.0
    if "both" in case.spoken:
        return 1.0
    return 0.0 if _OF_EITHER.search(text[: places[0][0]]) is not None else 0.5


_OF_EITHER = lazy(r"\b(?:for|from|of|across|at)(?: the| our)?\s+['\"]?\Z")
"""Before two values of which a row has one or the other: `loans for children and teens`."""


def _spread(case: Case) -> Finding | None:
    """`below 30 and above 40` of one column, ORed: one row cannot be both, two rows can."""
    ored = [each for each in applied(case) if each.alternative is not None and each.lhs is not None]
    if len(ored) != 2:
        return None
    one, other = ored
    odd = _spreads(one, other, case) or misses_either(one, other, case)
    return Finding(1.0, f"{show_filter(one)} or {show_filter(other)}") if odd else None


def _spreads(one: SqlFilter, other: SqlFilter, case: Case) -> bool:
    if "or" in case.spoken or "and" not in case.spoken or Op.IS_NULL in (one.op, other.op):
        return False
    return one.lhs == other.lhs and one.op is not other.op


def extreme_scope(case: Case) -> Finding | None:
    """An extreme is sought among other rows than those it is compared with.

    The oldest of all pilots need not live in Oslo, so the comparison may find nobody: the subquery needs the same
    conditions as the outer query.

    >>> extreme_scope(case("Who is the oldest pilot in Oslo?",
    ...     "SELECT name FROM pilots WHERE city = 'Oslo' AND age = (SELECT MAX(age) FROM pilots)")).detail
    "max(age) without city = 'oslo'"
    """
    alone = (each for each in case.sql.subqueries if each.role is not SubqueryRole.DERIVED and not each.correlated)
    parents = {each.block: each.parent for each in alone}
    extremes = [each for each in case.sql.projections if _is_sought(each) and each.block in parents]
    for each in extremes[:8]:
        if _measures(each.block, case):
            continue
        inner = _conditions(case, each.block, nested=True)
        outer = _conditions(case, parents[each.block], nested=False)
        if inner.keys() != outer.keys():
            odd = next(iter(sorted(inner.keys() ^ outer.keys())))
            return Finding(1.0, f"{each.operand.name} {'with' if odd in inner else 'without'} {(inner | outer)[odd]}")
    return None


def _is_sought(each: Projection) -> bool:
    """Whether it is an extreme, other than the latest state that is stored: MAX(snapshot_date)."""
    return each.operand.func in ("MAX", "MIN") and _STORED.search(each.operand.name) is None


_STORED = lazy(r"snapshot|snap_|as_?of|stand_|stichtag|(?:load|extract|stock|balance)_?(?:date|day|dt)")


def _measures(path: str, case: Case) -> bool:
    """Whether rows above or below the extreme of a subquery are sought, and not those that have it."""
    bounds = (each for each in case.sql.filters if each.op in BOUNDS and isinstance(each.rhs, Expression))
    parents = {each.parent for each in case.sql.subqueries if each.block == path}
    return any(each.block in parents for each in bounds)


def _conditions(case: Case, path: str, *, nested: bool) -> dict[tuple[str, str], str]:
    return {
        (each.lhs.name, str(each.rhs)): show_filter(each)
        for each in applied(case)
        if each.lhs is not None
        and each.op is not Op.NOT_NULL
        and not isinstance(each.rhs, Expression)
        and (each.block == path or (nested and each.block.startswith(path)))
    }


def join_outer_unasked(case: Case) -> Finding | None:
    """An outer join keeps rows without a partner, and nothing looks for them.

    Such rows add NULLs or zeros. Questions often mean them, though.

    >>> join_outer_unasked(case("How many flights has each pilot?", "SELECT p.name, COUNT(f.id) FROM pilots p "
    ...     "LEFT JOIN flights f ON p.id = f.pilot_id GROUP BY p.id")).detail
    'left join of flights'
    """
    kept = next((each for each in case.sql.joins if each.kind in {"left", "right", "full"}), None)
    if kept is None or any(each.op is Op.IS_NULL for each in case.sql.filters):
        return None
    return Finding(1.0, f"{kept.kind} join of {kept.table}")


def ties_cut(case: Case) -> Finding | None:
    """One row is kept where several may share the extreme.

    `LIMIT 1` drops all but one of those who share first place. Most questions mean one.

    >>> ties_cut(case("Which pilot is the oldest?", "SELECT name FROM pilots ORDER BY age DESC LIMIT 1")).detail
    'oldest: LIMIT 1'
    """
    asked = next((each for each in case.question.superlatives if each.k == 1), None)
    if asked is None or not any(each.count == 1 for each in case.sql.limits):
        return None
    return Finding(1.0, f"{asked.word}: LIMIT 1")


def _written_twice(columns: set[str], case: Case) -> bool:
    """Whether each condition stands in every branch of the OR, so that no parentheses are needed."""
    sql = case.written.casefold()
    return all(len(re.findall(rf"\b{re.escape(name)}\b", sql)) > 1 for name in list(columns)[:20])


_BRACKETED = lazy(r"\bor\s*\([^()]*\band\b|\band\b[^()]*\)\s*or\b", re.IGNORECASE)
"""An arm of an OR whose own conditions stand in brackets: the AND was meant to bind closer."""


def or_unparenthesized(case: Case) -> Finding | None:
    """Every condition depends on one OR though the question joins some by `and`.

    AND binds closer than OR, so `a OR b AND c` lets rows through that fail `c`: parentheses are missing.

    >>> or_unparenthesized(case("Heavy or fragile parcels from Faro that are late",
    ...     "SELECT id FROM parcels WHERE heavy = 1 OR fragile = 1 AND late = 1 AND origin = 'Faro'")).detail
    'heavy = 1 or fragile = 1 or late = 1'
    """
    ored: dict[str, list[SqlFilter]] = {}
    for each in applied(case):
        if each.clause is Clause.WHERE:
            ored.setdefault(each.block, []).append(each)
    for filters in ored.values():
        columns = {each.lhs.name for each in filters if each.lhs is not None}
        alternatives = {each.alternative for each in filters}
        bound = min(len(filters), len(columns)) > 2 and len(alternatives) == 1 and None not in alternatives
        if bound and not _written_twice(columns, case) and not _BRACKETED.search(case.written):
            return Finding(1.0, " or ".join(show_filter(each) for each in filters[:3]))
    return None
