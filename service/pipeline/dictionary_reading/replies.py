"""Reads what a model said of a dictionary: each statement by itself, so that a false one takes no other with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from consumers.wire.house_rules import ConventionDocument, FiscalYearDocument, LookAlikeDocument, TimeZoneDocument
from consumers.wire.texts import shorten
from learning.dictionary.catalogue import Catalogue
from learning.dictionary.findings import DictionaryFindings, WrittenConvention, WrittenLookAlike, WrittenTimeZone
from scoring.rules import Convention
from scoring.words import letters
from service.pipeline.rule_learning.rule_lists import objects_in

_Entry = TypeVar("_Entry", bound=BaseModel)
_FLAGS = frozenset({"0", "1", "y", "n", "t", "f", "yes", "no", "true", "false"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DictionaryReply:
    """What a model read out of a dictionary."""

    findings: DictionaryFindings
    left_out: tuple[str, ...]
    """What was not taken, and why."""


def read_dictionary_reply(text: str, catalogue: Catalogue, dialect: str | None) -> DictionaryReply | None:
    """The statements of a reply that rules can hold; `None` where it is no JSON object.

    Names must be those of declared tables and columns, where any are declared.

    >>> catalogue = Catalogue()
    >>> _ = catalogue.add_column("pots", "is_test")
    >>> said = '{"table": "pots", "predicate": "is_test = 0"}, {"table": "pans", "predicate": "x = 1"}'
    >>> read = read_dictionary_reply('{"conventions": [' + said + "]}", catalogue, None)
    >>> [each.predicate for each in read.findings.conventions], read.left_out
    (['is_test = 0'], ("conventions, 'pans': no such table",))
    """
    said = next(objects_in(text), None)
    if said is None:
        return None
    reading = _Reading(catalogue, dialect, [])
    year = said.get("fiscal_year")
    findings = DictionaryFindings(
        conventions=tuple(reading.conventions(said.get("conventions"))),
        look_alikes=tuple(reading.look_alikes(said.get("look_alikes"))),
        codes=reading.by_column("codes", said.get("codes"), _codes),
        units=reading.by_column("units", said.get("units"), _unit),
        time_zones=tuple(reading.time_zones(said.get("time_zones"))),
        fiscal_year=found.year if (found := reading.entry("fiscal_year", year, FiscalYearDocument)) else None,
    )
    return DictionaryReply(findings=findings, left_out=tuple(reading.left_out))


@dataclass(frozen=True, slots=True)
class _Reading:
    """One reading of a reply."""

    catalogue: Catalogue
    dialect: str | None
    left_out: list[str]

    def conventions(self, said: object) -> Iterator[WrittenConvention]:
        """The conditions whose tables, columns and predicates are sound."""
        for each in _list(said):
            entry = self.entry("conventions", each, ConventionDocument)
            found = entry.convention(self.dialect) if entry is not None else None
            if entry is None or found is None:
                continue
            if isinstance(found, str):
                self._leave("conventions", found)
                continue
            fault = self._fault(entry.table, None) or self._fault_of_columns(found)
            if fault is not None:
                self._leave("conventions", fault)
                continue
            own = entry.table.rpartition(".")[2]
            yield WrittenConvention(
                table=own, predicate=entry.predicate, required=entry.required, when=tuple(entry.when)
            )

    def _fault_of_columns(self, convention: Convention) -> str | None:
        columns = (column for term in convention.terms if term.lhs is not None for column in term.lhs.columns)
        faults = (self._fault(each.table or convention.table, each.name) for each in columns)
        return next(filter(None, faults), None)

    def look_alikes(self, said: object) -> Iterator[WrittenLookAlike]:
        """The columns that look alike and are declared."""
        for each in _list(said):
            entry = self.entry("look_alikes", each, LookAlikeDocument)
            if entry is None:
                continue
            faults = {name: self._placed_fault(name) for name in (entry.column, *entry.instead_of)}
            others = tuple([name for name in entry.instead_of if faults[name] is None])
            fault = faults[entry.column] or (None if others else faults[entry.instead_of[0]])
            if fault is not None:
                self._leave("look_alikes", fault)
                continue
            yield WrittenLookAlike(column=entry.column, instead_of=others, when=tuple(entry.when))

    def time_zones(self, said: object) -> Iterator[WrittenTimeZone]:
        """The zones with their declared columns; a zone that is a column must be declared too."""
        for each in _list(said):
            entry = self.entry("time_zones", each, TimeZoneDocument)
            if entry is None:
                continue
            faults = {name: self._placed_fault(name) for name in entry.columns}
            columns = tuple([name for name in entry.columns if faults[name] is None])
            fault = self._placed_fault(entry.zone) if "." in entry.zone else None
            fault = fault or (None if columns else faults[entry.columns[0]])
            if fault is not None:
                self._leave("time_zones", fault)
                continue
            yield WrittenTimeZone(zone=entry.zone, columns=columns, parts=tuple(entry.parts))

    def by_column(self, key: str, said: object, read: Callable[[object], Any]) -> dict[str, Any]:
        """The values by declared columns; those that `read` finds nothing in are left out."""
        found: dict[str, Any] = {}
        for column, value in _mapping(said).items():
            fault = self._placed_fault(column)
            taken = read(value)
            if fault is not None:
                self._leave(key, fault)
            elif taken:
                found[column] = taken
        return found

    def entry(self, key: str, said: object, form: type[_Entry]) -> _Entry | None:
        """The entry in its form; `None` where it has another, which is noted."""
        if not _mapping(said):
            return None
        try:
            return form.model_validate(said)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            self._leave(key, f"{place}: {first['msg']}")
            return None

    def _placed_fault(self, column: str) -> str | None:
        table, _, name = column.rpartition(".")
        return self._fault(table, name) if table else f"{shorten(column)!r}: no table before the column"

    def _fault(self, table: str, column: str | None) -> str | None:
        """What is wrong with a table or a column of it; nothing where no DDL declares tables."""
        if not self.catalogue.tables:
            return None
        known = self.catalogue.table(table)
        if known is None:
            return f"{shorten(table)!r}: no such table"
        return None if column is None or letters(column) in known.columns else f"{shorten(column)!r}: no such column"

    def _leave(self, key: str, why: str) -> None:
        self.left_out.append(f"{key}, {why}")


def _codes(said: object) -> dict[str, str]:
    """Stored codes and what they mean; those of a flag are none."""
    codes = {
        code: shorten(meaning, 300) for code, meaning in _mapping(said).items() if isinstance(meaning, str) and code
    }
    return {} if _FLAGS.issuperset(map(str.lower, codes)) else codes


def _unit(said: object) -> str:
    return said.strip()[:60] if isinstance(said, str) else ""


def _list(said: object) -> Sequence[object]:
    return cast("Sequence[object]", said) if isinstance(said, list) else ()


def _mapping(said: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", said) if isinstance(said, dict) else {}
