"""Signals about one number or one thing that is asked for, and an answer that gives something else."""

from __future__ import annotations

from scoring.linking import content_words, is_named
from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.grouping import grouping_keys
from scoring.signals.keys import is_key
from scoring.signals.mistakes.unmet.times.periods import counter_added, days_of_stock_added
from scoring.signals.mistakes.wording import asked, said
from scoring.signals.unit_names import is_unit
from scoring.specification import Operand, Projection
from scoring.sql.shapes.naming import is_name
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_ONE_NUMBER = lazy(
    r"\s*(?:(?:hi|hey|please|pls|can you (?:tell|show|give) me|tell me|show me|give me|i need|we need|count"
    r"|calculate|get|find)[ ,]+)*"
    r"(?:how many|how much|the (?:total|number|count|sum|average)|total|number of|count of|what(?:'s| is| was| were"
    r"| are)? (?:our |the )?(?:total|overall|number|sum|count|average|avg|mean)|(?:what|how much) (?:did|have|do) we)\b"
)
_GROUPS = lazy(
    r"\b(?:per|by|each|every|breakdown|break\w*|split|which|who|whose|top|rank\w*|vs\.?|versus|compare\w*|comparison"
    r"|group\w*|respective\w*|different|distribut\w*|list|across|trend|over time|between|against|most|least|"
    r"highest|lowest|\w+ly|for all|individual\w*|separately|every|both|kinds?|types?|whether|or|dates?|days?|weeks?"
    r"|months?|quarters?|years?|(?:was|were|are|is|got) \w+ed and \w+ed)\b"
)
_PERIODS = lazy(
    r"\b(?:this|last|past|next|previous|current|calendar|prior|whole|full|per|of|the|same|in|ending|\d+|to) "
    r"(?:date|day|week|month|quarter|year|months|days|weeks|years|quarters)\b|\byear to date\b|\bto date\b"
)
_SPLITTING = frozenset({"currency", "currencies", "unit", "uom", "year", "month", "day", "week", "quarter", "date"})


def groups_for_one_number(case: Case) -> Finding | None:
    """One number is asked for, and the answer has one for each of several groups.

    `How many vans are in Oslo?` has one answer, and not one for each driver. A key that a condition names, a currency,
    or a word of either question may split the number.

    >>> groups_for_one_number(case("How many vans are in Oslo?",
    ...     "SELECT driver, COUNT(*) FROM vans WHERE city = 'Oslo' GROUP BY driver")).detail
    'count(*) for each driver'
    """
    keys = grouping_keys(case)
    if not keys or not _ONE_NUMBER.match(asked(case)) or _wants_groups(case):
        return None
    shown = {each.operand.name for each in case.answer}
    total = next((each.operand.name for each in case.answer if each.operand.func), None)
    if total is None or any(key.name not in shown or _may_split(key, case) for key in keys):
        return None
    return Finding(1.0, f"{total} for each {', '.join(key.name for key in keys[:3])}")


def _wants_groups(case: Case) -> bool:
    """Whether something of the question, or how the SQL goes on, may want several numbers."""
    question, sql = case.question, case.sql
    if question.group_by or question.superlatives or sql.limits or sql.set_operations:
        return True
    if case.asked.count("how many") > 1 or _AND_HOW_MANY.search(case.asked) is not None:
        return True
    return _GROUPS.search(_PERIODS.sub(" ", said(case))) is not None


_AND_HOW_MANY = lazy(
    r"\b(?:how many|number of)\b[^.?;]{3,60}\b(?:and|vs|&) (?:how many |the number of )?\w+ (?:do|are|have)n['’]?t\b"
)


def _may_split(key: Operand, case: Case) -> bool:
    """Whether a condition tests a key, a text names it, or numbers of different values cannot be added."""
    words = {word for column in key.columns for word in identifier_words(column.name)}
    tested = {column.name for each in case.sql.filters if each.lhs for column in each.lhs.columns}
    if not words or not _SPLITTING.isdisjoint(words) or any(column.name in tested for column in key.columns):
        return True
    return any(is_named(word, case.spoken) for word in words if word not in ("id", "name"))


_AMOUNTS = frozenset(
    map(
        stem,
        "amount price cost balance revenue fee salary pay wage value spend fare budget payment tax discount limit due "
        "paid weight mass distance duration minutes hours rating score age height income profit margin deposit premium "
        "charge total subtotal gross net credit debit".split(),
    )
)
_COUNTED = frozenset(map(stem, "count cnt number num qty quantity units pieces total_count seats heads n".split()))


def amount_for_count(case: Case) -> Finding | None:
    """Things are to be counted, and an amount of theirs is added or averaged, or its different values are counted.

    The sum of the pay of all pilots is not how many pilots there are, and two pilots of equal pay are two.

    >>> amount_for_count(case("How many pilots live in Oslo?", "SELECT SUM(pay) FROM pilots WHERE base = 3")).detail
    'SUM(pay) for the number of pilots'
    """
    counted = [each for each in case.question.aggregations if each.func == "COUNT"]
    things = content_words(counted[0].column) if len(counted) == len(case.question.aggregations) == 1 else ()
    if case.question.superlatives or not things or is_unit(things[-1]):
        return None
    if any(each.func == "COUNT" for each in case.sql.aggregations):
        return _values_counted(things, case)
    totals = [each.operand for each in case.answer if each.operand.func in _TOTALS]
    if len(totals) != 1 or not _is_amount(totals[0], case):
        return None
    return Finding(1.0, f"{totals[0].func}({totals[0].columns[0].name}) for the number of {things[-1]}s")


_TOTALS = frozenset({"SUM", "AVG", "MAX", "MIN"})


def _values_counted(things: tuple[str, ...], case: Case) -> Finding | None:
    """Different amounts are counted for things: equal ones count once."""
    counts = [each for each in case.sql.aggregations if each.func == "COUNT"]
    each = counts[0]
    name = each.columns[0].name if len(each.columns) == 1 else ""
    amount = not _AMOUNTS.isdisjoint(identifier_words(name)) and not is_key(name)
    if len(counts) > 1 or not each.distinct or each.column != name or not amount or "distinct" in case.spoken:
        return None
    wanted = things[-1] in identifier_words(name) or not {"unique", "different"}.isdisjoint(case.spoken)
    return None if wanted else Finding(1.0, f"count(distinct {name}) for the number of {things[-1]}s")


def _is_amount(total: Operand, case: Case) -> bool:
    """Whether one column is added whose name is an amount that neither text speaks of."""
    if len(total.columns) != 1 or f"({total.columns[0].name})" not in total.name:
        return False
    words = identifier_words(total.columns[0].name)
    amount = not _AMOUNTS.isdisjoint(words) and _COUNTED.isdisjoint(words)
    return amount and not any(is_named(word, case.spoken) for word in words)


_WANTS_THING = lazy(
    r"(?:^|[,:;] ?|\beach \w+(?: \w+)?,? )(?:please |and |so |hey |hi |show me |tell me |list |find )*"
    r"(?:(?:which|what) (?:one |single |of our |of the )?(?P<thing>[a-z]+)(?: [a-z]+){0,3}? (?:has|have|had|is|was|are|"
    r"were|made|got|sold|costs?|earn\w*|took|takes|did|generat\w*|spent|pays|paid|receiv\w*|brought|does)"
    r"|(?P<who>who))\b"
)
_EXTREMES = frozenset({"MAX", "MIN"})


def thing_not_shown(case: Case) -> Finding | None:
    """A thing is asked for that has the highest or lowest value, and the answer shows the value alone.

    Which van is the heaviest is not answered by its weight.

    >>> thing_not_shown(case("Which van has the highest payload?", "SELECT MAX(payload) FROM vans")).detail
    'only max(payload) is shown'
    """
    if not case.question.superlatives or not case.answer or len(case.answer) > 2:
        return None
    wanted = _WANTS_THING.search(asked(case)) or _WANTS_EXTREME.match(asked(case))
    shown = _value_alone(case) if wanted is not None else None
    if wanted is None or shown is None:
        return None
    thing = stem(wanted["thing"] or "who")
    words = {word for each in case.answer for word in _shown_words(each)}
    return None if thing in words | _VALUES | _AMOUNTS else Finding(1.0, f"only {shown.operand.name} is shown")


_WANTS_EXTREME = lazy(
    r"\s*(?:(?:what|who|which)(?:'s| is| was| are)?|find|show(?: me)?|name|get(?: me)?|give me|list) (?:the |our )"
    r"(?:oldest|youngest|newest|most expensive|cheapest|tallest|heaviest|fastest|slowest|best[- ]\w+|top[- ]\w+) "
    r"(?!order|payment|call|invoice|transaction|sale|booking|trip|visit|session|rate|price|score|value|amount|time|age)"
    r"(?P<thing>[a-z]+)\b"
)


def _value_alone(case: Case) -> Projection | None:
    """The value of the extreme, where the answer shows nothing else but the groups that are asked for."""
    if any(each.star or each.literal or each.subqueries for each in case.answer):
        return None
    grouped = {key.name for key in grouping_keys(case)}
    rest = [each for each in case.answer if each.operand.name not in grouped]
    if len(rest) != 1 or (len(case.answer) > 1 and not _EACH.search(asked(case))):
        return None
    return rest[0] if _is_value(rest[0], case) else None


_SINGLE = lazy(
    r"\b(?:longest|shortest|largest|biggest|smallest|highest|lowest|heaviest|cheapest|most expensive) (?:single"
    r"|individual"
    r"|one[- ]off)\b"
)


def extreme_summed(case: Case) -> Finding | None:
    """The extreme of single rows is asked for, and the total of each group comes.

    The longest single flight of a pilot is not the sum of all flights, nor today's stock that of all days.

    >>> extreme_summed(case("Longest single flight per pilot",
    ...     "SELECT pilot, SUM(hours) FROM flights GROUP BY pilot")).detail
    'sum(hours) for the longest single'
    """
    stock = days_of_stock_added(case) or counter_added(case)
    if stock is not None:
        return Finding(1.0, stock)
    found = _SINGLE.search(asked(case))
    if found is None or case.sql.windows or any(each.func in _EXTREMES for each in case.sql.aggregations):
        return None
    total = next((each.operand.name for each in case.answer if each.operand.func == "SUM"), None)
    return Finding(1.0, f"{total} for the {found.group()}") if total is not None and case.sql.group_by else None


_EACH = lazy(r"\b(?:each|every|per)\b")
_VALUES = frozenset(
    map(
        stem,
        "date day month year week quarter hour time number value amount rate share percentage percent average total "
        "maximum minimum highest lowest most least max min max level size length count period".split(),
    )
)


def _is_value(shown: Projection, case: Case) -> bool:
    """Whether a column of the answer is just the value of the extreme: MAX, MIN, or what one row is ordered by."""
    operand = shown.operand
    columns = operand.columns
    if any(is_key(column.name) or is_name(column.name) for column in columns) and operand.func != "COUNT":
        return False
    if operand.func in _EXTREMES:
        return len(columns) == 1 and not case.sql.limits and "keep" not in operand.name
    limit = case.sql.limit
    ordered = [key.operand.name for key in case.sql.order_by if key.block in case.sql.outputs]
    return limit is not None and limit.count == 1 and operand.name in ordered[:1]


def _shown_words(shown: Projection) -> set[str]:
    names = [column.name for column in shown.operand.columns] + ([shown.alias] if shown.alias else [])
    return {word for name in names for word in identifier_words(name)}
