"""Conditions that a sentence writes out for words: `income = lines with side = 'R' and state = 'A'`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from learning.dictionary.catalogue import Catalogue
from learning.dictionary.columns import without
from learning.dictionary.definitions import phrases_of
from learning.dictionary.findings import WrittenConvention
from learning.dictionary.mentions import Mention

_HEAD = re.compile(r"[^=:;]{3,60}?(?:\s=\s|\s+(?:means|is|are)\s|:\s*only\s)", re.IGNORECASE)
_TIED = re.compile(r"(?:\b(?:with|where|only|and|has|have|whose)|,)\s+[`*]*\Z", re.IGNORECASE)
_EMPTY = re.compile(r"`?\s+(?:is |are )?(?:null|empty|not set)\b", re.IGNORECASE)
_COUNTED = frozenset("reporting reportable counted countable valid real".split())
"""What rows are called of which a house counts no others."""
_VERB = re.compile(r"\s*(?:=|means|is|are|:\s*only)\s*\Z", re.IGNORECASE)
_NEXT = re.compile(r"\b(?:or|unless|except|less|minus|divided)\b|[-/]\s", re.IGNORECASE)


def written_conditions(
    sentence: str, mentioned: Sequence[Mention], catalogue: Catalogue
) -> Iterator[WrittenConvention]:
    """The conditions on one table that stand behind `with`, `where` or `only`, for the words at the start.

    >>> catalogue = Catalogue()
    >>> side = catalogue.add_column("lines", "side", "char(1)")
    >>> text = "Income = amounts of lines with side = 'R'."
    >>> found = [Mention(31, 41, side, "'R'", plain=False)]
    >>> [(each.table, each.predicate, each.when) for each in written_conditions(text, found, catalogue)]
    [('lines', "side = 'R'", ('income',))]
    """
    head = _HEAD.match(sentence)
    if head is None or any(each.start < head.end() for each in mentioned):
        return
    phrases = tuple(phrases_of(_VERB.sub("", head[0])))
    found = list(_tied(sentence, head, mentioned))
    terms = [term for _, term in found]
    if found and phrases and not all(each.endswith("NULL") for each in terms):
        table = catalogue.add_table(found[0][0])
        of_all = any(each.split()[0] in _COUNTED or table.is_called(each) for each in phrases)
        yield WrittenConvention(table=table.name, predicate=" AND ".join(terms), when=() if of_all else phrases)


_COUNTS_WHEN = re.compile(
    r"\W{0,4}(?:an?|the|every|each)?\s*[A-Za-z][\w -]{1,40}?\s*(?:\(`?[\w.]+`?\)\s*)?"
    r"\b(?:counts?|is (?:counted|real|valid))\s+(?:only )?(?:when|if|where|as long as)\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"\bnot\s+`?\Z", re.IGNORECASE)


def counting_conditions(sentence: str, mentioned: Sequence[Mention]) -> Iterator[WrittenConvention]:
    """The conditions of one table under which its rows count: ``A booking counts when `state` = 'C' and not `test` ``.

    >>> state = Catalogue().add_column("bookings", "state", "char(1)")
    >>> named = [Mention(22, 33, state, "'C'", plain=False)]
    >>> [each.predicate for each in counting_conditions("A booking counts when state = 'C'.", named)]
    ["state = 'C'"]
    """
    head = _COUNTS_WHEN.match(sentence)
    behind = [each for each in mentioned if head is not None and each.start >= head.end()]
    if head is None or not behind or re.search(r"\bor\b", sentence[head.end() :]) is not None:
        return
    for each in behind:
        predicate = _asked_of(each, sentence)
        if predicate is None or each.column.table != behind[0].column.table:
            return
        yield WrittenConvention(table=each.column.table, predicate=predicate)


def _asked_of(mention: Mention, sentence: str) -> str | None:
    """The condition on a column that a sentence names: its value, that it is empty, or that a flag is off."""
    if _NOT.search(sentence[: mention.start]) is not None:
        return without(mention.column, mention.value)
    if mention.value is not None:
        return f"{mention.column.name} = {mention.value}"
    return f"{mention.column.name} IS NULL" if _EMPTY.match(sentence[mention.end :]) is not None else None


def _tied(sentence: str, head: re.Match[str], mentioned: Sequence[Mention]) -> Iterator[tuple[str, str]]:
    """The table and the text of each condition, up to the first that is tied otherwise or is of another table."""
    only = "only" in head[0].lower()
    for each in mentioned:
        before = sentence[: each.start]
        tied = _TIED.search(before) or (only and head.end() == each.start)
        empty = _EMPTY.match(sentence[each.end :])
        other = each.column.table != mentioned[0].column.table or _NEXT.search(before[head.end() :])
        if not tied or other or (each.value is None and empty is None):
            break
        yield each.column.table, f"{each.column.name} {'IS NULL' if each.value is None else f'= {each.value}'}"
