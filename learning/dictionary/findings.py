"""What a data dictionary says, as entries of a tenant's rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any


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
class DictionaryFindings:
    """Conventions, units, codes and mappings that a dictionary states."""

    conventions: tuple[WrittenConvention, ...] = ()
    units: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    codes: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    mappings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The question's phrase → the column that it means."""

    @property
    def empty(self) -> bool:
        """Whether nothing was found."""
        return not (self.conventions or self.units or self.codes or self.mappings)

    def document(self) -> dict[str, Any]:
        """The rules document that states them.

        >>> DictionaryFindings(units={"orders.total": "cents"}).document()
        {'units': {'orders.total': 'cents'}}
        """
        stated: dict[str, Any] = {
            "column_mappings": dict(self.mappings),
            "conventions": [each.entry for each in self.conventions],
            "units": dict(self.units),
            "codes": {column: dict(codes) for column, codes in self.codes.items()},
        }
        return {key: value for key, value in stated.items() if value}


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
    if found.conventions:
        listed: list[Mapping[str, Any]] = document.get("conventions") or []
        known = [_name(each) for each in listed]
        merged["conventions"] = [*listed, *(each.entry for each in found.conventions if _name(each.entry) not in known)]
    return merged


def _name(convention: Mapping[str, Any]) -> tuple[str, str, list[str]]:
    """What makes two entries of `conventions` the same."""
    table = str(convention.get("table", "")).rpartition(".")[2].lower()
    return table, " ".join(str(convention.get("predicate", "")).lower().split()), list(convention.get("when") or [])


def together(found: Iterable[DictionaryFindings]) -> DictionaryFindings:
    """All findings; of two that contradict each other the first counts."""
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
