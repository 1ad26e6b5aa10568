"""Signals about what never was, and what alone was: rows of another kind tell neither."""

from __future__ import annotations

import re

from scoring.alignment.left_out import EXCLUDING_ROLES
from scoring.signals.mistakes.unmet.links import lone_column, references
from scoring.signals.mistakes.wording import cue, shapes
from scoring.specification import Clause, Column, Op, SqlFilter, SqlSpec, Subquery, SubqueryRole
from scoring.specification.shapes import ShapeKind
from scoring.sql.shapes.naming import is_own_key, key_stems, table_words
from scoring.values import Choices, Number, Text
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_NEVER = cue(
    "never ever not once",
    r"\b(?P<who>[a-z]+)(?: who| that| which)?(?:(?: have| has| had|'ve)? never\b"
    r"|(?: have| has| had| did)(?:n['’]?t| not) (?:ever|once)\b)",
)
_HAPPENING = frozenset(
    map(
        stem,
        "order item line purchase booking visit event view session click transaction rental loan stay ride trip flight "
        "enrolment enrollment watch play log ticket call payment claim donation attendance shipment delivery".split(),
    )
)
_ABSENT_ROLES = frozenset({SubqueryRole.NOT_IN, SubqueryRole.NOT_EXISTS, SubqueryRole.QUANTIFIED})


def never_by_other_rows(case: Case) -> str | None:
    """Who never did a thing is asked for, and those come who did something else: rows of `kind <> 'glider'`.

    >>> never_by_other_rows(case("Pilots who never flew a glider", "SELECT p.name FROM pilots p JOIN flights f ON "
    ...     "f.pilot_id = p.id WHERE f.kind <> 'glider'"))
    "kind != 'glider' is met by one row of others"
    """
    found, sql = _NEVER.search(case.asked), case.sql
    if found is None or sql.having or sql.set_operations or sql.windows or _looks_for_absence(case):
        return None
    after, who = case.asked[found.end() :], stem(found["who"])
    for each in sql.filters:
        left_out = each.op in (Op.NE, Op.NOT_IN) and each.clause is Clause.WHERE and _names_value(each, after)
        if left_out and _is_of_happenings(each, who, case):
            return f"{each.text} is met by one row of others"
    return None


_BUT_NOT = cue(
    "but and",
    r"\b(?:but|and) (?:(?:who |that |which )?(?:have |has |had |did )?(?:not|never|no)|(?:have|has|had|did)n['’]?t)\b",
)


_SAME = frozenset({Op.EQ, Op.WITHIN})
_OTHER = frozenset({Op.NE, Op.NOT_WITHIN})


def other_value_kept(case: Case) -> str | None:
    """Who did one thing and not another is asked for, and each row is tested for both: one value is not the other.

    >>> other_value_kept(case("Pilots who flew kites but not gliders", "SELECT DISTINCT pilot FROM flights "
    ...     "WHERE kind = 'kites' AND kind <> 'gliders'"))
    "kind != 'gliders' beside kind = 'kites'"
    """
    found, sql = _BUT_NOT.search(case.asked), case.sql
    if found is None or sql.having or _looks_for_absence(case) or not _gives_things(sql):
        return None
    for each in filter(lambda each: _leaves_out(each, case.asked[found.end() :]), sql.filters):
        beside = [one for one in sql.filters if one.op in _SAME and (one.lhs, one.block) == (each.lhs, each.block)]
        if beside and beside[0].clause is Clause.WHERE:
            return f"{each.text} beside {beside[0].text}"
    return None


def _gives_things(sql: SqlSpec) -> bool:
    """Whether the answer has things of which each may have several rows."""
    return sql.distinct or bool(sql.group_by or sql.joins)


def _leaves_out(each: SqlFilter, text: str) -> bool:
    """Whether WHERE leaves out a time, or a value that a text names."""
    if each.op not in _OTHER or each.clause is not Clause.WHERE:
        return False
    return each.op is Op.NOT_WITHIN or _names_value(each, text)


_NOT_AT_ALL = cue(
    "never no not without n't", r"\bnever\b|\b(?:with|had|has|have) (?:no|not a single)\b|\bwithout any\b"
)


def zero_for_none(case: Case) -> str | None:
    """Things with no row of a kind are asked for, and a number of an outer-joined row is to be 0: it is NULL.

    >>> zero_for_none(case("Which gliders were never flown?", "SELECT g.id FROM gliders g LEFT JOIN flights f ON "
    ...     "f.glider_id = g.id WHERE f.minutes = 0"))
    'minutes = 0, where a missing row has NULL'
    """
    if _NOT_AT_ALL.search(case.asked) is None or _looks_for_absence(case):
        return None
    undone = shapes(case, ShapeKind.OUTER_CONDITION)
    zeros = (each for each in case.sql.filters if isinstance(each.rhs, Number) and each.rhs.value == 0)
    found = next((each for each in zeros if undone and each.op is Op.EQ and each.clause is Clause.WHERE), None)
    return f"{found.text}, where a missing row has NULL" if found is not None else None


def _looks_for_absence(case: Case) -> bool:
    absent = any(each.op in (Op.IS_NULL, Op.NOT_EXISTS) for each in case.sql.filters)
    conditional = any(each.conditional for each in case.sql.aggregations)
    return absent or conditional or any(each.role in _ABSENT_ROLES for each in case.sql.subqueries)


def _names_value(each: SqlFilter, text: str) -> bool:
    """Whether a text names the value that a condition leaves out."""
    values = each.rhs.members if isinstance(each.rhs, Choices) else (each.rhs,)
    folded = [re.findall(r"[a-z]{3,}", value.folded) for value in values if isinstance(value, Text)]
    return any(words and all(word[:5] in text for word in words) for words in folded)


def _is_of_happenings(each: SqlFilter, who: str, case: Case) -> bool:
    """Whether the answer shows people alone, and a condition tests rows of what they did, in its block or joined."""
    tables = next((block.tables for block in case.sql.blocks if block.path == each.block), ())
    shown = {column for one in case.answer for column in one.operand.columns}
    columns = each.lhs.columns if each.lhs is not None else ()
    if len(columns) != 1 or columns[0].table in {column.table for column in shown}:
        return False
    happened = any(not _HAPPENING.isdisjoint(table_words(table)[-1:]) for table in tables)
    return happened and who in _words(shown) and not any(one.operand.func in ("SUM", "AVG") for one in case.answer)


def _words(columns: set[Column]) -> set[str]:
    """The words of columns and of their tables."""
    return {word for column in columns for word in identifier_words(f"{column.table or ''}_{column.name}")}


_NONE_OF_THEM = cue(
    "never not n't no without",
    r"\bnever\b|\bnot (?:once|ever|a single)\b|n['’]?t (?:ever|once|had any|a single)\b"
    r"|\bwithout (?:any|a|an|a single)\b|\b(?:with|had|has|have|got) no\b|\b(?:have|has|had|did)(?:n['’]?t| not)\b",
)


def never_of_parts(case: Case) -> str | None:
    """Things with no row of a kind are asked for, and a thing comes that has one part without it.

    The outer join finds no partner for a part: a product sold twice and returned once has a sale without a return.

    >>> never_of_parts(case("Pilots who never had a claim", "SELECT DISTINCT p.id, p.name FROM pilots p JOIN flights f "
    ...     "ON f.pilot_id = p.id LEFT JOIN claims c ON c.flight_id = f.id WHERE c.id IS NULL"))
    'one of flights without claims is enough'
    """
    if _NONE_OF_THEM.search(case.asked) is None or case.sql.having or case.sql.set_operations:
        return None
    empty = _empty_parts(case)
    if empty is not None:
        return f"one row with {empty.text} is enough"
    tables = {block.path: block.tables for block in case.sql.blocks}
    for absent in (each for each in case.sql.subqueries if each.role in EXCLUDING_ROLES and each.parent == "main"):
        part = _part_that_lacks(absent)
        if part is not None and _is_one_of_several(part, case):
            return f"one of {part} without {' and '.join(tables.get(absent.block, ()))} is enough"
    return None


_NOT_ONE = cue("single one once all ever", r"\b(?:a single|even (?:one|once)|at all|ever)\b")


def _empty_parts(case: Case) -> SqlFilter | None:
    """WHERE finds a part that lacks a value, where not a single part of a thing may have it."""
    if _NOT_ONE.search(case.asked) is None or len(case.sql.blocks) != 1:
        return None
    inner = {join.table for join in case.sql.joins if join.kind == "inner"}
    return next((each for each in case.sql.filters if _lacks_value(each, inner, case)), None)


def _lacks_value(each: SqlFilter, inner: set[str], case: Case) -> bool:
    """Whether WHERE asks for NULL in a column of a part."""
    if each.op is not Op.IS_NULL or each.clause is not Clause.WHERE or each.alternative is not None:
        return False
    tables = [column.table for column in each.lhs.columns] if each.lhs is not None else []
    return len(tables) == 1 and tables[0] in inner and _is_one_of_several(tables[0] or "", case)


def _part_that_lacks(absent: Subquery) -> str | None:
    """The table whose own key is looked for in vain."""
    columns = absent.key.columns if absent.key is not None else ()
    return columns[0].table if len(columns) == 1 and is_own_key(columns[0]) else None


def _is_one_of_several(part: str, case: Case) -> bool:
    """Whether a table refers to the things that are shown and is not shown itself: each may have several rows."""
    shown = {column.table for each in case.answer for column in each.operand.columns}
    counted = any(each.operand.func is not None and not each.operand.distinct for each in case.answer)
    grouped = {column.table for key in case.sql.group_by for column in key.operand.columns}
    if part in shown | grouped or counted:
        return False
    return any(one.table == part and other.table in shown for one, other in references(case.sql))


_ONLY_DID = cue(
    "only exclusively nothing",
    r"\b(?P<who>[a-z]+) (?:who |that |which )?(?:have |has |had |'ve )?(?:ever )?(?:only|exclusively) (?:ever )?"
    r"(?P<verb>watched|bought|ordered|used|booked|visited|played|read|rented|purchased|streamed|attended|took|flew"
    r"|listened|shopped|paid|drove|ate|drank|donated|borrowed|viewed|traded|placed|logged|wore|sold|rode|sailed)"
    r" (?!(?:once|one|in|on|at|for|from|after|since|a few|\d|the first|this|last)\b)(?P<what>[a-z]+)",
)


def only_by_some(case: Case) -> str | None:
    """Who did one kind of thing alone is asked for, and those come who did it at all.

    >>> only_by_some(case("How many pilots ONLY flew gliders last month?", "SELECT COUNT(DISTINCT f.pilot_id) FROM "
    ...     "flights f JOIN planes p ON p.id = f.plane_id WHERE p.kind = 'gliders'"))
    'only flew gliders: nothing is excluded'
    """
    found, sql = _ONLY_DID.search(case.asked), case.sql
    if found is None or _compares_groups(case) or _looks_for_absence(case):
        return None
    if any(each.op in (Op.NE, Op.NOT_IN) for each in sql.filters):
        return None
    kept = any(each.op in (Op.EQ, Op.IN) and _names_value(each, found["what"]) for each in sql.filters)
    keyed = any(_is_of_people(stem(found["who"]), name) for name in _shown_keys(case))
    return f"only {found['verb']} {found['what']}: nothing is excluded" if kept and keyed else None


def _compares_groups(case: Case) -> bool:
    """Whether groups may be compared: what each did with what each did of the kind."""
    sql = case.sql
    if sql.having or sql.set_operations or sql.windows or sql.divisions:
        return True
    return any(key.block not in sql.outputs for key in sql.group_by)


def _shown_keys(case: Case) -> set[str]:
    """The columns that the answer counts different ones of, or lists."""
    return {
        column.name
        for each in case.answer
        if each.operand.func is None or (each.operand.func == "COUNT" and each.operand.distinct)
        for column in each.operand.columns
    }


def _is_of_people(who: str, name: str) -> bool:
    """Whether a column is a key or a name of those who are spoken of: `subscriber_id` of subs."""
    stems = key_stems(name) or identifier_words(name)[:-1]
    return any(word.startswith(who[:3]) or word in _PEOPLE for word in stems)


_PEOPLE = frozenset(map(stem, "customer client user member guest patient subscriber account person".split()))


_NO_PART = cue(
    "no without",
    r"\b(?:with|have|has|having|had) (?:no|not a single|not one) (?P<state>[a-z]+(?:ed|en)) (?P<part>[a-z]+)\b",
)


def one_part_lacks(case: Case) -> str | None:
    """Wholes with no part in a state are asked for, and one part that is not in it is enough.

    >>> one_part_lacks(case("Trips with no loaded bag",
    ...     "SELECT DISTINCT trip_id FROM trip_bags WHERE loaded_at IS NULL"))
    'loaded_at is null: one bag is enough'
    """
    found, sql = _NO_PART.search(case.asked), case.sql
    if found is None or len(sql.blocks) != 1 or sql.having or sql.joins:
        return None
    part, state = stem(found["part"]), stem(found["state"])
    shown = [(key_stems(column.name) or (part,))[-1] for each in case.answer for column in each.operand.columns]
    lacking = [each for each in sql.filters if each.op is Op.IS_NULL and _is_state_of(each, part, state)]
    whole = part not in shown
    return f"{lacking[0].text}: one {found['part']} is enough" if lacking and whole else None


def _is_state_of(each: SqlFilter, part: str, state: str) -> bool:
    """Whether a condition alone tests a column of the parts that is named like a state."""
    column = lone_column(each) if each.alternative is None else None
    rows = table_words(column.table or "")[-1:] if column is not None else ()
    return column is not None and part in rows and state in identifier_words(column.name)


_WITHOUT = cue(
    "without no",
    r"\b(?:without|with no|have no|has no|having no)(?: any| a| an| a single)? (?P<what>[a-z]+)\b",
)


def partner_without_value(case: Case) -> str | None:
    """Things without a partner are asked for, and an inner join keeps those whose partner lacks a value.

    >>> partner_without_value(case("Trips without any note", "SELECT t.id FROM trips t JOIN notes n "
    ...     "ON n.trip_id = t.id WHERE n.body IS NULL"))
    'body is null in notes, of which each must have one'
    """
    found = _WITHOUT.search(case.asked)
    inner = {join.table for join in case.sql.joins if join.kind == "inner"}
    if found is None or not inner or shapes(case, ShapeKind.OUTER_CONDITION):
        return None
    for each in case.sql.filters:
        table = _lacking_table(each)
        if table in inner and stem(found["what"]) in table_words(table or "")[-1:]:
            return f"{each.text} in {table}, of which each must have one"
    return None


def _lacking_table(each: SqlFilter) -> str | None:
    """The table in whose column WHERE alone looks for NULL."""
    alone = each.op is Op.IS_NULL and each.clause is Clause.WHERE and each.alternative is None
    column = lone_column(each) if alone else None
    return column.table if column is not None else None


def never_otherwise(case: Case) -> str | None:
    """The first of these that finds others than those who never did a thing."""
    lacking = one_part_lacks(case) or partner_without_value(case)
    return never_of_parts(case) or other_value_kept(case) or zero_for_none(case) or lacking
