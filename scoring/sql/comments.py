"""Takes the comments out of an SQL text: they say what a query means to do, not what it does."""

from __future__ import annotations

import re
from functools import cache

from scoring.sql.dialects import parser_dialect

_QUOTED = r"'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`"


def without_comments(sql: str, dialect: str) -> str:
    """The text with a blank in place of each comment, and of each hint, as the dialect writes them.

    >>> without_comments("SELECT '--' /* all */ FROM t # of it", "mysql")
    "SELECT '--'   FROM t  "
    >>> without_comments("SELECT a FROM #sold", "tsql")
    'SELECT a FROM #sold'
    """
    comment, starts = _comment(dialect)
    if not any(map(sql.__contains__, starts)):
        return sql
    return comment.sub(lambda match: match[1] or " ", sql)


@cache
def _comment(dialect: str) -> tuple[re.Pattern[str], tuple[str, ...]]:
    """A pattern of quoted texts (its group) and comments, and the signs that begin a comment."""
    signs = [each for each in parser_dialect(dialect).tokenizer_class.COMMENTS if isinstance(each, str)]
    ends = "|".join(map(re.escape, signs))
    return re.compile(rf"({_QUOTED})|(?:{ends})[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL), (*signs, "/*")
