"""Signals about the columns of the answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from scoring.alignment.outputs.dimensions import THEM
from scoring.alignment.outputs.periods_named import is_period
from scoring.alignment.outputs.shown_names import alias_words, shown_names
from scoring.linking import content_words
from scoring.patterns import lazy
from scoring.signals.answers.stand_ins import asks_rows, stands_for
from scoring.signals.finding import Finding, counted
from scoring.signals.keys import is_key, shown_words
from scoring.specification import Column, Definition, Output, Projection
from scoring.verdict import Case
from scoring.words import identifier_words, letters


def wanted_columns(case: Case) -> int:
    """How many columns the question asks for; 0 when it does not say."""
    question = case.question
    asked = {(each.func, *content_words(each.column)[-1:]): each for each in question.aggregations}
    values = [each for each in asked.values() if each.func != "COUNT" or not question.superlatives]
    if question.ratios or not values:
        return len(case.things)
    least = 0 if case.things else 1
    shown = max(len(values) - len(_COMPARED.findall(question.text)), least) if len(values) > least else least
    opens = question.tokens[0].lower == "how" and question.parts == 1
    return len(case.things) + (min(shown, 1) if opens else shown)


_COMPARED = lazy(
    r"\b(?:than|above|below|over|under|whose|where|with|have|has|had|having|on|match(?:es)?|equals?)"
    r"(?: the| a| an)?(?: \w+)? (?:average|total|mean|number|nr|sum|maximum|minimum|max|min|count)\b",
    re.IGNORECASE,
)
"""An aggregate that is part of a condition."""


def output_missing(case: Case) -> Finding | None:
    """The answer has fewer columns than the question asks for.

    Part of the question stays unanswered. Columns joined by `||` or CONCAT may hold several things.

    >>> output_missing(case("List the name and age of each pilot", "SELECT name FROM pilots")).detail
    '2 things asked for, 1 column given'
    """
    given = case.answer
    wanted = wanted_columns(case)
    if any(each.star for each in given) or wanted <= len(given) or _concatenates(case):
        return None
    return Finding(min(1.0, (wanted - len(given)) / 2), f"{wanted} things asked for, {_columns(len(given))} given")


def _concatenates(case: Case) -> bool:
    return any("||" in each.operand.name for each in case.sql.projections) or bool(
        case.sql.functions & {"CONCAT", "CONCAT_WS"}
    )


def _columns(count: int) -> str:
    return f"{count} column{'' if count == 1 else 's'}"


def output_wider(case: Case) -> Finding | None:
    """The question asks for whole things, and the answer shows several columns of them.

    People seldom mind; execution labels do. Columns that only explain why a row is there count here, too.

    >>> output_wider(case("Which pilots fly?", "SELECT name, age, rank FROM pilots")).detail
    '1 thing asked for, 3 columns given'
    """
    periods = sum(is_period(each.operand.name, case.question) for each in case.sql.group_by)
    wanted = max(wanted_columns(case) + len(case.question.group_by), 1) + periods
    if len(case.answer) <= wanted or _names_fewer(case):
        return None
    measure = measure_beside(case)
    found = _surplus(case, wanted, frozenset() if measure is None else frozenset({measure}))
    return replace(found, strength=0.4 * found.strength) if found is not None and asks_entities(case) else found


def _names_fewer(case: Case) -> bool:
    """Whether things are asked for by name and the answer has more columns, which nothing explains."""
    wanted = wanted_columns(case) + len(case.question.group_by)
    if len(case.answer) <= wanted or not case.things or asks_entities(case):
        return False
    return _surplus(case, wanted, _explaining(case)) is not None


def _surplus(case: Case, wanted: int, free: frozenset[str]) -> Finding | None:
    """Columns of the answer beyond those wanted and those that are free."""
    given = case.answer
    if any(each.star for each in given):
        return None
    free |= _ranking(case)
    allowed = wanted + _name_parts(case, given) + _defined_parts(case)
    over = sum(1 for each in given if each.operand.name not in free) - allowed
    if over <= 0 or len(given) <= allowed:
        return None
    things = "1 thing" if wanted == 1 else f"{wanted} things"
    return Finding(min(1.0, over / 2), f"{things} asked for, {_columns(len(given))} given")


def _ranking(case: Case) -> frozenset[str]:
    """Operands that a window partitions or orders by, and its ranks: they are the ranking asked for."""
    if not case.sql.windows or not (case.question.ordering or case.question.superlatives):
        return frozenset()
    told = {each.name for window in case.sql.windows for each in window.partition_by}
    told |= {each.operand.name for window in case.sql.windows for each in window.order_by}
    return frozenset(told | {each.operand.name for each in case.answer if " over (" in each.operand.name})


def _explaining(case: Case) -> frozenset[str]:
    """Operands that the SQL filters, orders or groups by: they show why a row is in the answer."""
    sql, blocks = case.sql, case.sql.outputs
    told = {each.operand.name for each in (*sql.order_by, *sql.group_by) if each.block in blocks}
    return frozenset(told.union(each.lhs.name for each in sql.filters if each.lhs is not None))


def asks_entities(case: Case) -> bool:
    """Whether the question asks for rows of the SQL's tables: `pilots` of a table of pilots.

    A text without a command asks for its first word: `parcels over 20 kg`.
    """
    tables = {word for block in case.sql.blocks for table in block.tables for word in identifier_words(table)[-1:]}
    heads = [each.head for each in case.things] or [token.stem for token in case.question.tokens[:1]]
    return bool(heads) and tables.issuperset(heads)


def _name_parts(case: Case, given: Sequence[Projection]) -> int:
    """First and last name are one thing asked for in two columns."""
    parts = [
        each for each in given if {"first", "last", "fore", "sur", "forename", "surname", "middle"} & shown_words(each)
    ]
    asked = any({"first", "last", "middle"} & set(content_words(each.phrase)) for each in case.question.outputs)
    return 0 if asked else max(0, len(parts) - 1)


def _defined_parts(case: Case) -> int:
    """`hometown means city, state`: one thing asked for that a definition gives several columns."""
    outputs = {word for each in case.question.outputs for word in content_words(each.phrase)}
    return sum(
        len(each.columns) - 1
        for each in case.enriched.definitions
        if len(each.columns) > 1 and not each.filters and outputs & set(content_words(each.phrase))
    )


def _pairs(case: Case) -> list[tuple[Output, bool]]:
    taken = " ".join(each.operand.name for each in case.answer if each.operand.columns)
    keyed = any(is_key(column.name) for each in case.answer for column in each.operand.columns)
    return [
        (output, output in case.named or f"{output.head}(" in taken or (output.head == "id" and keyed))
        for output in case.things
        if content_words(output.phrase)
    ]


def output_unlinked(case: Case) -> Finding | None:
    """A thing asked for resembles no column name of the answer.

    The answer shows something else. A name or a key stands for the thing itself, an alias says what a column means, and
    a computed value may be anything that is no list of things.

    >>> output_unlinked(case("What is the weight of each parcel?", "SELECT colour FROM parcels")).detail
    'no column matches: weight'
    """
    if any(each.star for each in case.answer):
        return None
    unlinked = [output.phrase for output, linked in _pairs(case) if not linked and not stands_for(output, case)]
    return counted(unlinked, "no column matches", most=2)


def output_linked(case: Case) -> Finding | None:
    """Each thing asked for resembles exactly one column of the answer.

    No column is missing and none is left over.

    >>> output_linked(case("What is the weight of each parcel?", "SELECT weight FROM parcels")).detail
    'named: weight'
    """
    pairs, given = _pairs(case), case.answer
    if not pairs or len(given) != len(pairs) or not all(linked for _, linked in pairs):
        return None
    return Finding(1.0, f"named: {', '.join(output.phrase for output, _ in pairs)}")


def output_undefined(case: Case) -> Finding | None:
    """A definition gives the columns of a thing asked for, and the answer shows none of them.

    The agent was told what to show and shows something else. A key may be followed to what it stands for, and an alias
    says what a column is.

    >>> output_undefined(case("List the owners of the kites", "SELECT kite FROM kites",
    ...     "List the owners of the kites (owners refers to holder)")).detail
    'owners: holder is not shown'
    """
    if not case.things or not case.enriched.definitions or any(each.star for each in case.answer):
        return None
    shown = {letters(column.name) for each in case.answer for column in each.operand.columns}
    names = shown_names(case.sql)
    called = frozenset[str]().union(*[alias_words(each.operand, names) for each in case.answer])
    for definition in case.enriched.definitions:
        if all(map(is_key, definition.columns)) or not called.isdisjoint(content_words(definition.phrase)):
            continue
        if shown.isdisjoint(map(letters, definition.columns)) and _defines_output(definition, case):
            return Finding(1.0, f"{definition.phrase}: {', '.join(definition.columns[:5])} is not shown")
    return None


def _defines_output(definition: Definition, case: Case) -> bool:
    """Whether a definition gives plain columns for a thing asked for."""
    words = set(content_words(definition.phrase))
    if not definition.columns or definition.filters or definition.functions or not words:
        return False
    return any(_same(words, each) for each in case.things)


def _same(defined: set[str], output: Output) -> bool:
    """Whether all words of the definition are in the output's phrase, or the other way round."""
    asked = set(content_words(output.phrase))
    return bool(asked) and (asked <= defined or defined <= asked)


def output_star(case: Case) -> Finding | None:
    """The SQL selects every column where particular ones are asked for.

    A little weaker where the question asks for whole things; none where it asks for details, records or everything.

    >>> output_star(case("What is the weight of each parcel?", "SELECT * FROM parcels")).strength
    1.0
    """
    if not any(each.star for each in case.answer):
        return None
    words = {"information", "detail", "record", "everything", "all", "info", "data", "row"}
    asked = [each for each in case.question.outputs if not words & set(content_words(each.phrase))]
    return Finding(0.8 if asks_entities(case) else 1.0, f"* for {asked[0].phrase}") if asked else None


def count_for_list(case: Case) -> Finding | None:
    """The answer is one number where rows are asked for.

    No aggregate, ratio or extreme is asked for, and the answer shows nothing but aggregates. `How much`, `what was` and
    an amount that is called like the thing may be one number.

    >>> count_for_list(case("List the names of the pilots", "SELECT COUNT(*) FROM pilots")).detail
    'count(*)'
    """
    given, question = case.answer, case.question
    if not given or any(each.operand.func is None for each in given) or _asks_number(case):
        return None
    if any(each.block in case.sql.outputs for each in case.sql.group_by):
        return None
    amount = given[0].operand.func != "COUNT"
    rows = [each for each in question.outputs if asks_rows(each, case) and not (amount and each in case.named)]
    return Finding(1.0, given[0].operand.name) if rows else None


def _asks_number(case: Case) -> bool:
    """Whether an aggregate, a ratio or an extreme is asked for, in the question or by a definition's formula."""
    question = case.question
    if question.superlatives or question.aggregations or question.ratios:
        return True
    return any(each.columns for each in case.enriched.definitions if each.functions)


def list_for_count(case: Case) -> Finding | None:
    """The answer lists rows where a count is asked for.

    Half strength where a column's name says that it stores the count.

    >>> list_for_count(case("How many pilots are there?", "SELECT name FROM pilots")).detail
    'no aggregate in: name'
    """
    asked = any(each.func == "COUNT" for each in case.question.aggregations)
    given = case.answer
    if not asked or case.sql.aggregations or case.question.outputs or THEM.search(case.question.text) is not None:
        return None
    if "COUNT" not in case.aggregation.missing:
        return None
    if any(_stores_count(column, case) for column in case.sql.columns):
        return None
    named = any(
        {"count", "number", "num", "total", "amount", "quantity"} & shown_words(each)
        or len(shown_words(each) & _stems(case)) > 0
        for each in given
    )
    return Finding(0.5 if named else 1.0, f"no aggregate in: {', '.join(each.operand.name for each in given[:5])}")


def _stores_count(column: Column, case: Case) -> bool:
    """Whether a column is called like what is counted, in the plural: it holds the number of it, as `doors` does."""
    counted = [content_words(each.column) for each in case.question.aggregations if each.func == "COUNT"]
    words = [word for word in identifier_words(column.name) if word not in _COUNT_WORDS]
    if is_head_count(column, case.asked):
        return True
    return column.name.endswith("s") and bool(words) and any(list(each) == words for each in counted)


_COUNT_WORDS = frozenset({"count", "number", "num", "total", "n", "nr", "no", "of"})


def is_head_count(column: Column, asked: str) -> bool:
    """Whether a column holds a number of people that the question calls by its name: `headcount per month`."""
    name = letters(column.name)
    return name in _HEAD_COUNTS and name in asked


_HEAD_COUNTS = frozenset({"headcount", "footfall", "attendance", "turnout", "ridership"})


def _stems(case: Case) -> set[str]:
    return {word for each in case.question.aggregations for word in content_words(each.column)}


def measure_shown(case: Case) -> Finding | None:
    """The answer shows the number that it orders or counts by beside the things asked for.

    People seldom mind; execution labels do.

    >>> measure_shown(case("Which city has the most flights?",
    ...     "SELECT city, COUNT(*) FROM flights GROUP BY city ORDER BY COUNT(*) DESC LIMIT 1")).detail
    'count(*) beside city'
    """
    measure = measure_beside(case)
    return Finding(1.0, f"{measure} beside {case.answer[0].operand.name}") if measure is not None else None


def measure_beside(case: Case) -> str | None:
    """The second column that rows are ordered by, or that counts them, where nothing asks for it."""
    given = case.answer
    wanted = max(wanted_columns(case) + len(case.question.group_by), 1)
    if len(given) <= wanted or any(each.func == "COUNT" for each in case.question.aggregations):
        return None
    keys = {each.operand.name for each in case.sql.order_by}
    measure = next((each for each in given if each.operand.name in keys or each.operand.func == "COUNT"), None)
    if measure is None or case.question.ratios or measure.operand.name == given[0].operand.name:
        return None
    return measure.operand.name
