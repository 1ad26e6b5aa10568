"""Words that a column and its codes define: `Active customer = STAT_CD A or H`, `*lost* in a period: status 4 or 5`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from learning.dictionary.catalogue import Catalogue, DescribedColumn
from learning.dictionary.definitions import phrases_of
from learning.dictionary.findings import WrittenConvention

_CODE = r"(?:'[^']{1,20}'|`(?:\d{1,4}|[A-Z][A-Z0-9_]{0,11})`|\d{1,4}|[A-Z][A-Z0-9_]{0,5})"
_DEFINED = re.compile(
    r"^[\W\d]{0,8}(?:An?\s+)?(?P<phrase>[A-Za-z][A-Za-z /*\"-]{2,40}?)[*\"”]*\s*(?:=|:|\bmeans\b|\bis\b|\bare\b)\s*"
    rf"(?P<tick>[`*]*)(?P<column>[A-Za-z_][A-Za-z0-9_]*)(?P=tick)\s*=?\s+(?P<codes>{_CODE}"
    rf"(?:\s*(?:,|/|\bor\b|\band\b)\s*(?:or\s+|and\s+)?{_CODE})*)(?![\w%])(?P<rest>[^.;]*)"
)
_PERIOD = re.compile(r"\s+(?:in|within|during) (?:a|the|any) (?:given )?(?:period|month|year|time)\s*\Z", re.IGNORECASE)
_OTHERWISE = re.compile(r"\s*[=:–]|\s*(?:,\s*)?(?:or|unless|except|plus|if|when|where|only if)\b", re.IGNORECASE)


def named_codes(sentence: str, table: str | None, catalogue: Catalogue) -> Iterator[WrittenConvention]:
    """The condition for the words at the start; of a table that they name, that of the heading, or the only one.

    >>> catalogue = Catalogue()
    >>> for name in ("customers", "orders"):
    ...     held = catalogue.add_column(name, "stat", "char(1)")
    >>> text = "Active customer = stat A or H."
    >>> [(each.table, each.predicate, each.when) for each in named_codes(text, None, catalogue)]
    [('customers', "stat IN ('A', 'H')", ('active customer',))]
    """
    found = _DEFINED.match(sentence)
    if found is None or _OTHERWISE.match(found["rest"]):
        return
    column = _column(found["column"], found["phrase"], table, catalogue)
    phrases = tuple(phrases_of(_PERIOD.sub("", found["phrase"].strip(' *"'))))
    codes = [each.strip("'`") for each in re.findall(_CODE, found["codes"])]
    if column is not None and phrases and not _names_rows(phrases, column, catalogue):
        predicate = f"{column.name} {_one_of(codes, column)}"
        yield WrittenConvention(table=column.table, predicate=predicate, when=phrases)


def _names_rows(phrases: tuple[str, ...], column: DescribedColumn, catalogue: Catalogue) -> bool:
    """Whether the words are what all rows of a table are called, or the column itself."""
    called = any(held.is_called(each) for held in catalogue.tables.values() for each in phrases)
    return called or column.name.lower() in phrases


def _one_of(codes: list[str], column: DescribedColumn) -> str:
    """The end of a condition that keeps these codes."""
    number = all(code.isdigit() for code in codes) and not column.type.startswith(("char", "var", "text", "string"))
    values = [code if number else f"'{code}'" for code in dict.fromkeys(codes)]
    return f"= {values[0]}" if len(values) == 1 else f"IN ({', '.join(values)})"


def _column(name: str, phrase: str, table: str | None, catalogue: Catalogue) -> DescribedColumn | None:
    holders = catalogue.holders(name)
    words = phrase.strip(' *"').split()
    called = [
        each for each in holders if (held := catalogue.table(each.table)) is not None and held.is_called(words[-1])
    ]
    own = [each for each in holders if table is not None and each.table.lower() == table.lower()]
    return (called or own or (holders if len(holders) == 1 else []) or [None])[0]
