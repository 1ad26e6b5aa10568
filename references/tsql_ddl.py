"""T-SQL's `CREATE TABLE` as its tools write it, without what says how rows are stored: the parser does not read it."""

from __future__ import annotations

import re

_QUOTED = r"(?P<quoted>'(?:[^']|'')*'|\[(?:[^\]]|\]\])*\]|\"[^\"]*\"|--[^\n]*|/\*.*?\*/)"
_OPTIONS = r"""
    \bWITH\s*\(\s*\w+\s*=[^()]*(?:\([^()]*\)[^()]*)*\)
    | \b(?:NON)?CLUSTERED(?:\s+(?:COLUMNSTORE|HASH))?\b
    | \bWITH\s+(?:NO)?CHECK\b(?=\s+ADD\b)
    | \bNOT\s+FOR\s+REPLICATION\b
    | \b(?:ROWGUIDCOL|SPARSE|PERSISTED)\b | \b(?:ASC|DESC)\b(?=\s*[,)])
    | ^[ \t]*GO[ \t]*;?[ \t]*$
"""
_PLACES = r"""
    (?P<closed>\)\s*)(?:(?:ON|TEXTIMAGE_ON|FILESTREAM_ON)\s+(?!DELETE\b|UPDATE\b)(?:\[[^\]]*\]|"[^"]*"|\w+)(?:\s*\([^()]*\))?\s*)+
    | \bON\s+(?:\[PRIMARY\]|"PRIMARY"|PRIMARY\b)
"""
_FLAGS = re.IGNORECASE | re.VERBOSE | re.MULTILINE | re.DOTALL
_STORED = re.compile(f"{_QUOTED} | {_OPTIONS}", _FLAGS)
_PLACED = re.compile(f"{_PLACES} | {_QUOTED}", _FLAGS)
_BATCH = re.compile(r"^[ \t]*GO[ \t]*;?[ \t]*$", re.IGNORECASE)


def plain_tsql(ddl: str) -> str:
    """The statements without options of storage, file groups and index kinds; `GO` ends a statement.

    >>> plain_tsql("CREATE TABLE t (id INT, PRIMARY KEY CLUSTERED (id ASC) WITH (PAD_INDEX = OFF) ON [PRIMARY])")
    'CREATE TABLE t (id INT, PRIMARY KEY  (id )  )'
    """
    return _PLACED.sub(_closed, _STORED.sub(_kept, ddl))


def _kept(found: re.Match[str]) -> str:
    if found["quoted"] is not None:
        return found["quoted"]
    return ";" if _BATCH.match(found[0]) else ""


def _closed(found: re.Match[str]) -> str:
    return found["quoted"] or found["closed"] or ""
