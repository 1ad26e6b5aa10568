"""What a tenant's rules state of its house: conditions that come with a table, stored codes and units of columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from consumers.wire.texts import shorten
from scoring.query import Unscored
from scoring.rules import Convention, LookAlike, TimeZone
from scoring.sql import read_predicate
from scoring.values import FiscalYear, Grain
from scoring.words import parted

MOST_CONVENTIONS = 500
MOST_COLUMNS = 2000
"""Most columns with a unit, and most with codes."""
MOST_CODES = 500
"""Most codes of one column."""
MOST_WORDS = 50
"""Most words of a question that a convention or a look-alike waits for."""
MOST_LOOK_ALIKES = 500
MOST_TIME_ZONES = 50
MOST_ALIKE = 50
"""Most columns that could be taken for another."""

Phrase = Annotated[str, Field(strict=True, min_length=1, max_length=200)]
ColumnName = Annotated[str, Field(strict=True, min_length=1, max_length=200, pattern=r"^[^=<>;]*$")]
PlacedColumn = Annotated[
    str, Field(strict=True, min_length=3, max_length=200, pattern=r"^[^=<>;]*[^=<>;.]\.[^=<>;.]+$")
]
Predicate = Annotated[str, Field(strict=True, min_length=1, max_length=2000)]
Unit = Annotated[str, Field(strict=True, min_length=1, max_length=60)]
ZoneName = Annotated[str, Field(strict=True, min_length=1, max_length=200)]
TimePart = Literal["hour", "day", "week", "month", "quarter", "year"]
Code = Annotated[str, Field(strict=True, min_length=1, max_length=100)]
Meaning = Annotated[str, Field(strict=True, max_length=300)]
Codes = Annotated[dict[Code, Meaning], Field(min_length=1, max_length=MOST_CODES)]


class ConventionDocument(BaseModel):
    """A condition that comes with a table in this house, whatever is asked."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    table: ColumnName = Field(description="The table; a schema before the name is ignored.")
    predicate: Predicate = Field(description="The condition, as after WHERE, on columns of one table.")
    required: bool = Field(
        default=True,
        strict=True,
        description="Whether an answer that reads the table without the condition is at fault, or it may only have it.",
    )
    when: list[Phrase] = Field(
        default_factory=list[str],
        max_length=MOST_WORDS,
        description="Words of a question for which alone the condition is meant, such as revenue; else for every one.",
    )

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts in it."""
        return (self.table, self.predicate, *self.when)

    def convention(self, dialect: str | None) -> Convention | str:
        """The convention ready to apply, or what is wrong with the predicate."""
        text = self.predicate
        terms = read_predicate(text, dialect)
        if isinstance(terms, Unscored):
            return (
                f"{shorten(text)!r} is not a predicate ({terms.reason.value}: {shorten(terms.detail)});"
                " write a condition as after WHERE, such as: deleted_at IS NULL"
            )
        columns = [column for term in terms if term.lhs is not None for column in term.lhs.columns]
        if not columns:
            return f"{shorten(text)!r} restricts nothing; write a condition on a column of {shorten(self.table)}"
        named = sorted({column.table for column in columns if column.table})
        if len(named) > 1 and any(term.alternative is None for term in terms):
            return (
                f"{shorten(text)!r} is about {' and '.join(map(shorten, named))}: write one entry for each table,"
                " or OR between them where one is enough"
            )
        when = tuple([folded(each) for each in self.when])
        return Convention(table=column_name(self.table), text=text, terms=terms, required=self.required, when=when)


class LookAlikeDocument(BaseModel):
    """The column that certain words mean, and the columns that look like it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    column: PlacedColumn = Field(description="The right column, with its table.")
    instead_of: list[PlacedColumn] = Field(
        min_length=1, max_length=MOST_ALIKE, description="Columns, with their tables, that look like it."
    )
    when: list[Phrase] = Field(
        default_factory=list[str],
        max_length=MOST_WORDS,
        description="Words of a question that mean the column, such as sales; else every question about its table.",
    )

    @property
    def look_alike(self) -> LookAlike:
        """The rule ready to apply."""
        return LookAlike(
            column=placed_column(self.column),
            instead_of=tuple([placed_column(each) for each in self.instead_of]),
            when=tuple([folded(each) for each in self.when]),
        )

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts in it."""
        return (self.column, *self.instead_of, *self.when)


class FiscalYearDocument(BaseModel):
    """The house's own year."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    starts: int = Field(default=1, strict=True, ge=1, le=12, description="The month of its first day, from 1.")
    named_after: Literal["end", "start"] = Field(
        default="end", description="Whether FY26 is the year that ends or the one that starts in 2026."
    )
    words: list[Phrase] = Field(
        default_factory=list[str],
        max_length=MOST_WORDS,
        description="Words that mean it too, beside fiscal and FY, such as ytd, this year or quarter.",
    )

    @property
    def year(self) -> FiscalYear:
        """The year ready to apply."""
        words = tuple([folded(each) for each in self.words])
        return FiscalYear(starts=self.starts, named_after_end=self.named_after == "end", words=words)

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts in it."""
        return tuple(self.words)


class TimeZoneDocument(BaseModel):
    """The zone in which this house cuts the hours and days of columns."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    zone: ZoneName = Field(description="Its name, such as Europe/Vienna or UTC, or the column that holds it.")
    columns: list[PlacedColumn] = Field(
        min_length=1,
        max_length=MOST_COLUMNS,
        description="Columns, with their tables, that hold moments of another zone; of UTC if the zone is UTC.",
    )
    parts: list[TimePart] = Field(
        default_factory=list[TimePart],
        description="The parts of a time for which it counts, such as hour and day; without any it is every one.",
    )

    @property
    def time_zone(self) -> TimeZone:
        """The rule ready to apply."""
        return TimeZone(
            zone=placed_column(self.zone) if "." in self.zone else folded(self.zone),
            columns=frozenset([placed_column(each) for each in self.columns]),
            parts=frozenset([Grain(each) for each in self.parts]),
        )

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts in it."""
        return (self.zone, *self.columns)


LookAlikes = Annotated[list[LookAlikeDocument], Field(max_length=MOST_LOOK_ALIKES)]
TimeZones = Annotated[list[TimeZoneDocument], Field(max_length=MOST_TIME_ZONES)]


def units_of(stated: Mapping[str, str]) -> Mapping[str, str]:
    """The units by the names of their columns in the form of the SQL reader.

    >>> dict(units_of({"Sales.Orders.Total": " Euro  cents"}))
    {'orders.total': 'euro cents'}
    """
    return MappingProxyType({placed_column(column): folded(unit) for column, unit in stated.items()})


def codes_of(stated: Mapping[str, Mapping[str, str]]) -> Mapping[str, Mapping[str, str]]:
    """The codes and their meanings by the names of their columns in the form of the SQL reader.

    >>> {column: dict(codes) for column, codes in codes_of({"Orders.State": {"P": "Paid"}}).items()}
    {'orders.state': {'p': 'paid'}}
    """
    return MappingProxyType(
        {
            placed_column(column): MappingProxyType({folded(code): folded(meaning) for code, meaning in codes.items()})
            for column, codes in stated.items()
        }
    )


def texts_of_columns(units: Mapping[str, str], codes: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """All texts in what is stated of columns."""
    for stated in (units, *codes.values()):
        yield from (text for pair in stated.items() for text in pair)
    yield from codes


def folded(text: str) -> str:
    """The text in lower case with single blanks."""
    return " ".join(text.lower().split())


_NAME = r'(?:"[^"]+"|`[^`]+`|\[[^\]]+\]|[^\W\d][\w$]*)'
_COLUMN = re.compile(rf"\s*(?:{_NAME}\s*\.\s*)*({_NAME})\s*")
_PLACED = re.compile(rf"\s*(?:{_NAME}\s*\.\s*)*({_NAME})\s*\.\s*({_NAME})\s*")


def column_name(text: str) -> str:
    """The column that a rule names, in the form of the SQL reader: folded, without table and quotes.

    >>> column_name("Sales.Region"), column_name('"Ship To"'), column_name("count(*)")
    ('region', 'ship to', 'count(*)')
    """
    match = _COLUMN.fullmatch(text)
    return _bare(match[1]) if match else folded(text)


def placed_column(text: str) -> str:
    """The column with its table, if the rule names one.

    >>> placed_column('shop."Orders".State'), placed_column("State")
    ('orders.state', 'state')
    """
    match = _PLACED.fullmatch(text)
    return f"{_bare(match[1])}.{_bare(match[2])}" if match else column_name(text)


def _bare(name: str) -> str:
    return folded(parted(name[1:-1] if name[0] in '"`[' else name))
