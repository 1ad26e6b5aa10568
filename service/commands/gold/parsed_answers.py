"""Whether the SQL of an answer parses, which is asked before anything is compared."""

from __future__ import annotations

from scoring.query import Unscored, UnscoredReason
from scoring.sql.bounds import screen
from scoring.sql.parsing import Parsed, parse_query

_READ_WELL = frozenset({UnscoredReason.NOT_A_SELECT, UnscoredReason.NOT_AN_ANSWER, UnscoredReason.MULTIPLE_STATEMENTS})
"""SQL that parses, and is not one query."""


def parsed_answer(sql: str, dialect: str | None) -> Parsed | Unscored:
    """The answer as a tree, or why it is no query."""
    text = screen(sql)
    return text if isinstance(text, Unscored) else parse_query(text, dialect)


def parses(fault: Unscored) -> bool:
    """Whether SQL with this fault parses all the same, as something else than one query."""
    return fault.reason in _READ_WELL


def why_unparsed(sql: str, dialect: str | None) -> str | None:
    """Why an answer does not parse; `None` where it does.

    >>> why_unparsed("DELETE FROM looms", None), why_unparsed(" ", None)
    (None, 'it does not parse: the SQL is blank or only comments')
    """
    found = parsed_answer(sql, dialect)
    if not isinstance(found, Unscored) or parses(found):
        return None
    return f"it does not parse: {found.detail or found.reason.value}"
