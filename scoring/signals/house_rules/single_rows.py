"""Whether a question is about one row that it names."""

from __future__ import annotations

import re

from scoring.specification import Op
from scoring.values import Number, Text
from scoring.verdict import Case


def is_about_one(case: Case) -> bool:
    """Whether the SQL looks up one row that the question names: whose it is says whether it counts."""
    return _looks_up_number(case) or any(
        each.op in _NAMED_BY
        and isinstance(each.rhs, Text)
        and each.lhs is not None
        and len(each.lhs.columns) == 1
        and each.lhs.columns[0].name.endswith(_NAMES)
        and each.rhs.folded.strip("%") in case.question.text.casefold()
        for each in case.sql.filters
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


_NUMBER = re.compile(r"\d+")
_ROW_NUMBER = re.compile(r"(?!(?:19|20)\d\d\Z)\d{4,}")
"""A number that is no year."""
_NAMED_BY = frozenset({Op.EQ, Op.LIKE, Op.CONTAINS, Op.STARTS_WITH, Op.ENDS_WITH})
_NAMES = ("name", "title", "email", "login")
