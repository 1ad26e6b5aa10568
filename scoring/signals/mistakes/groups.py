"""Signals about groups that are lost, of one row each, counted twice, or compared the wrong way round."""

from __future__ import annotations

import re

from scoring.alignment.conventions import conventions
from scoring.linking import best_likeness, content_words
from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.events import event_of
from scoring.signals.mistakes.unmet.groups import joined_by_extreme
from scoring.signals.mistakes.unmet.latest import key_of_any_row
from scoring.signals.mistakes.unmet.times.comparisons import more_of_other_side
from scoring.signals.mistakes.unmet.times.moments import overdue_backwards
from scoring.signals.mistakes.wording import asked, first, said, shapes
from scoring.specification import Clause, Column, Op, Projection, SqlFilter, SqlSpec
from scoring.specification.shapes import Shape, ShapeKind
from scoring.sql.shapes.naming import is_name, is_own_key, key_stems, table_words
from scoring.verdict import Case
from scoring.words import identifier_words, stem


def repeats_unused(case: Case) -> Finding | None:
    """A table is joined of which nothing is read, and whose rows repeat those that are counted.

    Each flight counts once for every stop it has. Half strength, as the joined rows may be meant; where the question
    names them, they are.

    >>> repeats_unused(case("How many flights per pilot were late?", "SELECT f.pilot, SUM(CASE WHEN f.late = 1 THEN 1 "
    ...     "ELSE 0 END) FROM flights f JOIN stops s ON s.flight_id = f.id GROUP BY f.pilot")).detail
    'SUM(CASE WHEN f.late = 1 THEN 1 ELSE 0 END) over rows of stops'
    """
    found = shapes(case, ShapeKind.UNUSED_REPEATS)
    spoken = [stem(word) for word in re.findall(r"[a-z]{3,}", said(case))] if found else []
    for each in found:
        head = table_words(each.words[0])[-1:]
        if head and best_likeness(head[0], spoken) < 0.6:
            return Finding(0.5, each.text)
    return None


def group_of_extreme_lost(case: Case) -> Finding | None:
    """A value is looked for among the extremes of all groups, whatever its own group is.

    `pay IN (SELECT MAX(pay) … GROUP BY base)` also finds who earns as much as the best of another base.

    >>> group_of_extreme_lost(case("Who is paid best in each base?",
    ...     "SELECT name FROM pilots WHERE pay IN (SELECT MAX(pay) FROM pilots GROUP BY base)")).strength
    1.0
    """
    found = first(case, ShapeKind.GROUP_LOST)
    return Finding(1.0, found.text) if found is not None else joined_by_extreme(case)


_PER = lazy(r"\b(?:each|every|per|by)\b|\b(?:latest|most recent|highest|lowest|newest|last|first)\b")


def group_of_one_row(case: Case) -> Finding | None:
    """Rows are grouped, or ranked within groups, by their own key, so each is first of its group.

    >>> group_of_one_row(case("What is the latest flight of each pilot?", "SELECT pilot_id, id FROM (SELECT pilot_id, "
    ...     "id, ROW_NUMBER() OVER (PARTITION BY id ORDER BY day DESC) AS r FROM flights) t WHERE r = 1")).strength
    1.0
    """
    found = first(case, ShapeKind.EACH_ALONE)
    return Finding(1.0, found.text) if found is not None and _PER.search(asked(case)) else None


def parts_counted(case: Case) -> Finding | None:
    """Things with enough parts are to be counted, and their parts are.

    The number of pilots with three flights is not the number of their flights.

    >>> parts_counted(case("How many pilots made at least 3 flights?", "SELECT SUM(n) FROM (SELECT pilot_id, COUNT(*) "
    ...     "AS n FROM flights GROUP BY pilot_id HAVING COUNT(*) >= 3) t")).detail
    'SUM of COUNT(*) for the number of pilots'
    """
    found = shapes(case, ShapeKind.SUM_OF_COUNTS)
    counted = _things_counted(case) if found else []
    shown = [each.operand.func for each in case.answer]
    if len(counted) != 1 or shown != ["SUM"]:
        return None
    for each in found:
        for column in each.columns:
            stems = key_stems(column.name)
            thing = stems[-1:] if stems else table_words(column.table or "")[-1:] if is_own_key(column) else ()
            if thing == counted[0][-1:]:
                return Finding(1.0, f"{each.text} for the number of {counted[0][-1]}s")
    return None


def _things_counted(case: Case) -> list[tuple[str, ...]]:
    counted = [content_words(each.column) for each in case.question.aggregations if each.func == "COUNT"]
    return [words for words in counted if words]


def null_counted(case: Case) -> Finding | None:
    """COUNT of a column where it is NULL: the number is always 0.

    >>> null_counted(case("How many parcels have no weight?",
    ...     "SELECT COUNT(weight) FROM parcels WHERE weight IS NULL")).detail
    'COUNT(weight) where it is NULL'
    """
    found = first(case, ShapeKind.NULL_COUNTED)
    return Finding(1.0, found.text) if found is not None else None


def alternatives_split(case: Case) -> Finding | None:
    """A condition beside two alternatives binds to the second alone, because brackets are missing.

    `city = 'Oslo' OR city = 'Bergen' AND late = 1` keeps all of Oslo.

    >>> alternatives_split(case("Late parcels to Oslo or Bergen",
    ...     "SELECT id FROM parcels WHERE city = 'Oslo' OR city = 'Bergen' AND late = 1")).strength
    1.0
    """
    found = first(case, ShapeKind.MIXED_OR)
    return Finding(1.0, found.text) if found is not None else _excused_by_other(case)


def _excused_by_other(case: Case) -> Finding | None:
    """A condition of the house, as that rows are no tests, holds only where another one on something else does not."""
    for each in conventions(case.sql.filters, case.question.stems):
        beside = [other for other in case.sql.filters if other.alternative == each.alternative and other is not each]
        odd = next((other for other in beside if _is_else(other, each)), None)
        if each.alternative is not None and each.clause is Clause.WHERE and odd is not None:
            return Finding(1.0, f"{each.text} OR {odd.text}")
    return None


def _is_else(other: SqlFilter, each: SqlFilter) -> bool:
    """Whether two conditions of a block are on different columns; none tells by NULL that there is no such row."""
    if other.block != each.block or other.lhs is None or each.lhs is None:
        return False
    if other.op is Op.IS_NULL and any(key_stems(column.name) is not None for column in other.lhs.columns):
        return False
    return {column.name for column in other.lhs.columns}.isdisjoint(column.name for column in each.lhs.columns)


def count_bounded_for_all(case: Case) -> Finding | None:
    """HAVING bounds a count, and nothing groups, so the count is one of all rows.

    >>> count_bounded_for_all(case("How many pilots made at least 3 flights?",
    ...     "SELECT COUNT(*) FROM flights HAVING COUNT(*) >= 3")).detail
    'COUNT(*) >= 3 of all rows'
    """
    found = first(case, ShapeKind.HAVING_ALONE)
    if found is None or not case.question.filters or found.text.endswith("> 0"):
        return None
    return Finding(1.0, f"{found.text} of all rows")


_IN_EACH = lazy(
    r"(?:%|\b(?:percentage|percent|share|proportion|fraction)) of (?:the |all |our )?\w+(?: \w+)? (?:from"
    r"|in|of|at|by|for|per|within) (?:each|every)\b"
    r"|\b(?:for|in) each \w+,? (?:what|which|the) (?:%|percent\w*|share|proportion) of (?!all\b|(?:the )?total\b)"
    r"|\bof (?:that|its|the same|each) (?:day|week|month|quarter|year|region|country|group)(?:'s|’s) total\b"
    r"|\bshare of (?:that|its own|their own) \w+(?:'s|’s)?\b"
    r"|\b(?:by|per) \w+[:,] (?:what|which) (?:%|percent\w*|share|proportion) of\b"
    r"|(?:%|\b(?:pct|percent\w*|share|proportion)) of \w+ (?:that|which|who) \w+\b[^.;?]{0,60}\bper \w+"
)


def share_of_all_for_group(case: Case) -> Finding | None:
    """A share of each group's own rows is asked for, and all rows are the base.

    `percentage of flights from each base that were late` divides by the flights of the base.

    >>> share_of_all_for_group(case("What percentage of flights from each base was late?", "SELECT base, 100.0 * "
    ...     "COUNT(*) / (SELECT COUNT(*) FROM flights) FROM flights WHERE late = 1 GROUP BY base")).strength
    1.0
    """
    found = first(case, ShapeKind.BASE_OF_ALL)
    return Finding(1.0, found.text) if found is not None and _IN_EACH.search(asked(case)) else None


_AFTER = lazy(
    r"\b(?=[a-z]\w*_\w)(\w+) (?:is |was |lies )?(after|later than|before|earlier than|greater than|higher than"
    r"|less than|lower than|>|<) (?:the |its |their )?([a-z]\w*_\w+)\b"
)
_MORE_WORDS = frozenset({"after", "later than", "greater than", "higher than", ">"})
_LATE = lazy(r"\blate\b|\boverdue\b|\bdelayed\b|\bafter (?:the|their|its) due\b")
_EARLY = lazy(r"\bon[- ]time\b|\bearly\b|\bnot late\b|\bwithout\b|\bbefore\b")


def columns_compared_backwards(case: Case) -> Finding | None:
    """Two columns are compared the other way round than stated, or late is what came before its time.

    >>> columns_compared_backwards(case("How many parcels came late?",
    ...     "SELECT COUNT(*) FROM parcels WHERE delivered_on < promised_on")).detail
    'delivered_on < promised_on'
    """
    orders = {_names(each): each.text for each in shapes(case, ShapeKind.COLUMNS_COMPARED)}
    if not orders:
        return overdue_backwards(case)
    for match in _AFTER.finditer(said(case)):
        more, less = (match[1], match[3]) if match[2] in _MORE_WORDS else (match[3], match[1])
        if (less, more) in orders and (more, less) not in orders:
            return Finding(1.0, orders[less, more])
    other = more_of_other_side(case)
    return Finding(1.0, other) if other is not None else _late_backwards(orders, case) or _limit_backwards(orders, case)


_LIMIT = lazy(
    r"\b(below|under|less than|lower than|above|over|more than|higher than|exceed(?:s|ing|ed)?) "
    r"(?:their|its|the|his|her) (?:own )?(\w+) (\w+)\b"
)


def _limit_backwards(orders: dict[tuple[str, str], str], case: Case) -> Finding | None:
    """What is below its limit is asked for, and the SQL keeps what is above, or the other way round."""
    for words, *limit in _LIMIT.findall(asked(case)):
        below = words in ("below", "under", "less than", "lower than")
        for (more, less), text in orders.items():
            bound, other = (less, more) if below else (more, less)
            odd = set(map(stem, limit)) <= set(identifier_words(bound)) and (less, more) not in orders
            if odd and not set(map(stem, limit)) <= set(identifier_words(other)):
                return Finding(1.0, text)
    return None


def _names(shape: Shape) -> tuple[str, str]:
    return shape.columns[0].name, shape.columns[1].name


def _late_backwards(orders: dict[tuple[str, str], str], case: Case) -> Finding | None:
    """What came before its planned time is taken for late."""
    if not _LATE.search(asked(case)) or _EARLY.search(said(case)) or _INVERSE.search(case.written.casefold()):
        return None
    if any(_is_planned(less) for _, less in orders):
        return _in_time_for_late(orders)
    backwards = [text for (more, less), text in orders.items() if _is_planned(more) and event_of(less)]
    return Finding(1.0, backwards[0]) if backwards else None


def _in_time_for_late(orders: dict[tuple[str, str], str]) -> Finding | None:
    """What came on the very day of its planned time is taken for late: `delivered >= promised`."""
    [((more, less), text), *others] = orders.items()
    even = not others and "=" in text and _is_planned(less) and event_of(more)
    return Finding(1.0, f"{text}: in time is not late") if even else None


_INVERSE = lazy(r"\b1(?:\.0)? -|\b100(?:\.0)? -|\bnot\b(?! null)")


def _is_planned(name: str) -> bool:
    return event_of(name) in ("plan", "due")


_EXTREME = lazy(
    r"\b(?:highest|lowest|most|least|best|worst|top|latest|(?:larg|small|bigg|old|young|new|earli|cheap)est)\b"
)


def name_of_any_row(case: Case) -> Finding | None:
    """The name of who has the extreme is asked for, and the first or last name of the alphabet comes.

    MAX(name) beside MAX(pay) belongs to another row.

    >>> name_of_any_row(case("Who is the highest paid pilot in each base?",
    ...     "SELECT base, MAX(name) FROM pilots GROUP BY base")).detail
    'max(name)'
    """
    other = key_of_any_row(case)
    return Finding(1.0, other) if other is not None else _name_of_any_row(case)


def _name_of_any_row(case: Case) -> Finding | None:
    named = [each for each in case.answer if _extreme_name(each)] if case.sql.group_by else []
    if not named or "alphabet" in asked(case):
        return None
    extreme = _EXTREME.search(asked(case)) is not None
    wanted = set[str]() if extreme else _things_grouped(case)
    found = [each for each in named if extreme or wanted.intersection(_thing_named(each))]
    odd = next((each for each in found if not _is_grouped_by(_thing_named(each), case)), None)
    return Finding(1.0, odd.operand.name) if odd is not None else None


def _thing_named(shown: Projection) -> tuple[str, ...]:
    """The thing whose name MAX or MIN takes; none where neither does, or its table is not known."""
    column = _extreme_name(shown)
    return table_words(column.table or "")[-1:] if column is not None else ()


def _is_grouped_by(thing: tuple[str, ...], case: Case) -> bool:
    """Whether a key of the thing, or of the rows themselves, is grouped by."""
    stems = [key_stems(column.name) for key in case.sql.group_by for column in key.operand.columns]
    return () in stems or thing in [each[-1:] for each in stems if each]


def _things_grouped(case: Case) -> set[str]:
    """The things of which the question asks for a value of each."""
    return {word for phrase in case.question.group_by for word in content_words(phrase)[-1:]}


def _extreme_name(shown: Projection) -> Column | None:
    """The column of names of which MAX or MIN is shown, if one is."""
    columns = shown.operand.columns
    if shown.operand.func not in ("MAX", "MIN") or len(columns) != 1 or "keep" in shown.operand.name:
        return None
    return columns[0] if is_name(columns[0].name) else None


def extreme_of_each_row(case: Case) -> Finding | None:
    """One thing of each group is asked for, and MAX is taken of every thing's own rows.

    Grouped by base and name, each pilot is the best of the group.

    >>> extreme_of_each_row(case("Who is the highest paid pilot in each base?",
    ...     "SELECT base, name, MAX(pay) FROM pilots GROUP BY base, name")).detail
    'max(pay) by base, name'
    """
    sql = case.sql
    extreme = next((each.operand.name for each in case.answer if each.operand.func in ("MAX", "MIN")), None)
    keys = [key.operand for key in sql.group_by if key.block in sql.outputs]
    if extreme is None or len(keys) < 2 or not _ONE_OF_EACH.search(asked(case)) or _chooses(sql):
        return None
    named = any(is_name(column.name) for key in keys for column in key.columns[:1])
    return Finding(1.0, f"{extreme} by {', '.join(key.name for key in keys[:3])}") if named else None


def _chooses(sql: SqlSpec) -> bool:
    """Whether something else than MAX may choose the rows."""
    return bool(sql.windows or sql.limits or sql.subqueries or sql.having)


_ONE_OF_EACH = lazy(
    r"\b(?:who|which \w+) (?:is|was|has|had|are|were)\b[^.?]{0,40}\b(?:highest|lowest|most|least|largest"
    r"|smallest|best|worst|top|oldest|youngest|newest)"
    r"\b[^.?]{0,60}\b(?:in|of|for|per|within|from) (?:each|every)\b"
)
