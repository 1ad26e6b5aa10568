"""Checks an answer's text before it is parsed: refuses hostile text and text that is not SQL."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.query import Unscored, UnscoredReason, unreadable
from scoring.sql.probes.statements import probing_statement

MAX_LENGTH = 100_000
"""Characters of SQL."""
MAX_DEPTH = 80
"""Brackets, CASEs and stacked prefix operators open at once; the compiled parser fails beyond a few hundred."""
MAX_TOKENS = 20_000
"""Tokens of SQL; a syntax tree has at most a few times as many nodes."""

_FENCE = lazy(r"```(?:[A-Za-z]+(?=\s))?")
"""A Markdown fence; SQL never contains three backticks."""
_BLANK = lazy(r"\s+|--[^\n]*|/\*(?:[\s\S]*?\*/|[\s\S]*)|#[^\n]*")
_WORD = lazy(r"[A-Za-z_]+")

_READS = frozenset({"select", "with", "values", "from", "table"})
_OTHERS = frozenset(
    "insert update delete merge replace upsert create alter drop truncate rename comment grant revoke deny explain "
    "describe desc analyze analyse pragma copy "
    "call exec execute do declare begin commit rollback savepoint release "
    "set reset use show vacuum attach detach load unload put get refresh export import lock unlock kill optimize cache "
    "uncache install prepare deallocate fetch open close print if while checkpoint cluster reindex discard listen "
    "notify handler signal backup restore msck undrop list remove pivot unpivot summarize".split()
)
_REFUSALS = lazy(
    r"\b(?:sorry|cannot|can't|can not|unable|apologi[sz]e|unanswerable|impossible|not possible|not enough|"
    r"insufficient|no answer|not available|does not exist|doesn't exist|don't|do not|could not|couldn't|"
    r"n/a|none|null|error|unknown)\b",
    re.IGNORECASE,
)
_ENGLISH = frozenset("i me my we you your the this that these there is are was of please".split())
"""Words that distinguish `Show me the …` from `SHOW TABLES`."""
_SQL_MARKS = lazy(r"[=*();<>]|\bfrom\b", re.IGNORECASE)

_NESTING = lazy(
    r"""'(?:[^'\\]|''|\\[\s\S])*'?|"(?:[^"]|"")*"?|`[^`]*`?|--[^\n]*|/\*(?:[\s\S]*?\*/|[\s\S]*)|[(\[{]|[)\]}]"""
    r"""|[-+~!@?]|\w+(?:\.\w+)*|[^\s\w]""",
)
_NESTING_WORDS = ("from", "not", "case", "when", "interval", "any", "all", "some", "prior", "connect", "if", "distinct")
_DECLARES = lazy(r"\s*declare\s+@", re.IGNORECASE)
_SUBSCRIPTS = lazy(r"\]\s*\[")
"""`a[1][1]`: the parser takes quadratic time for a run of them in some dialects."""
_PREFIXES = frozenset(
    "from not when then interval any all some prior connect_by_root if else distinct - + ~ ! @ ?".split()
)
"""Words and marks that make the parser recurse when they are stacked without brackets."""


def screen(sql: str) -> str | Unscored:
    """The SQL without a Markdown fence, or the reason why it is not scored.

    >>> screen("```sql\\nSELECT 1\\n```")
    'SELECT 1'
    >>> screen("I'm sorry, I cannot answer that.").reason.value
    'REFUSED_ANSWER'
    """
    if len(sql) > MAX_LENGTH:
        return Unscored(UnscoredReason.SQL_TOO_LONG, f"{len(sql)} characters; at most {MAX_LENGTH} are read")
    invalid = unreadable(sql)
    if invalid:
        what = f"U+{ord(invalid.group()):04X} at character {invalid.start()}"
        return Unscored(UnscoredReason.INVALID_TEXT, f"{what}: NUL and lone surrogates are no text")
    if "```" in sql:
        sql = _FENCE.sub(" ", sql).strip()
    return _refuse_other_statements(sql) or _refuse_depth(sql) or sql


def declares_values(sql: str) -> bool:
    """Whether T-SQL gives names to values before its query.

    >>> declares_values("DECLARE @a int = 1; SELECT b FROM t WHERE c = @a"), declares_values("SELECT 'declare @a'")
    (True, False)
    """
    return _DECLARES.match(sql) is not None


def shortened(text: str, most: int = 60) -> str:
    """One line of at most `most` characters, for messages."""
    line = " ".join(text[: most * 4].split())
    return line if len(line) <= most else line[: most - 1] + "…"


_SEMICOLON = lazy(";")
"""T-SQL is often written `;WITH`."""


def _refuse_other_statements(sql: str) -> Unscored | None:
    position = 0
    while blank := _BLANK.match(sql, position) or _SEMICOLON.match(sql, position):
        position = blank.end()
    rest = sql[position : position + 400]
    if not rest.strip(" ;"):
        return Unscored(UnscoredReason.EMPTY_SQL, "the SQL is blank or only comments")
    if rest[0] == "(":
        return None
    word = _WORD.match(rest)
    first = word.group().lower() if word else ""
    if _reads(first, rest):
        return None
    if _ENGLISH.isdisjoint(rest.lower().split()):
        probed = probing_statement(first, rest)
        if probed is not None:
            return _several(sql) or probed
    if first in _OTHERS and _ENGLISH.isdisjoint(rest.lower().split()):
        return Unscored(UnscoredReason.NOT_A_SELECT, f"{first.upper()} is not a query; only SELECT is scored")
    if _is_prose(rest):
        return Unscored(UnscoredReason.REFUSED_ANSWER, f"prose, not SQL: {shortened(rest)}")
    return Unscored(UnscoredReason.UNPARSEABLE_SQL, f"no statement begins with {shortened(rest, 40)}")


def _reads(first: str, text: str) -> bool:
    """Whether SQL begins as a query does, or names values before one."""
    return (first in _READS and not _is_sentence(first, text)) or declares_values(text)


def _several(sql: str) -> Unscored | None:
    """The refusal of a probe that another statement follows: that one may be the answer."""
    if not sql.partition(";")[2].strip("; \t\r\n"):
        return None
    return Unscored(UnscoredReason.MULTIPLE_STATEMENTS, "text follows the first `;`; one statement is scored")


def _is_sentence(first: str, text: str) -> bool:
    """Whether prose opens with a keyword: `Table does not exist`, `From what I know …`."""
    return first in {"table", "from", "with", "values"} and not _SQL_MARKS.search(text, len(first)) and _is_prose(text)


def _is_prose(text: str) -> bool:
    if _REFUSALS.search(text) and not re.search(r"\bselect\b", text, re.IGNORECASE):
        return True
    return len(text.split(None, 4)) > 3 and not _SQL_MARKS.search(text)


def _refuse_depth(sql: str) -> Unscored | None:
    """Refuses deep nesting; counts exactly only if a cheap upper bound exceeds the limit."""
    openers = sum(map(sql.count, "([{-+~!@?"))
    if openers + (len(sql) + 1) // 3 <= MAX_DEPTH:  # no word that nests is shorter than two letters and a space
        return None
    lowered = sql.lower()
    if openers + sum(map(lowered.count, _NESTING_WORDS)) <= MAX_DEPTH:
        return None
    subscripts = len(_SUBSCRIPTS.findall(sql)) if "[" in sql else 0
    if max(_deepest(lowered), subscripts) <= MAX_DEPTH:
        return None
    return Unscored(UnscoredReason.SQL_TOO_DEEP, f"nests deeper than {MAX_DEPTH} brackets, CASEs or stacked operators")


def _deepest(lowered: str) -> int:
    brackets = cases = run = deepest = 0
    for match in _NESTING.finditer(lowered):
        found = match.group()
        if found in "([{":
            brackets += 1
        elif found in ")]}":
            brackets -= 1
            run = 0
        elif found == "case":
            cases += 1
        elif found == "end":
            cases = max(0, cases - 1)
            run = 0
        elif found in _PREFIXES:
            run += 1
        elif not found.startswith(("--", "/*")):
            run = 0
        deepest = max(deepest, brackets + cases + run)
    return deepest
