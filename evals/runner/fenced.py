"""The pieces of a text that an agent set apart as code, and which of them it offers as the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_FENCE = re.compile(
    r"(?P<fence>`{3,}|~{3,})(?P<held>.*?)(?:(?P=fence)|\Z)|"
    r"<(?P<tag>(?:final_)?(?:sql|query|sql_query|answer))>(?P<inner>(?:(?!`{3}|~{3}|<(?P=tag)>).)*?)</(?P=tag)>",
    re.DOTALL | re.IGNORECASE,
)
"""Code between fences, or between tags as prompts ask for them."""
_INLINE = re.compile(r"(?<!`)(?P<ticks>`{1,2})(?!`)(?P<held>[^`]+)(?P=ticks)(?!`)")
_LANGUAGE = re.compile(r"[ \t]*([A-Za-z][\w+#.-]*)(?=\s)")
_QUERY = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/|\()*(?:SELECT|WITH)\b", re.IGNORECASE | re.DOTALL)
_SQL = frozenset(
    "sql postgresql postgres psql mysql mariadb sqlite sqlite3 tsql mssql bigquery googlesql snowflake duckdb redshift "
    "oracle plsql clickhouse spark sparksql databricks trino presto hive json text txt plain".split()
)
"""Languages of fences that may hold a query."""
_ALTERNATIVE = re.compile(
    r"\b(?:alternativ\w*|another (?:way|option|approach|query)|other (?:way|option)s?|instead|equivalent\w*|also|"
    r"or (?:use|with|simply|else)|or,|if you (?:prefer|want|need|would|only))\b|\bor:?\s*$",
    re.IGNORECASE,
)
_DRAFT = re.compile(
    r"\b(?:draft|first (?:attempt|try|look\w*|check\w*|explor\w*)|tried|explor\w*|inspect\w*|to check|initial)\b",
    re.IGNORECASE,
)
_REFUTED = re.compile(
    r"\b(?:wrong|incorrect|not (?:right|correct|work)|fail(?:s|ed)|mistake|error|"
    r"does(?:n't| not) work|but (?:that|this|it))\b",
    re.IGNORECASE,
)
_FINAL = re.compile(
    r"\b(?:final|corrected|correction|fixed|revised|improved|(?:the|my) (?:right |correct )?(?:answer|query) is)\b",
    re.IGNORECASE,
)
_STEP = re.compile(r"\b(?:step \d+|then|next|after that|second(?:ly)?|query \d+|part \d+)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CodePiece:
    """A piece of code with the words that announce it."""

    sql: str
    announced: str
    followed: str = ""
    """What stands between it and the next piece; nothing after the last."""

    @property
    def is_draft(self) -> bool:
        """Whether it is announced as a draft, or what follows takes it back."""
        return bool(_DRAFT.search(self.announced) or _REFUTED.search(self.followed))


def fenced(text: str) -> list[CodePiece]:
    r"""The fenced pieces that may hold a query, whatever marks them.

    >>> [each.sql for each in fenced("~~~sql\nSELECT 1\n~~~\n```python\n1\n```\n```sql SELECT 2```<sql>SELECT 3</sql>")]
    ['SELECT 1', 'SELECT 2', 'SELECT 3']
    """
    return [piece for piece in _pieces(text, _FENCE) if piece.sql]


def inline(text: str) -> list[CodePiece]:
    """The queries that stand as code in a sentence.

    >>> [each.sql for each in inline("Run `SELECT id FROM looms` on `mill`.")]
    ['SELECT id FROM looms']
    """
    return [piece for piece in _pieces(text, _INLINE) if _QUERY.match(piece.sql)]


def begins_as_query(text: str) -> bool:
    """Whether a text begins with SELECT or WITH, after comments and brackets."""
    return _QUERY.match(text) is not None


def _pieces(text: str, mark: re.Pattern[str]) -> Iterator[CodePiece]:
    before, found = 0, [*mark.finditer(text)]
    for each, after in zip(found, [*found[1:], None], strict=False):
        groups = each.groupdict()
        followed = text[each.end() : after.start()] if after is not None else ""
        held = _without_language(groups["held"] or groups.get("inner") or "")
        yield CodePiece(held, _last_words(text[before : each.start()]), followed)
        before = each.end()


def _without_language(held: str) -> str:
    """What a fence holds; nothing where its language holds no queries."""
    language = _LANGUAGE.match(held)
    if language is None or _QUERY.match(held):
        return held.strip()
    return held[language.end() :].strip() if language[1].lower() in _SQL else ""


def _last_words(text: str) -> str:
    """The last paragraph before a piece, and of it the last two sentences."""
    paragraphs = [each for each in re.split(r"\n\s*\n", text) if each.strip()]
    sentences = re.split(r"(?<=[.!?])\s+", paragraphs[-1].strip()) if paragraphs else [""]
    return " ".join(sentences[-2:])


def offered(pieces: Sequence[CodePiece]) -> CodePiece | None:
    """The piece that is the answer: the one called final, or the first that is no draft and no alternative.

    `None` where several are steps of one answer.

    >>> one, other = CodePiece("SELECT 1", "Here it is:"), CodePiece("SELECT 2", "Alternatively:")
    >>> offered([one, other]).sql, offered([one, CodePiece("SELECT 2", "Corrected:")]).sql
    ('SELECT 1', 'SELECT 2')
    >>> offered([CodePiece("SELECT 1", "Step 1:"), CodePiece("SELECT 2", "Step 2:")])
    """
    meant = [each for each in pieces if not each.is_draft] or list(pieces)
    final = [each for each in meant if _FINAL.search(each.announced)]
    main = final[-1:] or [each for each in meant if not _ALTERNATIVE.search(each.announced)] or meant
    return main[0] if main and not _are_steps(main) else None


def _are_steps(pieces: Sequence[CodePiece]) -> bool:
    return len({each.sql for each in pieces}) > 1 and any(_STEP.search(each.announced) for each in pieces)
