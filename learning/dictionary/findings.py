"""What a data dictionary says, as entries of a tenant's rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from scoring.values import FiscalYear


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenConvention:
    """A condition that comes with a table, as a rule states it."""

    table: str
    predicate: str
    required: bool = True
    when: tuple[str, ...] = ()

    @property
    def entry(self) -> dict[str, Any]:
        """The entry below `conventions`."""
        stated: dict[str, Any] = {"table": self.table, "predicate": self.predicate, "required": self.required}
        return {**stated, "when": list(self.when)}


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenLookAlike:
    """A column that certain words mean, and those that look like it, as a rule states them."""

    column: str
    instead_of: tuple[str, ...]
    when: tuple[str, ...] = ()

    @property
    def entry(self) -> dict[str, Any]:
        """The entry below `look_alikes`."""
        return {"column": self.column, "instead_of": list(self.instead_of), "when": list(self.when)}


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenTimeZone:
    """The zone in which hours and days of columns are cut, as a rule states it."""

    zone: str
    columns: tuple[str, ...]
    parts: tuple[str, ...] = ()

    @property
    def entry(self) -> dict[str, Any]:
        """The entry below `time_zones`."""
        return {"zone": self.zone, "columns": list(self.columns), "parts": list(self.parts)}


@dataclass(frozen=True, slots=True, kw_only=True)
class DictionaryFindings:
    """Conventions, units, codes, mappings and zones that a dictionary states."""

    conventions: tuple[WrittenConvention, ...] = ()
    units: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    codes: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    look_alikes: tuple[WrittenLookAlike, ...] = ()
    fiscal_year: FiscalYear | None = None
    time_zones: tuple[WrittenTimeZone, ...] = ()
    mappings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The question's phrase → the column that it means."""

    @property
    def empty(self) -> bool:
        """Whether nothing was found."""
        return not self.document()

    def document(self) -> dict[str, Any]:
        """The rules document that states them.

        >>> DictionaryFindings(units={"orders.total": "cents"}).document()
        {'units': {'orders.total': 'cents'}}
        """
        stated: dict[str, Any] = {
            "column_mappings": dict(self.mappings),
            "conventions": [each.entry for each in self.conventions],
            "look_alikes": [each.entry for each in self.look_alikes],
            "fiscal_year": _year(self.fiscal_year),
            "time_zones": [each.entry for each in self.time_zones],
            "units": dict(self.units),
            "codes": {column: dict(codes) for column, codes in self.codes.items()},
        }
        return {key: value for key, value in stated.items() if value}


def _year(year: FiscalYear | None) -> dict[str, Any]:
    """The entry `fiscal_year`."""
    if year is None:
        return {}
    return {
        "starts": year.starts,
        "named_after": "end" if year.named_after_end else "start",
        "words": list(year.words),
    }


def added(found: DictionaryFindings, document: Mapping[str, Any]) -> dict[str, Any]:
    """A rules document with what a dictionary states; what the document says already stays.

    >>> found = DictionaryFindings(units={"orders.total": "cents", "orders.tip": "cents"})
    >>> added(found, {"units": {"orders.total": "euros"}, "memory": False})
    {'units': {'orders.total': 'euros', 'orders.tip': 'cents'}, 'memory': False}
    """
    merged = dict(document)
    for key, stated in (("column_mappings", found.mappings), ("units", found.units), ("codes", found.codes)):
        if stated:
            held: Mapping[str, Any] = document.get(key) or {}
            merged[key] = {**held, **{name: value for name, value in stated.items() if name not in held}}
    if found.fiscal_year is not None and "fiscal_year" not in document:
        merged["fiscal_year"] = _year(found.fiscal_year)
    stated = found.document()
    for key, name in (("conventions", _name), ("look_alikes", _name_of_look_alike), ("time_zones", _zone)):
        if key in stated:
            merged[key] = _listed(document.get(key) or [], stated[key], name)
    return merged


def _listed(
    listed: list[Mapping[str, Any]], entries: list[dict[str, Any]], name: Callable[[Mapping[str, Any]], object]
) -> list[Mapping[str, Any]]:
    """The entries that are listed, and those that have no name of theirs."""
    known = [name(each) for each in listed]
    return [*listed, *(each for each in entries if name(each) not in known)]


def _name_of_look_alike(entry: Mapping[str, Any]) -> tuple[str, list[str]]:
    """What makes two entries of `look_alikes` the same."""
    return str(entry.get("column", "")).lower(), list(entry.get("when") or [])


def _zone(entry: Mapping[str, Any]) -> str:
    """What makes two entries of `time_zones` the same."""
    return str(entry.get("zone", "")).lower()


def _name(convention: Mapping[str, Any]) -> tuple[str, str, list[str]]:
    """What makes two entries of `conventions` the same."""
    table = str(convention.get("table", "")).rpartition(".")[2].lower()
    return table, " ".join(str(convention.get("predicate", "")).lower().split()), list(convention.get("when") or [])


def together(found: Iterable[DictionaryFindings]) -> DictionaryFindings:
    """All conventions, units, codes and mappings; of two that contradict each other the first counts."""
    conventions: dict[tuple[str, str, tuple[str, ...]], WrittenConvention] = {}
    units: dict[str, str] = {}
    codes: dict[str, Mapping[str, str]] = {}
    mappings: dict[str, str] = {}
    for each in found:
        for convention in each.conventions:
            conventions.setdefault((convention.table, convention.predicate, convention.when), convention)
        for kept, own in ((units, each.units), (mappings, each.mappings)):
            kept.update({name: value for name, value in own.items() if name not in kept})
        codes.update({column: own for column, own in each.codes.items() if column not in codes})
    return DictionaryFindings(conventions=tuple(conventions.values()), units=units, codes=codes, mappings=mappings)
