"""Whether a question is about one row that it names, or about all that a table holds."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.specification import Column, Op
from scoring.sql.shapes.naming import table_words
from scoring.values import Number, Text
from scoring.verdict import Case
from scoring.words import identifier_words, letters


def is_about_one(case: Case) -> bool:
    """Whether the SQL looks up one row that the question names: whose it is says whether it counts."""
    listed = not case.sql.aggregations and bool(pinned_tables(case))
    return (
        listed
        or _looks_up_number(case)
        or any(
            each.op in _NAMED_BY
            and isinstance(each.rhs, Text)
            and each.lhs is not None
            and len(each.lhs.columns) == 1
            and each.lhs.columns[0].name.endswith(_NAMES)
            and each.rhs.folded.strip("%") in case.question.text.casefold()
            for each in case.sql.filters
        )
    )


def _looks_up_number(case: Case) -> bool:
    """Whether a row is looked up by its number: `invoice 90311`."""
    said = set(_NUMBER.findall(f"{case.question.text} {case.query.enriched_question or ''}"))
    return any(
        each.op is Op.EQ
        and each.lhs is not None
        and each.lhs.func is None
        and isinstance(each.rhs, Number | Text)
        and _ROW_NUMBER.fullmatch(str(each.rhs)) is not None
        and str(each.rhs) in said
        for each in case.sql.filters
    )


def pinned_tables(case: Case) -> frozenset[str]:
    """The letters of the tables of which one row is looked up by a code: `club BDI`, `booking KF7Q2M`."""
    said = {each.casefold() for each in _CODE.findall(case.question.text)}
    if not said:
        return frozenset()
    return frozenset(
        letters(each.lhs.columns[0].table or "")
        for each in case.sql.filters
        if each.op is Op.EQ
        and each.lhs is not None
        and each.lhs.func is None
        and len(each.lhs.columns) == 1
        and isinstance(each.rhs, Text)
        and each.rhs.folded in said
        and (any(map(str.isdigit, each.rhs.folded)) or _is_own_code(each.lhs.columns[0]))
    )


def _is_own_code(column: Column) -> bool:
    """Whether a column is the code by which rows of its table are known: `club_cd` of `club`."""
    *named, last = identifier_words(column.name)
    return last in _CODES and tuple(named) == table_words(column.table or "")[-len(named) :]


_CODE = lazy(r"\b(?=\w*[A-Z])[A-Z0-9][A-Z0-9-]{2,15}\b")
"""What is written like a code."""
_CODES = frozenset({"cd", "code", "id", "no", "nr", "ref", "key"})
_NUMBER = lazy(r"\d+")
_ROW_NUMBER = lazy(r"(?!(?:19|20)\d\d\Z)\d{4,}")
"""A number that is no year."""
_NAMED_BY = frozenset({Op.EQ, Op.LIKE, Op.CONTAINS, Op.STARTS_WITH, Op.ENDS_WITH})
_NAMES = ("name", "title", "email", "login")


_ALL_ROWS = lazy(
    r"\b(?:all|every|any) (?:the )?(?:rows?|records?|entry|entries)\b(?! (?:with|where|of|that|from|for))"
    r"|\b(?:in|over|of|across) (?:the|this) (?:whole |entire |full )?table\b",
    re.IGNORECASE,
)


def is_about_all(case: Case) -> bool:
    """Whether the question is about whatever a table holds: `the oldest shop, all rows in the table`.

    >>> is_about_all(case("How many shops are in the table?", "SELECT COUNT(*) FROM shops"))
    True
    >>> is_about_all(case("All rows of shops in May", "SELECT COUNT(*) FROM shops"))
    False
    """
    return _ALL_ROWS.search(case.query.question) is not None
