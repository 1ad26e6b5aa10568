"""SQL out of what an agent wrote around it: a fence, a sentence before or after, or JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator

from consumers.spans.model_output import sql_of_output
from scoring.query import Unscored, UnscoredReason
from scoring.sql.bounds import screen
from scoring.sql.parsing import Parsed, parse_query

_PLAIN = re.compile(r"\s*(?:SELECT\b|WITH\s+(?:RECURSIVE\s+)?[\w\"]+\s+AS\b)[^;`]*;?\s*", re.IGNORECASE)
_BLANK_LINE = re.compile(r"\n\s*\n")
_QUERY = re.compile(r"\b(?:SELECT|WITH)\b", re.IGNORECASE)
_MOST_STARTS = 12
_MAY_HOLD_ONE = frozenset(
    {UnscoredReason.UNPARSEABLE_SQL, UnscoredReason.REFUSED_ANSWER, UnscoredReason.MULTIPLE_STATEMENTS}
)


def looks_plain(text: str) -> bool:
    """Whether a text is a query with nothing around it, as far as a look tells.

    >>> looks_plain("SELECT 1;"), looks_plain("Here it is: SELECT 1")
    (True, False)
    """
    return _PLAIN.fullmatch(text) is not None and _BLANK_LINE.search(text.strip()) is None


def cleaned_sql(text: str, dialect: str | None = None) -> str | None:
    r"""The one query in a text with something around it; `None` when the text is the SQL, or holds none.

    >>> cleaned_sql("Here you are:\n```sql\nSELECT id FROM looms\n```\nIt lists all looms.")
    'SELECT id FROM looms'
    >>> cleaned_sql("The query is: SELECT id FROM looms; it lists all looms.")
    'SELECT id FROM looms'
    >>> [cleaned_sql(text) for text in ("SELECT id FROM looms", "I cannot answer.", "INSERT INTO t SELECT 1")]
    [None, None, None]
    """
    if "```" not in text:
        read = _read(text, dialect)
        if isinstance(read, Parsed) or read.reason not in _MAY_HOLD_ONE:
            return None
        if read.reason is UnscoredReason.MULTIPLE_STATEMENTS and _several_statements(text, dialect):
            return None
    found = next((each for each in _candidates(text) if isinstance(_read(each, dialect), Parsed)), None)
    return None if found is None or found == text.strip().rstrip(";").strip() else found


def _read(text: str, dialect: str | None) -> Parsed | Unscored:
    screened = screen(text)
    return screened if isinstance(screened, Unscored) else parse_query(screened, dialect)


def _several_statements(text: str, dialect: str | None) -> bool:
    """Whether what follows the first statement is one too, and no sentence."""
    rest = _read(text.partition(";")[2].strip(), dialect)
    return isinstance(rest, Parsed) or rest.reason not in {
        UnscoredReason.REFUSED_ANSWER,
        UnscoredReason.UNPARSEABLE_SQL,
    }


def _candidates(text: str) -> Iterator[str]:
    held = sql_of_output(text)
    if held is not None and held != text.strip():
        yield held.strip().rstrip(";").strip()
    for place, start in enumerate(_QUERY.finditer(text)):
        if place == _MOST_STARTS:
            return
        rest = text[start.start() :]
        for piece in (rest, rest.partition(";")[0], _BLANK_LINE.split(rest, 1)[0]):
            yield piece.strip().rstrip(";").strip()
