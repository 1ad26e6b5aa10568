"""Signals about order and extremes."""

from __future__ import annotations

from scoring.alignment.outputs.amounts import UNIT_WORDS, asks_amount, holds_any_amount
from scoring.alignment.outputs.dimensions import PICKING
from scoring.alignment.outputs.shown_names import alias_words, shown_names
from scoring.linking import LINKED, best_likeness, content_words, is_named, operand_words
from scoring.patterns import lazy
from scoring.signals.cutting import MANY_MEANINGS, cutting_key, shown_order, worst_has_most
from scoring.signals.definitions import is_defined
from scoring.signals.extreme_words import (
    AGED,
    INVERTED,
    LENGTHS,
    SINCE,
    SPEEDS,
    TIMES,
    YOUNG_OLD,
    is_beginning,
    is_length_of_time,
)
from scoring.signals.finding import Finding, differing
from scoring.specification import Direction, Op, Operand, SortKey, SqlFilter, SqlSpec, SubqueryRole, Superlative
from scoring.values import Expression
from scoring.verdict import Case, NormalizationRule
from scoring.words import identifier_words, letters

EXTREMES = frozenset({"MAX", "MIN"})
TAKING = EXTREMES | {"MODE"} | PICKING
"""Aggregates that give an extreme."""
FIRST_OF = frozenset({"FIRST_VALUE", "LAST_VALUE", "NTH_VALUE", "FIRSTVALUE", "LASTVALUE", "NTHVALUE"})
"""Windows that take one row of an order."""
_RANKS = ("rank(", "dense_rank(", "row_number(", "percent_rank(", "ntile(")


def takes_extreme(case: Case) -> bool:
    """Whether the SQL finds an extreme without an order: by MIN, MAX, a rank, `>= ALL`, or no row beyond it."""
    sql = case.sql
    if any(each.func in TAKING for each in sql.aggregations) or any(each.ranked for each in sql.limits):
        return True
    if any(str(each.rhs).startswith("all") or _is_beyond(each) for each in sql.filters):
        return True
    return "first" in {each.word for each in case.question.superlatives} and _has_no_earlier(sql)


def _has_no_earlier(sql: SqlSpec) -> bool:
    """Whether rows are kept that have none in the same table: `id NOT IN (… WHERE day < '2020-01-01')`."""
    tables = {block.path: set(block.tables) for block in sql.blocks}
    return any(
        each.role in (SubqueryRole.NOT_IN, SubqueryRole.NOT_EXISTS)
        and not tables.get(each.block, set()).isdisjoint(tables.get(each.parent, ()))
        for each in sql.subqueries
    )


def _is_beyond(each: SqlFilter) -> bool:
    """Whether a column is compared with itself in another row: `NOT EXISTS (… WHERE later.day > day)`."""
    own = each.lhs.name if each.lhs is not None else ""
    return each.op in _BEYOND and isinstance(each.rhs, Expression) and each.rhs.text == own


_BEYOND = frozenset({Op.GT, Op.LT, Op.GE, Op.LE})


def _orders_rows(case: Case) -> bool:
    """Whether rows come in an order, or a rank over a window says which."""
    return bool(case.sql.order_by) or any(each.order_by for each in case.sql.windows)


def order_missing(case: Case) -> Finding | None:
    """An extreme or an order is asked for, and the SQL neither orders nor takes an extreme.

    ORDER BY, MIN, MAX, a rank over a window and `>= ALL` would each do. An extreme in a column's name, as `last edit
    date`, asks for nothing.

    >>> order_missing(case("Which city is the largest?", "SELECT name FROM cities")).detail
    "no ORDER BY, MIN or MAX for 'largest'"
    """
    asked = [each.word for each in case.question.superlatives]
    if case.question.ordering is not None and not _orders_rows(case):
        return Finding(1.0, f"no ORDER BY for '{case.question.ordering.phrase}'")
    asked = [word for word in asked if not names_column(word, case)]
    if not asked or _orders_rows(case) or takes_extreme(case):
        return None
    return Finding(0.25 if MANY_MEANINGS.issuperset(asked) else 1.0, f"no ORDER BY, MIN or MAX for '{asked[0]}'")


def names_column(word: str, case: Case) -> bool:
    """Whether an extreme is part of a column's name (`last edit date`) or of a phrase that defines a plain column."""
    if any(word in letters(column.name) for column in case.sql.columns):
        return True
    return any(
        word in definition.phrase.casefold() and definition.columns and not definition.functions
        for definition in case.enriched.definitions
    )


def order_flipped(case: Case) -> Finding | None:
    """The SQL orders in the opposite direction to the one asked for.

    The first rows are the other extreme. Words such as `oldest` fit both directions, depending on whether an age or a
    birthday is ordered, and do not count there.

    >>> order_flipped(case("Which city has the highest population?",
    ...     "SELECT name FROM cities ORDER BY population ASC LIMIT 1")).detail
    'population ASC for highest'
    """
    asked = [each for each in case.question.superlatives if not _is_of_column(each.word, case)]
    if _LIMITS.search(case.asked) is not None:
        return None
    if len({each.direction for each in asked}) == 1:
        return _against(case, asked[0])
    ordering = case.question.ordering
    if ordering is None or ordering.descending is None or not case.sql.order_by or "worst first" in case.asked:
        return None
    first = case.sql.order_by[0]
    if _is_change(ordering.phrase, first) or any(
        _descends(key) is _puts_most_first(key, case) for key in case.sql.order_by
    ):
        return None
    return Finding(1.0, f"{_key(first.operand, descending=first.descending)} for {ordering.phrase}".rstrip())


def _puts_most_first(key: SortKey, case: Case) -> bool:
    """Whether the question wants a key's most first; of what began, the longest is the least."""
    longest, ordering = _LONGEST_FIRST.search(case.asked), case.question.ordering
    turned = longest is not None and _begins(key, longest.group())
    return bool(ordering is not None and ordering.descending) is not turned


def _is_change(phrase: str, key: SortKey) -> bool:
    """Whether a drop is asked for by a difference: the least of the changes, and the most of what was lost."""
    return _FALLS.search(phrase) is not None and " - " in key.operand.name


_LONGEST_FIRST = lazy(r"\blongest(?: \w+)? first\b")
_LOST_MOST = lazy(r"\b(?:lost|dropped|fell|declined|shrank|sank|slipped|down) (?:the )?most\b")
_FALLS = lazy(r"\b(?:drop|decline|decrease|fall|loss|reduction|dip)s?\b")
_LIMITS = lazy(r"\b(?:below|under|over|above|beneath|at|than|their|its) (?:the )?(?:min|max)(?:imum)?\b")
"""A minimum that something is held against: `below min stock`."""


def _is_of_column(word: str, case: Case) -> bool:
    """Whether `first` or `last` is part of the name of a column that is read: `first_reply_at`."""
    return word in PLACES and any(word in identifier_words(column.name) for column in case.sql.columns)


def _against(case: Case, asked: Superlative) -> Finding | None:
    wanted = asked.direction is Direction.MOST
    key = cutting_key(case)
    if worst_has_most(asked, case):
        return None
    if key is not None:
        if _is_loss(key, case) or any(_fits_order(each, asked) for each in (key, *shown_order(case, key.block))):
            return None
        return Finding(1.0, f"{_key(key.operand, descending=key.descending)} for {asked.word}")
    extremes = {each.func for each in case.sql.aggregations if each.func in EXTREMES}
    sure = asked.word not in YOUNG_OLD or (asked.word == "longest" and _takes_lengths(case.sql))
    if len(extremes) == 1 and sure and ("MAX" in extremes) is not wanted:
        return Finding(1.0, f"{extremes.pop()} for {asked.word}")
    return None


def _is_loss(key: SortKey, case: Case) -> bool:
    """Whether who lost the most is found by a difference: the least of the changes is the largest loss."""
    return _LOST_MOST.search(case.asked) is not None and " - " in key.operand.name


def _takes_lengths(sql: SqlSpec) -> bool:
    """Whether no extreme that is taken is a moment, by its column's name: it is a length in some unit."""
    return all(INVERTED.isdisjoint(identifier_words(each.column)) for each in sql.aggregations)


def _fits_order(key: SortKey, asked: Superlative) -> bool:
    """Whether rows come in the order asked for, or in one that may be it."""
    first = _puts_first(key, asked.word)
    if first is not None:
        return _descends(key) is first
    if asked.word in AGED and _is_of_time(key.operand):
        return _descends(key) is (asked.word == "youngest")
    if asked.word in AGED and _DAYS_SINCE.match(key.operand.name) is not None:
        return _descends(key) is not (asked.word == "youngest")
    if _descends(key) is (asked.direction is Direction.MOST):
        return True
    if asked.word in YOUNG_OLD and _may_be_inverted(key.operand):
        return True
    return asked.word in SPEEDS and not LENGTHS.isdisjoint(operand_words(key.operand))


def _puts_first(key: SortKey, word: str) -> bool | None:
    """Whether the most of a length or of a beginning comes first: what began first has gone on for longest."""
    if word in SPEEDS and is_length_of_time(key.operand):
        return word == "slowest"
    return False if _begins(key, word) else None


def _begins(key: SortKey, word: str) -> bool:
    """Whether the longest are asked for by when they began: `longest first` is `ORDER BY arrived_on`."""
    return word.startswith("longest") and _is_column(key.operand) and is_beginning(key.operand.columns[0].name)


_DAYS_SINCE = lazy(
    r"(?:date|timestamp|datetime)_?diff\((?:cast\()?(?:current_|curr?date|now\(|get_?date|sysdate|utc_|today)"
)
"""A length of time up to now: the oldest has the most."""


def _is_of_time(key: Operand) -> bool:
    """Whether a key is a plain column of a day or a year: its least is the oldest."""
    parts = key.columns[0].name.casefold().split("_") if _is_column(key) else ()
    return not TIMES.isdisjoint(parts)


def _may_be_inverted(key: Operand) -> bool:
    """Whether a key may be a date or a rank, of which the least is the oldest or best."""
    words = set(operand_words(key))
    return bool(INVERTED & words) or any(word.endswith(SINCE) for word in words)


def _descends(key: SortKey) -> bool:
    """Whether a key puts the most first: rank 1 of a descending order does, as rows of that order do.

    >>> rank = Operand(name="rank() over (order by sum(fee) desc)")
    >>> _descends(SortKey(operand=rank, descending=False, block="main"))
    True
    """
    name = key.operand.name
    if not name.startswith(_RANKS) or " over (" not in name:
        return key.descending
    ranked = _FIRST_FALLS.match(name.rpartition("order by ")[2]) is not None
    return ranked is not key.descending


_FIRST_FALLS = lazy(r"(?:[^(),]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))* desc\b")
"""An order whose first key falls: its commas in brackets part no keys."""


def _key(operand: Operand, *, descending: bool) -> str:
    return f"{operand.name} {'DESC' if descending else 'ASC'}"


def extreme_taken(case: Case) -> Finding | None:
    """The SQL takes the extreme that the question asks for, in its direction.

    By ORDER BY, MIN, MAX, a rank or `>= ALL`.

    >>> extreme_taken(case("Which city has the highest population?",
    ...     "SELECT name FROM cities ORDER BY population DESC LIMIT 1")).detail
    'highest'
    """
    asked = case.question.superlatives
    if not asked or not (_orders_rows(case) or takes_extreme(case)) or order_flipped(case) is not None:
        return None
    return Finding(1.0, asked[0].word)


def order_unasked(case: Case) -> Finding | None:
    """The SQL orders by something that nothing asks for and no rule excuses.

    The rows are right; their order claims something. By an aggregate descending or a grouped column ascending it is
    [excused](method.md#four-normalisation-rules).

    >>> order_unasked(case("List the cities", "SELECT name FROM cities ORDER BY founded DESC")).detail
    'founded DESC'
    """
    excused = any(each.rule is NormalizationRule.DEFAULT_ORDER_BY for each in case.normalizations)
    asked = case.question.superlatives or case.question.ordering or case.enriched.superlatives or case.enriched.ordering
    formula = any(EXTREMES & set(each.functions) for each in case.enriched.definitions)
    if asked or excused or formula or not case.sql.order_by:
        return None
    first = case.sql.order_by[0]
    return Finding(1.0, _key(first.operand, descending=first.descending))


def order_unlinked(case: Case) -> Finding | None:
    """The column that the SQL orders by does not resemble the measure of the extreme.

    The most expensive thing is looked for by its weight, or the highest spend by a count of rows. Columns that a
    definition names do not count.

    >>> order_unlinked(case("Which parcel has the highest weight?",
    ...     "SELECT id FROM parcels ORDER BY price DESC LIMIT 1")).detail
    'expected → actual: weight → price'
    """
    key = cutting_key(case)
    measured = next((each for each in case.question.superlatives if _measures(each)), None)
    if key is None or measured is None:
        return None
    if _counts_for_amount(key.operand, measured, case) or _is_another(key.operand, measured, case):
        return differing(measured.measure, key.operand.name)
    return None


def _measures(asked: Superlative) -> bool:
    """Whether an extreme is one of a measure: `most recently` is of none."""
    words = content_words(asked.measure)
    return bool(words) and words[-1] not in ("recent", "recently", "often", "frequently")


def _is_another(key: Operand, measured: Superlative, case: Case) -> bool:
    """Whether a key is one column that neither resembles the measure nor may be any amount."""
    words = content_words(measured.measure)
    if not _is_column(key) or measured.word in YOUNG_OLD or is_defined(key.columns[0], case):
        return False
    if words[-1] == "name" or holds_any_amount(key.name):
        return False
    said = [word for word in operand_words(key) if len(word) > 2 and word not in UNIT_WORDS]
    if said and measured.measure not in case.question.text.casefold() and set(said) <= case.question.stems:
        return False
    own = (*operand_words(key), *alias_words(key, shown_names(case.sql)))
    own += tuple(key.columns[0].name.casefold().split("_"))  # `m2` of `area_m2`
    return max(best_likeness(word, own) for word in words) < LINKED


def _counts_for_amount(key: Operand, measured: Superlative, case: Case) -> bool:
    """Whether rows are counted where an amount is asked for: `by spend`, `the most units`."""
    words = content_words(measured.measure)
    if key.func != "COUNT" or not key.name.startswith("count(") or not asks_amount(words):
        return False
    own = {word for column in key.columns for word in identifier_words(column.name)}
    return not is_named(words[-1], own | alias_words(key, shown_names(case.sql)))


def _is_column(operand: Operand) -> bool:
    return len(operand.columns) == 1 and operand.columns[0].name == operand.name


PLACES = frozenset({"top", "bottom", "first", "last"})
"""Words that say where to cut, beside the extreme that says in which order: `the top 3 with the most`."""
