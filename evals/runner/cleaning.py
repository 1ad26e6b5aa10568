"""SQL out of what an agent wrote around it: a fence, a sentence before or after, or JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from consumers.spans.json_texts import decoded
from consumers.spans.model_output import sql_of_output
from evals.runner.fenced import begins_as_query, fenced, inline, offered
from scoring.query import Unscored, UnscoredReason
from scoring.sql.bounds import screen
from scoring.sql.parsing import Parsed, parse_query

_PLAIN = re.compile(r"\s*(?:SELECT\b|WITH\s+(?:RECURSIVE\s+)?[\w\"]+\s+AS\b)[^;:`~]*;?\s*", re.IGNORECASE)
_BLANK_LINE = re.compile(r"\n\s*\n")
_QUERY = re.compile(r"\b(?:SELECT|WITH)\b", re.IGNORECASE)
_THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_FENCES = ("```", "~~~")
_TAIL = re.compile(r"^(?!.*--).*(?:`{3,}|~{3,})\s*\Z", re.MULTILINE)
"""A fence that closes and was never opened, outside a comment."""
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
    read, marked = _read(text, dialect), any(each in text for each in _FENCES)
    if isinstance(read, Parsed):
        # the parser takes off a fence around the whole text
        if not marked or (begins_as_query(text) and not _TAIL.search(text)):
            return None
    elif not marked and (read.reason not in _MAY_HOLD_ONE or _several_statements(text, read, dialect)):
        return None
    found = _found(_THOUGHT.sub("", text).strip(), dialect)
    return None if found is None or found == text.strip().rstrip(";").strip() else found


def _found(text: str, dialect: str | None) -> str | None:
    """The answer in a text: as JSON, in fences, as code in a sentence, or as the query that a sentence leads to."""
    if (held := decoded(text, len(text))) is not None and not isinstance(held, str):
        return _one(sql_of_output(held), dialect)
    for find in (fenced, inline):
        pieces = [replace(each, sql=sql) for each in find(text) if (sql := _of_piece(each.sql, dialect))]
        if pieces:
            return answer.sql if (answer := offered(pieces)) is not None else None
    return next((found for each in _candidates(text) if (found := _one(each, dialect))), None)


def _of_piece(held: str, dialect: str | None) -> str | None:
    return _one(held, dialect) or (_one(sql_of_output(held), dialect) if held[:1] in "{[" else None)


def _one(sql: str | None, dialect: str | None) -> str | None:
    """A text without its last semicolon where it is a query; `None` where it is none."""
    text = sql or ""
    found = (text.rstrip().rstrip("`~") if _TAIL.search(text) else text).strip().rstrip(";").strip()
    return found if found and isinstance(_read(found, dialect), Parsed) else None


def _read(text: str, dialect: str | None) -> Parsed | Unscored:
    screened = screen(text)
    return screened if isinstance(screened, Unscored) else parse_query(screened, dialect)


def _several_statements(text: str, read: Unscored, dialect: str | None) -> bool:
    """Whether what follows the first statement is one too, and no sentence."""
    if read.reason is not UnscoredReason.MULTIPLE_STATEMENTS:
        return False
    rest = _read(text.partition(";")[2].strip(), dialect)
    return isinstance(rest, Parsed) or rest.reason not in {
        UnscoredReason.REFUSED_ANSWER,
        UnscoredReason.UNPARSEABLE_SQL,
    }


def _candidates(text: str) -> Iterator[str]:
    """Texts that begin as a query, from the first on, cut where a sentence or a fence may follow."""
    for place, start in enumerate(_QUERY.finditer(text)):
        if place == _MOST_STARTS:
            return
        rest = text[start.start() :]
        for piece in (rest, rest.partition(";")[0], _BLANK_LINE.split(rest, 1)[0], rest.partition("```")[0]):
            yield piece.strip().rstrip(";").strip()
