"""Words for a column that is empty, or for one value of a flag: `NULL = uninsured`, `open = closed_at empty`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from learning.dictionary.definitions import phrases_of
from learning.dictionary.findings import WrittenConvention
from learning.dictionary.mentions import Mention

_EMPTY = r"(?:is |are )?(?:NULL|null|Null|empty|blank|unset|not set)"
_BEHIND = re.compile(rf"`?\s+(?P<state>{_EMPTY}|set|filled|[01])\s*(?:=|means)\s*(?P<phrase>[^.;,()]+)")
_BEFORE = re.compile(r"(?:^|[.;,])\s*(?P<phrase>[^.;,=]{3,40}?)\s*=\s*`?\Z")
_STATE = re.compile(rf"`?\s+(?P<state>{_EMPTY}|set)\s*(?:[.;,]|\Z)")
_SHORTEST = 4
_NOT_NOW = re.compile(r"\b(?:no longer|not yet|never|yet|anymore)\b", re.IGNORECASE)


def states(sentence: str, mentioned: Sequence[Mention]) -> Iterator[WrittenConvention]:
    """The conventions that tie words to an empty column or a flag's value.

    >>> from learning.dictionary.catalogue import DescribedColumn
    >>> column = DescribedColumn("pots", "plan_id")
    >>> for text in ("plan_id NULL = unplanned, see there.", "unplanned = plan_id is NULL."):
    ...     place = text.index("plan_id")
    ...     found = Mention(place, place + 7, column, None, plain=False)
    ...     print([(each.when, each.predicate) for each in states(text, [found])])
    [(('unplanned',), 'plan_id IS NULL')]
    [(('unplanned',), 'plan_id IS NULL')]
    """
    for each in mentioned:
        behind = sentence[each.end :]
        match = _BEHIND.match(behind)
        phrase = match["phrase"] if match is not None else None
        if match is None and (match := _STATE.match(behind)) is not None:
            before = _BEFORE.search(sentence[: each.start])
            phrase = before["phrase"] if before is not None else None
        if match is None or phrase is None or each.plain or _NOT_NOW.search(phrase):
            continue
        when = tuple([said for said in phrases_of(phrase) if len(said) >= _SHORTEST])
        if when:
            predicate = f"{each.column.name} {_condition(match['state'])}"
            yield WrittenConvention(table=each.column.table, predicate=predicate, when=when)


def _condition(state: str) -> str:
    if state.isdigit():
        return f"= {state}"
    return "IS NOT NULL" if state in ("set", "filled") else "IS NULL"
