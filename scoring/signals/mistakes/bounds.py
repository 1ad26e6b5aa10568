"""Signals about bounds: of which rows, groups or values a number that the question names is the bound."""

from __future__ import annotations

from collections.abc import Iterable

from scoring.linking import content_words, is_named
from scoring.patterns import lazy
from scoring.signals.finding import Finding, differing
from scoring.signals.mistakes.unmet.bounds import kept_by_part, value_of_any_row
from scoring.signals.mistakes.unmet.levels import mean_bounded, parts_bounded, rows_bounded_by_group, sum_bounded_by_row
from scoring.signals.mistakes.wording import asked, cue, said
from scoring.specification import Clause, Column, Filter, Op, Operand, QuestionFilter, SqlFilter, SqlSpec
from scoring.sql.shapes.naming import is_name, is_own_key, key_stems, table_words
from scoring.values import Choices, Number
from scoring.verdict import Case
from scoring.words import identifier_words, stem


def _ends(names: Iterable[tuple[str, ...]], word: str) -> bool:
    """Whether some name ends with a word."""
    return any(word in name[-1:] for name in names)


def bound_at_wrong_level(case: Case) -> Finding | None:
    """A number of parts is asked of each thing, and the SQL counts the parts of a larger group.

    `routes with at least 3 stops` needs the count of stops for each route, not for each country.

    >>> bound_at_wrong_level(case("Average fare per country, for routes with at least 3 stops",
    ...     "SELECT r.country, AVG(s.fare) FROM routes r JOIN stops s ON s.route_id = r.id GROUP BY r.country "
    ...     "HAVING COUNT(*) >= 3")).detail
    'count(*) >= 3 of each country, not of each route'
    """
    bounds = [each for each in case.sql.having if _bounds_count(each)]
    odd = value_of_any_row(case) if bounds else kept_by_part(case)
    return odd or (_bounded_elsewhere(bounds, case) if bounds else None)


def _bounded_elsewhere(bounds: list[SqlFilter], case: Case) -> Finding | None:
    """The bound of a count whose groups are not those of the thing whose parts the question bounds."""
    words = [stem(match[1]) for match in _HOLDERS.finditer(asked(case))]
    if not words or not _is_read(words[0], case) or (case.grouping.missing and not case.question.group_by):
        return None
    for each in bounds:
        keys = [key.operand for key in case.sql.group_by if key.block == each.block]
        if _tells_others(keys, words[0]):
            names = ", ".join(key.name for key in keys[:3])
            return Finding(1.0, f"{each.text} of each {names}, not of each {words[0]}")
    return None


def _is_read(word: str, case: Case) -> bool:
    """Whether a table of the things is read, or different ones are counted by their key."""
    tables = [table_words(table) for block in case.sql.blocks for table in block.tables]
    if _ends(tables, word):
        return True
    counted = [each for each in case.sql.aggregations if each.func == "COUNT" and each.distinct]
    return any(_identifies(column, word) for each in counted for column in each.columns)


def _bounds_count(each: SqlFilter) -> bool:
    return each.lhs is not None and each.lhs.func == "COUNT" and isinstance(each.rhs, Number)


def _tells_others(keys: list[Operand], word: str) -> bool:
    """Whether groups are not those of one thing: no key of them identifies it."""
    columns = [column for key in keys for column in key.columns]
    return bool(columns) and not any(_identifies(column, word) for column in columns)


_HOLDERS = lazy(
    r"\b([a-z]+s)\b (?:(?:in|of|per) (?:each|every) \w+ )?(?:that |who |which )?"
    r"(?:with|having|have|has|had|got|received|threw|made|sent|took|raised|placed|logged|reported)"
    r" (?:(?:at least|at most|more than|fewer than|less than|over|under|exactly|no more than|\d+ or more)\b|\d+\+)"
)


def _identifies(column: Column, word: str) -> bool:
    """Whether a column tells one thing of that name from another: its key, its name, or a key elsewhere."""
    stems, words = key_stems(column.name), identifier_words(column.name)
    if stems is not None and (is_own_key(column) or any(word.startswith(each) for each in stems[-1:])):
        return True
    own = table_words(column.table or "")[-1:] == (word,)
    named = any(word.startswith(each) for each in words if len(each) > 2)
    return (is_name(column.name) and (own or named)) or words[-1:] == (word,) or words in {(word, "cd"), (word, "code")}


def value_for_count(case: Case) -> Finding | None:
    """A number of things is bounded, and the SQL bounds a value.

    >>> value_for_count(case("Which routes have at least 3 stops?", "SELECT r.name FROM routes r JOIN stops s ON "
    ...     "s.route_id = r.id WHERE s.minutes >= 3")).detail
    'expected → actual: stops >= 3 → minutes >= 3'
    """
    for required in case.question.filters:
        phrase = required.lhs.name if required.lhs is not None else ""
        if required.op in _BOUNDS and _is_number_of_things(required, phrase, case):
            found = _value_bounded(required, "".join(content_words(phrase)[-1:]) or "time", case)
            wanted = f"{phrase or 'times'} {required.op.value} {required.rhs}"
            return differing(wanted, found.text) if found is not None else mean_bounded(case)
    return None


def _is_number_of_things(required: QuestionFilter, phrase: str, case: Case) -> bool:
    """Whether a bound is one on how many rows of a table there are, or how many times something was done."""
    heads = {word for block in case.sql.blocks for table in block.tables for word in table_words(table)[-1:]}
    times = isinstance(required.rhs, Number) and required.rhs.unit == "times"
    counted = phrase.endswith("s") and not heads.isdisjoint(content_words(phrase)[-1:])
    return counted or times


def _number(each: Filter) -> float | None:
    """The number that a filter compares with."""
    return each.rhs.value if isinstance(each.rhs, Number) else None


_BOUNDS = frozenset({Op.GE, Op.GT, Op.LE, Op.LT, Op.EQ})


def _value_bounded(required: QuestionFilter, thing: str, case: Case) -> SqlFilter | None:
    """The filter that bounds a value with the number asked for, where no filter bounds a count."""
    same = [each for each in case.sql.filters if _number(each) == _number(required) is not None and _number(each)]
    if any(_counts(each) or thing in _named(each) for each in case.sql.filters):
        return None
    return next(
        (each for each in same if each.lhs is not None and len(each.lhs.columns) == 1 and _measures(each)), None
    )


def _counts(each: SqlFilter) -> bool:
    name = each.lhs.name if each.lhs is not None else ""
    return each.lhs is not None and (each.lhs.func == "COUNT" or "count(" in name or name.startswith("sum(case"))


def _measures(each: SqlFilter) -> bool:
    column = each.lhs.columns[0] if each.lhs is not None else None
    if column is None or key_stems(column.name) is not None:
        return False
    return _COUNTERS.isdisjoint(identifier_words(column.name)) and each.clause in (
        Clause.WHERE,
        Clause.HAVING,
        Clause.ON,
    )


_COUNTERS = frozenset("count num number total n qty quantity cnt amount size".split())


def _named(each: SqlFilter) -> set[str]:
    return {word for column in (each.lhs.columns if each.lhs else ()) for word in identifier_words(column.name)}


_TOTAL_BOUND = lazy(
    r"\b(?:total|sum|combined|overall|altogether|in all)\b[^.?,]{0,40}\b(?:above|over|more than|exceed\w*"
    r"|greater than|at least"
    r"|below|under|less than)\b|\b(?:made|earned|generated|brought in|spent|billed|collected|took in|turned over|raised"
    r"|grossed) (?:us )?(?:more than|less than|over|under|at least|above|below)\b"
    r"|\b(?:above|over|more than|exceeding|at least|below|under|less than|fewer than) [^.?,;]{0,30}\b(?:in total"
    r"|altogether|combined|on average|overall|in all)\b|\b(?:over|more than|at least) \d+ times\b"
    r"|\b(?:average|avg|mean) (?:(?!of\b|for\b|among\b|per\b|in\b|by\b|with\b)\w+ ){1,3}?"
    r"(?:above|over|more than|at least|below|under|less than)\b"
    r"|\b(?:average|avg)s? (?:above|over|more than|at least|below|under|less than) "
)


def total_bounded_by_row(case: Case) -> Finding | None:
    """The total or the average of a group is to be bounded, and WHERE bounds each row of it.

    Routes that made more than 500 in all are not those with one bill over 500.

    >>> total_bounded_by_row(case("Which routes made more than 500 in May?",
    ...     "SELECT route, SUM(fare) FROM trips WHERE fare > 500 GROUP BY route")).detail
    'expected → actual: sum(fare) > 500 → fare > 500'
    """
    if not case.sql.group_by or _bounds_groups(case.sql) or not _TOTAL_BOUND.search(said(case)):
        return parts_bounded(case)
    added = {column: each.func for each in case.sql.aggregations for column in each.columns if each.func in _TOTALS}
    for each in case.sql.filters:
        if each.lhs is not None and each.lhs.func in _TOTALS:
            continue
        if _bounds_row(each) and not added.keys().isdisjoint(_columns(each)):
            column = _columns(each)[0]
            return differing(f"{added[column].lower()}({column.name}) {each.op.value} {each.rhs}", each.text)
    return sum_bounded_by_row(case)


def _bounds_groups(sql: SqlSpec) -> bool:
    """Whether HAVING bounds more than a number of rows."""
    return any(each.lhs is not None and each.lhs.func != "COUNT" for each in sql.having)


_TOTALS = frozenset({"SUM", "AVG"})


def _bounds_row(each: SqlFilter) -> bool:
    """Whether WHERE bounds one column by a number."""
    bounds = each.op in _BOUNDS and each.clause is Clause.WHERE and (_number(each) or 0) > 1
    return bounds and len(_columns(each)) == 1


def _columns(each: SqlFilter) -> tuple[Column, ...]:
    return each.lhs.columns if each.lhs is not None else ()


_THINGS_BOUND = lazy(
    r"\b(?:number of|how many|count of|# of|count) (?:the |all )?(?:\w+ )?([a-z]+s) (?:got |have |had |with |paid "
    r"|that are "
    r"|worth |(?:got|have|had|with|paid) (?:an? )?(?:\w+ )?\w+ "
    r"|of )?(?:over|above|below|under"
    r"|more than|less than|at least|of at least)\b"
)


def row_bounded_by_total(case: Case) -> Finding | None:
    """Things with a large or small value are to be counted, and HAVING bounds the total of their group.

    The number of loans over 500 in each town does not depend on what the town's loans add up to.

    >>> row_bounded_by_total(case("Number of loans over 500 per town",
    ...     "SELECT town, COUNT(*) FROM loans GROUP BY town HAVING SUM(amount) > 500")).detail
    'sum(amount) > 500 of each town'
    """
    if not case.sql.having:
        return None
    each_over = _total_beside_count(case) or _total_for_single(case)
    single = Finding(1.0, each_over.text) if each_over is not None else _total_for_things(case)
    return single or rows_bounded_by_group(case)


def _total_for_things(case: Case) -> Finding | None:
    """The bound of a group's total, where the number of its things of some size is asked for."""
    found = _THINGS_BOUND.search(asked(case))
    if found is None or not any(each.operand.func == "COUNT" for each in case.answer):
        return None
    thing = stem(found[1])
    keys = [key.operand.name for key in case.sql.group_by[:3]]
    total = next((each for each in case.sql.having if each.lhs is not None and each.lhs.func == "SUM"), None)
    if total is None or thing not in _heads(case) or thing in identifier_words("_".join(keys)):
        return None
    return Finding(1.0, f"{total.text} of each {', '.join(keys)}")


_SINGLE_OVER = cue(
    "single one",
    r"\b(?:a|one|any|at least one) single \w+ (?:over|above|of more than|worth|bigger than|larger than|more than)\b"
    r"|\b(?:total|sum) (?:\w+ )?of (?:the |all )?(?:heavy|large|big|long|small|short) \w+ \(\d",
)


def _total_for_single(case: Case) -> SqlFilter | None:
    """The bound of a group's total, where a single thing is to be so large."""
    if _SINGLE_OVER.search(said(case)) is None:
        return None
    return next((each for each in case.sql.having if each.lhs is not None and each.lhs.func == "SUM"), None)


_EACH_OVER = cue(
    "each apiece",
    r"\b(?:above|over|more than|at least|exceeding|below|under|less than|worth) [^.;,?]{1,25}\b(?:each|apiece)\b",
)


def _total_beside_count(case: Case) -> SqlFilter | None:
    """The bound of a group's total beside that of its count, where each of the things counted is to meet it."""
    if not _EACH_OVER.search(said(case)) or any(each.conditional for each in case.sql.aggregations):
        return None
    counted = any(_bounds_count(each) for each in case.sql.having)
    return next((each for each in case.sql.having if _bounds_group(each)), None) if counted else None


def _bounds_group(each: SqlFilter) -> bool:
    """Whether HAVING bounds a total or an extreme by a number."""
    return each.lhs is not None and each.lhs.func in ("SUM", "MAX", "MIN", "AVG") and isinstance(each.rhs, Number)


def _heads(case: Case) -> set[str]:
    """What the rows of the tables are."""
    return {table_words(table)[-1] for block in case.sql.blocks for table in block.tables}


_AT_LEAST = lazy(r"\b(\d+)(?:\+| or more| or fewer| times)? (?:\w+ )?([a-z]+s)\b")


def values_counted_for_rows(case: Case) -> Finding | None:
    """A number of things is bounded, and HAVING counts the different values of another column of theirs.

    Five loans on one day are five loans, and one date.

    >>> values_counted_for_rows(case("Members with more than 5 loans",
    ...     "SELECT member_id FROM loans GROUP BY member_id HAVING COUNT(DISTINCT lent_on) > 5")).detail
    'count(distinct lent_on) > 5 for the number of loans'
    """
    each = next((each for each in case.sql.having if _bounds_count(each)), None)
    if each is None or each.lhs is None or not each.lhs.distinct or _DIFFERENT.search(said(case)):
        return None
    matches = [match for match in _AT_LEAST.finditer(asked(case)) if float(match[1]) == _number(each)]
    thing = next((match[2] for match in matches if stem(match[2]) in _heads(case)), None)
    if thing is None or _may_be_counted(each, thing, case):
        return None
    return Finding(1.0, f"{each.text} for the number of {thing}")


_DIFFERENT = lazy(r"\b(?:different|distinct|unique|separate|days?|dates?)\b")


_NUMBERED = lazy(r"_(?:nbr|nr|no|num|number|code|key|sk|uuid|guid)$")
"""How names of keys end that do not call themselves keys."""


def _may_be_counted(each: SqlFilter, thing: str, case: Case) -> bool:
    """Whether the counted column is a key, or is named by another word of the question than the thing."""
    columns = _columns(each)
    words = {word for column in columns for word in identifier_words(column.name)} - {stem(thing)}
    keyed = any(key_stems(column.name) is not None or _NUMBERED.search(column.name) for column in columns)
    return len(columns) != 1 or keyed or any(is_named(word, case.spoken) for word in words)


def rows_counted_for_kinds(case: Case) -> Finding | None:
    """Both of two kinds are asked for, and HAVING counts rows of either.

    >>> rows_counted_for_kinds(case("Who flew both 'Kite' and 'Swan'?", "SELECT pilot FROM flights WHERE plane IN "
    ...     "('Kite', 'Swan') GROUP BY pilot HAVING COUNT(*) = 2")).detail
    "count(*) = 2 of plane in ('kite', 'swan')"
    """
    each = next((each for each in case.sql.filters if _bounds_count(each)), None)
    if each is None or (each.lhs and each.lhs.distinct) or not _ALL_KINDS.search(said(case)) or _merges(case):
        return None
    kinds = _kinds_listed(each, case)
    return Finding(1.0, f"{each.text} of {kinds.text}") if kinds is not None else None


def _kinds_listed(each: SqlFilter, case: Case) -> SqlFilter | None:
    """The list of as many kinds as are counted, where no group is of one kind."""
    keys = {column for key in case.sql.group_by for column in key.operand.columns}
    beside = (kept for kept in case.sql.filters if each.clause is Clause.WHERE or kept.block == each.block)
    return next((one for one in beside if _number(each) == _members(one) and keys.isdisjoint(_columns(one))), None)


_ALL_KINDS = lazy(r"\bboth\b|\ball (?:of )?(?:the |our )?(?:two|three|four|five|six|seven|[2-9]|of)\b|\beach of\b")


def _merges(case: Case) -> bool:
    """Whether equal rows are dropped before they are counted."""
    return any(block.distinct for block in case.sql.blocks) or bool(case.sql.set_operations)


def _members(each: SqlFilter) -> float:
    """How many values IN lists."""
    return float(len(each.rhs.members)) if each.op is Op.IN and isinstance(each.rhs, Choices) else -1.0
