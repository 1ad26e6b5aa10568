"""Checks a generated query word by word, so that what a server receives holds nothing but what is known.

The text is generated with every name quoted. All that is left outside quotes are keywords, types, functions, numbers
and operators, and each must be in the vocabulary. The check knows nothing of grammar, so it holds whatever a parser
made of the text that the query came from.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

from references.databases.vocabulary import OwnNames, Vocabulary

_TOKEN = re.compile(
    r"""(?P<string>'(?:[^'\0]|'')*')
      | (?P<name>"(?:[^"\0]|"")+")
      | (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![A-Za-z0-9_.]))
      | (?P<word>[A-Za-z_][A-Za-z0-9_]*(?!['"&$A-Za-z0-9_]))
      | (?P<operator>[-+*/<>=~!@\#%^&|?]+)
      | (?P<mark>[(),.:\[\]])
      | (?P<space>[ \n\t]+)""",
    re.VERBOSE,
)
_OPENS = frozenset({"select", "with", "values", "("})


_NONE: frozenset[str] = frozenset()


def objection(
    sql: str,
    vocabulary: Vocabulary,
    own: OwnNames,
    listed: AbstractSet[str] = _NONE,
    dotted: AbstractSet[str] = _NONE,
) -> str | None:
    """Returns what a generated query holds that it may not, or `None`.

    `listed` are quoted names that a list of columns may follow, and `dotted` those that may stand after a dot.

    >>> from references.databases.vocabulary import POSTGRES
    >>> objection("SELECT LOWER(\\"a\\") FROM \\"t\\" AS \\"x\\"(\\"a\\")", POSTGRES, OwnNames(), {"x"})
    >>> objection("SELECT PG_SLEEP(1)", POSTGRES, OwnNames())
    'the function pg_sleep is not known to be harmless'
    >>> objection("SELECT 1; SELECT 2", POSTGRES, OwnNames())
    "it holds ';' in a place that cannot be checked"
    >>> objection("SELECT ('/etc/passwd').\\"pg_read_file\\"", POSTGRES, OwnNames())
    'the field pg_read_file is not known to be a column'
    """
    place, opened, previous = 0, False, ""
    while place < len(sql):
        token = _TOKEN.match(sql, place)
        if token is None:
            return f"it holds {sql[place]!r} in a place that cannot be checked"
        kind, text = str(token.lastgroup), token.group()
        place = token.end()
        if kind == "space":
            continue
        if not opened and text.lower() not in _OPENS:
            return "it is not a query"
        opened = True
        if (found := _refused(kind, text, vocabulary, own, called=sql[place:].lstrip()[:1] == "(")) is not None:
            return found
        if (found := _misplaced(text, previous, listed, dotted)) is not None:
            return found
        previous = text
    return None if opened else "it is not a query"


def _misplaced(text: str, previous: str, listed: AbstractSet[str], dotted: AbstractSet[str]) -> str | None:
    if text == "(" and previous.startswith('"') and _unquoted(previous) not in listed:
        return f"the function {previous[1:-1][:80]} is not known to be harmless"
    if previous == "." and text.startswith('"') and _unquoted(text) not in dotted:
        return f"the field {text[1:-1][:80]} is not known to be a column"
    return None


def _unquoted(name: str) -> str:
    return name[1:-1].replace('""', '"')


def _refused(kind: str, text: str, vocabulary: Vocabulary, own: OwnNames, *, called: bool) -> str | None:
    word = text.lower()
    if kind in {"name", "word"} and (said := vocabulary.misread(_unquoted(text) if kind == "name" else text, own)):
        return said
    if kind == "operator" and text not in vocabulary.operators:
        return f"the operator {text[:20]} is not known to be harmless"
    if kind != "word" or word in own.last_names:
        return None
    if called and word in own.replacing:
        return f"the function {word} of the database, named like the server's, is not known to be harmless"
    noun = "function" if called else "word"
    return None if word in vocabulary.words else f"the {noun} {word[:80]} is not known to be harmless"
