"""Conditions that a dictionary states of every query: `everything: kind = 'shop'`, `only C is ever reported`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from learning.dictionary.catalogue import Catalogue, DescribedColumn
from learning.dictionary.columns import ColumnKind, kind_of_column, without
from learning.dictionary.findings import WrittenConvention
from learning.dictionary.groups import CodedColumn, CodeGroup
from learning.dictionary.mentions import Mention

_ONLY_THESE = re.compile(
    r"\bonly\s+[*`'\"]*(?P<code>[A-Za-z0-9_]{1,20})[*`'\"]*\s+(?:is|are|rows?)?\s*(?:ever |to be )?"
    r"(?:reported|counted|counts?|shown|used)\b",
    re.IGNORECASE,
)
ALWAYS = re.compile(
    r"\W{0,4}(?:everything|always|every query|all (?:figures|reports|queries|numbers))\s*:", re.IGNORECASE
)
_HANGING = re.compile(
    r"\b(?:everything|anything|whatever) (?:that )?(?:hang|belong|below|under|attached|linked)|\bwhatever the\b",
    re.IGNORECASE,
)
ALL_BELOW = re.compile(
    r"\b(?:everything|anything|whatever|all (?:rows|records|data)) (?:that )?"
    r"(?:hang|belong|below|under|attached|linked|connected|of\b)"
    r"|\b(?:every|any|whatever the) (?:figure|number|report|statistic|business|metric|kpi|total)"
    r"|\ball (?:reports?|figures?|numbers|statistics|kpis)\b",
    re.IGNORECASE,
)


def kept_alone(sentence: str, known: Sequence[CodedColumn], catalogue: Catalogue) -> Iterator[WrittenConvention]:
    """Codes whose rows alone count: `Only C is ever reported, whatever the figure`."""
    only = _ONLY_THESE.search(sentence)
    of = [each for each in known if only is not None and only["code"] in each.codes]
    if only is not None and len(of) == 1:
        group = CodeGroup(only.start(), only.end(), of[0], (only["code"],), negated=False)
        if _HANGING.search(sentence) is not None:
            yield from _everywhere(of[0].column, group.condition(), catalogue, told=True)
        else:
            yield WrittenConvention(table=of[0].column.table, predicate=group.condition())


def stated_always(text: str, found: Sequence[Mention], catalogue: Catalogue) -> Iterator[WrittenConvention]:
    """Conditions that a sentence states of everything: `everything: kind = 'shop' and not is_test`."""
    for each in found:
        denied = re.search(r"\bnot\s+`?\Z", text[: each.start]) is not None
        if denied and kind_of_column(each.column) is ColumnKind.FLAG:
            predicate = without(each.column, each.value)
        elif each.value is not None and not denied:
            predicate = f"{each.column.name} = {each.value}"
        else:
            predicate = None
        if predicate is not None:
            yield from _everywhere(each.column, predicate, catalogue, told=True)


def _everywhere(
    column: DescribedColumn, predicate: str, catalogue: Catalogue, *, told: bool
) -> Iterator[WrittenConvention]:
    """A condition of a table's rows, and of all that hangs off them."""
    yield WrittenConvention(table=column.table, predicate=predicate)
    for each in catalogue.hanging_off(column.table):
        yield WrittenConvention(table=each.name, predicate=f"{column.table}.{predicate}", required=told)
