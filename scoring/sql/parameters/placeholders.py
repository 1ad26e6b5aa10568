"""Finds placeholders in SQL text: `$1`, `?`, `:name`, `@name`, `%s`, `%(name)s`, `{{ name }}` and their kin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from scoring.patterns import lazy

_MARKS = "?:@$&#%{"
"""Every placeholder holds one of these marks: most SQL has none of them, and is not looked at twice."""
_CANDIDATE = lazy(r"\?|(?<![:\w@$&])[:@$&#]\{?\w|%[s(]|\{")
"""What a placeholder begins with."""
_PIECE = lazy(
    r"""(?P<template>'(?:\{\{[^{}'\n]{1,100}\}\}|\$\{\w{1,100}\})')"""
    r"""|'(?:[^']|'')*'?|"(?:[^"]|"")*"?|`[^`]*`?|--[^\n]*|/\*(?:[\s\S]*?\*/|[\s\S]*)"""
    r"""|(?P<place>\?\d{0,5}(?![?|&\w])|:\w+|@\w{1,100}\b(?!\s{0,9}:=)|\$\w{1,100}\b(?!\$)|\$\{\w{1,100}\}|\#\{\w{1,100}\}|&&?\w+"""
    r"""|%s(?!\w)|%\(\w{1,100}\)[sdf]|\{\{[^{}'\n]{1,100}\}\}|\{\w{1,100}(?::\w[\w()]{0,50})?\})"""
    r"""|(?P<word>\w+)|\S"""
)
_NAME = lazy(r"\w+")
_BEFORE_VALUES = frozenset("=<>!(,+-*/|%")
"""Marks after which a value stands."""
_WORDS_BEFORE_VALUES = frozenset(
    "and or not in like ilike glob rlike regexp between limit offset top fetch first next when then else select where "
    "on having values any all some similar to escape interval by is div distinct".split()
)
"""Words after which a value may stand."""


class Placeholder(NamedTuple):
    """One place of a value in the text."""

    start: int
    end: int
    name: str
    """Its name or number; blank where only its order tells it from others."""
    order: int
    """How many places without a name come before it."""
    alone: bool
    """It stands after IN without brackets, and takes a whole list."""


def placeholders(sql: str) -> Iterator[Placeholder]:
    """The placeholders of a text, in order. Those within texts, names and comments are none.

    >>> [each.name for each in placeholders("SELECT a::text FROM t WHERE b = $1 AND c = :city AND d = ? AND e = '?'")]
    ['1', 'city', '']
    """
    if not _is_marked(sql) or _CANDIDATE.search(sql) is None:
        return
    before, order = "", 0
    for piece in _PIECE.finditer(sql):
        found = piece["template"] or piece["place"]
        if found is not None and (before in _BEFORE_VALUES or before in _WORDS_BEFORE_VALUES):
            name = _name(found)
            yield Placeholder(piece.start(), piece.end(), name, order, before == "in")
            order += not name
            before = "?"
        elif not piece.group().startswith(("--", "/*")):
            before = piece.group().lower() if piece["word"] else piece.group()[-1]


def _is_marked(sql: str) -> bool:
    return any(map(sql.__contains__, _MARKS))


def _name(found: str) -> str:
    if found == "%s":
        return ""
    named = _NAME.search(found.removeprefix("%"))
    return named.group() if named else ""


def replaced(sql: str, write: Callable[[Placeholder], str]) -> str:
    """The text with each placeholder written anew."""
    parts: list[str] = []
    end = 0
    for each in placeholders(sql):
        parts += (sql[end : each.start], write(each))
        end = each.end
    return "".join((*parts, sql[end:])) if parts else sql


def with_numbers(sql: str) -> str:
    """The text with its placeholders in a notation that every dialect reads: `:p1`, and one name for one parameter.

    >>> with_numbers("SELECT a FROM t WHERE b IN ($1, $2) AND c = %(town)s AND d <> $1")
    'SELECT a FROM t WHERE b IN (:p1, :p2) AND c = :p3 AND d <> :p1'
    """
    if not _is_marked(sql):
        return sql
    numbers: dict[tuple[str, int], int] = {}

    def number(each: Placeholder) -> str:
        key = (each.name, 0 if each.name else each.order)
        name = f":p{numbers.setdefault(key, len(numbers) + 1)}"
        return f"({name})" if each.alone else name

    return replaced(sql, number)
