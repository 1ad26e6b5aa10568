"""Reads dbt's `schema.yml`: descriptions, accepted values, units in `meta`, and keys in `relationships`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

import yaml

from learning.dictionary.catalogue import Catalogue
from learning.dictionary.findings import DictionaryFindings
from learning.dictionary.notes import Note
from scoring.words import letters

MOST_YAML = 1_000_000
"""Most characters that are read."""
_GROUPS = ("models", "seeds", "snapshots", "sources")
_REF = re.compile(r"(?:ref|source)\(.*?['\"](?P<name>[\w.]+)['\"]\s*\)")


@dataclass(slots=True)
class ReadDbt:
    """What a `schema.yml` declares, and its descriptions."""

    catalogue: Catalogue = field(default_factory=Catalogue)
    notes: list[Note] = field(default_factory=list[Note])
    units: dict[str, str] = field(default_factory=dict[str, str])
    codes: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])

    @property
    def findings(self) -> DictionaryFindings:
        """What stands there in so many words."""
        return DictionaryFindings(units=self.units, codes=self.codes)


def read_dbt(text: str, catalogue: Catalogue | None = None) -> ReadDbt | None:
    """The tables, descriptions, accepted values and units of a `schema.yml`; `None` where it is no YAML of dbt.

    >>> read = read_dbt('''
    ... models:
    ...   - name: pots
    ...     columns:
    ...       - name: glaze
    ...         description: "C clear, M matt"
    ...         meta: {unit: grams}
    ...         tests: [{accepted_values: {values: [C, M]}}]
    ... ''')
    >>> [(each.table, each.column, each.text) for each in read.notes], read.units, read.codes
    ([('pots', 'glaze', 'C clear, M matt')], {'pots.glaze': 'grams'}, {'pots.glaze': {'C': '', 'M': ''}})
    """
    try:
        parsed: object = yaml.load(text[:MOST_YAML], Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 safe
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    document = _mapping(parsed)
    if not any(key in document for key in _GROUPS):
        return None
    read = ReadDbt(catalogue if catalogue is not None else Catalogue())
    for table in _tables(document):
        _read_table(read, table)
    return read


def _tables(document: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    for group in _GROUPS:
        for each in _mappings(document.get(group)):
            yield from _mappings(each.get("tables")) if group == "sources" else [each]


def _read_table(read: ReadDbt, table: Mapping[str, object]) -> None:
    name = str(table.get("alias") or table.get("identifier") or table.get("name") or "")
    if not name:
        return
    own = read.catalogue.add_table(name).name
    _note(read, own, None, table.get("description"))
    for column in _mappings(table.get("columns")):
        called = str(column.get("name") or "")
        if not called:
            continue
        of = read.catalogue.add_column(own, called, str(column.get("data_type") or ""))
        _note(read, own, of.name, column.get("description"))
        meta = {**_mapping(_mapping(column.get("config")).get("meta")), **_mapping(column.get("meta"))}
        unit = meta.get("unit") or meta.get("units")
        if isinstance(unit, str) and unit.strip():
            read.units[of.text] = unit.strip()
        for kind, stated in _tests(column):
            _read_test(read, own, of.text, kind, stated)


def _tests(column: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    for key in ("tests", "data_tests"):
        for test in _mappings(column.get(key)):
            for kind, stated in test.items():
                inner = _mapping(stated)
                yield kind.rpartition(".")[2], {**inner, **_mapping(inner.get("arguments"))}


def _read_test(read: ReadDbt, table: str, column: str, kind: str, stated: Mapping[str, object]) -> None:
    if kind == "accepted_values" and isinstance(stated.get("values"), list):
        values = [_code(each) for each in cast("list[object]", stated["values"])]
        kept = {value: _words(value) for value in values if value}
        if len(kept) > 1:
            read.codes[column] = kept
    elif kind == "relationships" and (match := _REF.search(str(stated.get("to") or ""))) is not None:
        target = read.catalogue.add_table(match["name"]).name
        read.catalogue.add_table(table).refers.add(letters(target))


def _code(value: object) -> str:
    """The value as SQL compares with it; YAML reads `yes` and `no` as truths, which are no codes."""
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _words(code: str) -> str:
    """The meaning of a code that is a word: the word itself."""
    return code.replace("_", " ").lower() if len(code) > 3 and not code.isdigit() else ""


def _note(read: ReadDbt, table: str, column: str | None, text: object) -> None:
    if isinstance(text, str) and text.strip():
        read.notes.append(Note(text=" ".join(text.split()), table=table, column=column))


def _mappings(value: object) -> list[Mapping[str, object]]:
    listed = cast("list[object]", value) if isinstance(value, list) else []
    return [found for each in listed if (found := _mapping(each))]


def _mapping(value: object) -> Mapping[str, object]:
    held = cast("dict[object, object]", value) if isinstance(value, dict) else {}
    return {str(key): each for key, each in held.items()}
