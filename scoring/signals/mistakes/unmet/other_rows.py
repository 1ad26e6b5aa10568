"""Signals about other rows: the date of one beside the amount of another, two lists that share people, a row itself."""

from __future__ import annotations

from scoring.alignment.left_out import EXCLUDING_ROLES
from scoring.patterns import lazy
from scoring.signals.mistakes.events import is_time
from scoring.signals.mistakes.unmet.links import is_joined_by_own_key
from scoring.signals.mistakes.wording import cue, spoken_in_full, stems_of
from scoring.specification import Aggregation, Column, Op, SqlSpec
from scoring.sql.shapes.naming import is_own_key, table_words
from scoring.values import Number
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_AND_ITS_DATE = cue(
    "date day when",
    r"\b(?:biggest|largest|highest|lowest|smallest|longest|shortest|cheapest|priciest|heaviest|lightest|fastest|slowest"
    r"|best|worst|record|max(?:imum)?|top|most expensive)\b[^.?;]{1,60}?(?:\band|\bwith|\bplus|\bw/|[,+&])"
    r" (?:also )?(?:(?:the |its |their )?(?:date|day)(?: and time)? (?:of|it|they|that|on|when|he|she|we)"
    r"|(?:its|the matching) (?:date|day)|when (?:it|they|that|this|he|she|we))\b",
)
_OTHER_END = lazy(r"\b(?:last|latest|newest|first|earliest|oldest|recent(?:ly)?|ever since)\b")
_OF_ONE_ROW = lazy(
    r"max_?by|min_?by|arg_?m|\bkeep\b|_value\b|rank|row_number|array_agg|distinct on|\blimit 1\b|\btop 1\b"
)


def date_of_other_row(case: Case) -> str | None:
    """The largest amount and its date are asked for, and the latest date of all rows stands beside it.

    >>> date_of_other_row(case("Highest fare per pilot and the date of that flight",
    ...     "SELECT pilot, MAX(fare), MAX(day) FROM flights GROUP BY pilot"))
    'max(fare) beside max(day)'
    """
    if not _asks_its_date(case.asked):
        return None
    taken = [each for each in case.sql.aggregations if _is_bare(each)]
    for amount in (each for each in taken if not is_time(each.column) and _is_read_once(each.columns[0], case)):
        date = next((each for each in taken if is_time(each.column) and _is_beside(each, amount)), None)
        if date is not None and _OF_ONE_ROW.search(case.written.casefold()) is None:
            return f"{amount.func.lower()}({amount.column}) beside {date.func.lower()}({date.column})"
    return None


def _asks_its_date(text: str) -> bool:
    """Whether an extreme is asked for with its date, and no end of the times is spoken of."""
    return _AND_ITS_DATE.search(text) is not None and _OTHER_END.search(text) is None


def _is_bare(each: Aggregation) -> bool:
    """Whether an aggregate is the extreme of one column as it is."""
    if each.func not in ("MAX", "MIN"):
        return False
    plain = len(each.columns) == 1 and each.column == each.columns[0].name
    return plain and not each.conditional and not each.windowed


def _is_beside(date: Aggregation, amount: Aggregation) -> bool:
    return date.block == amount.block and date.columns[0].table == amount.columns[0].table


def _is_read_once(column: Column, case: Case) -> bool:
    return [table for block in case.sql.blocks for table in block.tables].count(column.table or "") == 1


_COUNT_ONCE = cue(
    "once one both double",
    r"\bcount(?:s|ed|ing)? (?:(?:a|an|each|every|any|them|him|her|that|the same|those) ?)?(?:\w+ )?"
    r"(?:only |just )?(?:once|one time|as one|a single time)\b"
    r"|\beven (?:if|when|though) [^.;?]{0,40}\bboth\b"
    r"|\b(?:don'?t|do not|not|never|no|without) (?:be )?double[- ]?count\w*"
    r"|\bboth (?:is|are|counts?) (?:only |just )?(?:as )?(?:one|once)\b"
    r"|\b(?:unique|distinct|different)\b[^.;?]{0,30}\b(?:across|in either|over both|between both)\b",
)
_TWO_COUNTS = lazy(
    r"count\((?:distinct )?(?:\w+|\*)\)[^+\-*/<>=]{0,80} \+ [^+\-*/<>=]{0,80}\bcount\((?:distinct )?(?:\w+|\*)\)"
)


def lists_added(case: Case) -> str | None:
    """Who is on two lists counts once, and the numbers of both lists are added.

    >>> lists_added(case("How many pilots fly kites or gliders? count a pilot only once",
    ...     "SELECT (SELECT COUNT(DISTINCT pilot) FROM kites) + (SELECT COUNT(DISTINCT pilot) FROM gliders)"))
    '(select count(distinct pilot) from kites) + (select count(distinct pilot) from gliders)'
    """
    sql = case.sql
    if _COUNT_ONCE.search(case.asked) is None or _may_exclude(sql):
        return None
    tables = {table for block in sql.blocks for table in block.tables}
    if len(tables) < 2 or any(each.kind != "union all" for each in sql.set_operations):
        return None
    added = next((each.operand.name for each in case.answer if _TWO_COUNTS.search(each.operand.name)), None)
    return added or _arms_added(case)


def _may_exclude(sql: SqlSpec) -> bool:
    """Whether who is on the other list may be left out of one."""
    excluded = any(each.role in EXCLUDING_ROLES for each in sql.subqueries)
    return excluded or any(each.kind not in ("cross", "comma") for each in sql.joins)


def _arms_added(case: Case) -> str | None:
    """SUM of the counts of the arms of UNION ALL, of which each reads another list."""
    counted = [each for each in case.sql.aggregations if each.func == "COUNT"]
    arms = {path for each in case.sql.set_operations for path in (each.left, each.right)}
    if len(arms) < 2 or case.sql.group_by or {each.block for each in counted} != arms:
        return None
    added = next((each for each in case.sql.aggregations if each.func == "SUM" and each.block not in arms), None)
    return f"sum({added.column})" if added is not None else None


_OF_OTHERS = cue(
    "other rest itself themselves",
    r"\b(?:average|avg|mean)\b (?:\w+ )?(?:of|for|across|over|in|at) (?:all )?(?:of )?(?:the |its |their |our )?"
    r"(?:others?|rest)\b(?: ([a-z]+))?"
    r"|\b(?:average|avg|mean)\b[^.?;]{0,60}\b(?:without|excluding|excl\.?|not counting|not including|leaving out|minus"
    r"|except)[ (]+(?:itself|themselves|its own|their own|that one)\b"
    r"|\bothers?'? (?:average|avg|mean)\b",
)
_OWN_OUT = lazy(r"- ?1\b|exclude\s+(?:current|group)|<>|!=|\bnot\b|\bexcept\b|rows\s+between|lateral|\bapply\b")


def others_with_itself(case: Case) -> str | None:
    """Each is to be compared with the average of the others, and the average is of all, with its own value.

    >>> others_with_itself(case("Each base's hours next to the average of the other bases",
    ...     "SELECT base, hours, AVG(hours) OVER () FROM bases"))
    'avg(hours) holds its own value'
    """
    found = _OF_OTHERS.search(case.asked)
    if found is None or _OWN_OUT.search(case.written.casefold()) is not None:
        return None
    if any(each.op in (Op.NE, Op.NOT_IN) for each in case.sql.filters):
        return None
    measured = stem(found[1] or "")
    means = (each for each in case.sql.aggregations if each.func == "AVG" and measured not in stems_of(each.column))
    odd = next((each for each in means if _is_of_all(each, case.sql)), None)
    return f"avg({odd.column}) holds its own value" if odd is not None else None


def _is_of_all(mean: Aggregation, sql: SqlSpec) -> bool:
    """Whether an average is of all rows, as a window has them or a query of its own."""
    if mean.conditional or any(each.block == mean.block and each.correlated for each in sql.subqueries):
        return False
    grouped = any(key.block == mean.block for key in sql.group_by)
    return mean.windowed or not (grouped or mean.block in sql.outputs)


_APART = cue(
    "apart same different namesake separate",
    r"\b(?:keep|kept|hold|show|list) (?:them|those|these|the \w+|both|all) (?:apart|separate(?:ly)?)\b"
    r"|\b(?:\d+|two|three|four|several|many|multiple|different|some) (?:\w+ ){0,2}"
    r"(?:with |of |have |has |share |sharing )(?:the |a )?same name\b|\bsame[- ]named?\b|\bnamesakes?\b"
    r"|\b(?:two|three|four|\d+|several) (?:different|separate|distinct) [A-Za-z]+ [A-Za-z]+s\b[^.;?]{0,40}\bapart\b",
)
_NAMES = frozenset({"name", "nm", "fullname", "nam"})


def namesakes_merged(case: Case) -> str | None:
    """People of one name are to be kept apart, and the groups are those of the name alone.

    >>> namesakes_merged(case("Hours per pilot, we have two with the same name so keep them apart",
    ...     "SELECT p.full_name, SUM(f.hours) FROM pilots p JOIN flights f ON f.pilot_id = p.id GROUP BY p.full_name"))
    'grouped by full_name alone'
    """
    if _APART.search(spoken_in_full(case)) is None:
        return None
    named = _names_grouped_by(case)
    return f"grouped by {named[0].name} alone" if named else None


def people_merged(case: Case) -> str | None:
    """People whose key is at hand are grouped by their names alone, so that two of one name are one.

    >>> people_merged(case("Hours per pilot",
    ...     "SELECT p.full_name, SUM(f.hours) FROM pilots p JOIN flights f ON f.pilot_id = p.id GROUP BY p.full_name"))
    'people grouped by full_name alone'
    """
    named = _names_grouped_by(case)
    table = named[0].table if named else None
    if table is None or _PEOPLE.isdisjoint(table_words(table)[-1:]) or not is_joined_by_own_key(table, case.sql):
        return None
    own = {word for each in named for word in identifier_words(each.name)} <= {*_OF_NAMES, *table_words(table)}
    return f"people grouped by {named[0].name} alone" if own else None


_OF_NAMES = _NAMES | set("first last full display given family middle sur user staff emp person".split())
_PEOPLE = frozenset(
    map(
        stem,
        "patient person people user member reader rdr learner pupil student staff emp employee worker driver guest "
        "donor contact player rider tutor teacher nurse doctor pilot subscriber tenant resident passenger".split(),
    )
)


def _names_grouped_by(case: Case) -> list[Column]:
    """The names by which the rows of the answer are grouped, where nothing else groups them."""
    keys = [key for key in case.sql.group_by if key.block in case.sql.outputs]
    columns = [column for key in keys for column in key.operand.columns]
    named = [each for each in columns if not _NAMES.isdisjoint((*identifier_words(each.name), *each.name.split("_")))]
    alone = len(columns) == len(keys) == len(named) and not any(map(is_own_key, columns))
    return named if alone else []


_ONE_OF_TWO = cue(
    "both one",
    r"\b(?:just|only|exactly) one of (?:the |those |these |them )?(?:two|both)\b|\b(?:but )?not both\b"
    r"|\b(?:either|one) or the other,? (?:but )?(?:never|not)\b",
)


def both_for_one(case: Case) -> str | None:
    """One of two kinds and not both is asked for, and the SQL keeps every row of either.

    >>> both_for_one(case("Pilots with a kite or a glider, but not both",
    ...     "SELECT DISTINCT pilot FROM planes WHERE kind IN ('kite', 'glider')"))
    "kind in ('glider', 'kite') keeps who has both"
    """
    sql = case.sql
    plain = not (sql.group_by or sql.having or sql.windows or sql.set_operations or len(sql.blocks) != 1)
    if not plain or _ONE_OF_TWO.search(spoken_in_full(case)) is None or len(sql.joins) > 1:
        return None
    pair = next((each for each in sql.filters if each.op is Op.IN and _is_pair(each.rhs)), None)
    return f"{pair.text} keeps who has both" if pair is not None else None


def _is_pair(rhs: object) -> bool:
    members = getattr(rhs, "members", ())
    return len(members) == 2 and not any(isinstance(each, Number) for each in members)
