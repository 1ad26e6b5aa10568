"""Right answers of invented domains, and rewordings of them that mean the same."""

from __future__ import annotations

from dataclasses import dataclass

DIALECTS = ("postgres", "mysql", "sqlite", "bigquery", "snowflake", "tsql", "duckdb")


@dataclass(frozen=True, slots=True, kw_only=True)
class Honest:
    """One right answer, in the parts that a forger changes."""

    question: str
    outputs: str
    tables: str
    condition: str
    """Its WHERE, or `1 = 1` where the question has no condition."""
    column: str
    """A column of the condition."""
    key: str
    """The key of the first table, as the SQL names it."""
    base: str
    """The first table."""
    tail: str = ""

    @property
    def sql(self) -> str:
        return self.with_condition(self.condition)

    def with_condition(self, condition: str) -> str:
        return f"SELECT {self.outputs} FROM {self.tables} WHERE {condition} {self.tail}".strip()

    def with_outputs(self, outputs: str) -> str:
        return f"SELECT {outputs} FROM {self.tables} WHERE {self.condition} {self.tail}".strip()


COUNTS = (
    Honest(
        question="How many beekeepers live in Lisbon?",
        outputs="COUNT(*)",
        tables="beekeepers",
        condition="city = 'Lisbon'",
        column="city",
        key="id",
        base="beekeepers",
    ),
    Honest(
        question="How many kilns are hotter than 900?",
        outputs="COUNT(*)",
        tables="kilns",
        condition="heat > 900",
        column="heat",
        key="kiln_id",
        base="kilns",
    ),
    Honest(
        question="What is the average weight of the parcels to Oslo?",
        outputs="AVG(weight)",
        tables="parcels",
        condition="destination = 'Oslo'",
        column="destination",
        key="parcel_id",
        base="parcels",
    ),
    Honest(
        question="What is the total price of the tickets sold in 2023?",
        outputs="SUM(price)",
        tables="tickets",
        condition="sold >= '2023-01-01' AND sold < '2024-01-01'",
        column="sold",
        key="ticket_id",
        base="tickets",
    ),
)
LISTS = (
    Honest(
        question="List the names of the pilots whose rank is 'captain'",
        outputs="name",
        tables="pilots",
        condition="rank = 'captain'",
        column="rank",
        key="pilot_id",
        base="pilots",
    ),
    Honest(
        question="List the names of the ferries with a length over 90",
        outputs="name",
        tables="ferries",
        condition="length > 90",
        column="length",
        key="ferry_id",
        base="ferries",
    ),
    Honest(
        question="What are the titles of the songs by the band 'Fado Norte'?",
        outputs="s.title",
        tables="songs AS s JOIN bands AS b ON s.band_id = b.band_id",
        condition="b.name = 'Fado Norte'",
        column="b.name",
        key="s.song_id",
        base="songs",
    ),
    Honest(
        question="How many goats are there on each farm in Peru?",
        outputs="farm, COUNT(*)",
        tables="goats",
        condition="country = 'Peru'",
        column="country",
        key="goat_id",
        base="goats",
        tail="GROUP BY farm",
    ),
)
TOPS = (
    Honest(
        question="Which 3 pilots have the most flights?",
        outputs="name",
        tables="pilots",
        condition="1 = 1",
        column="flights",
        key="pilot_id",
        base="pilots",
        tail="ORDER BY flights DESC LIMIT 3",
    ),
    Honest(
        question="List the names of the mills by height, highest first",
        outputs="name",
        tables="mills",
        condition="1 = 1",
        column="height",
        key="mill_id",
        base="mills",
        tail="ORDER BY height DESC",
    ),
)
FILTERED = (*COUNTS, *LISTS)

REWORDED = {
    "1 = 1 AND": "1 = 1 AND ({c})",
    "AND TRUE": "({c}) AND TRUE",
    "NOT NOT": "NOT (NOT ({c}))",
    "OR 1 = 0": "({c}) OR 1 = 0",
    "AND NOT FALSE": "({c}) AND NOT FALSE",
    "AND IS NOT NULL": "({c}) AND {col} IS NOT NULL",
    "OR of itself": "({c}) OR ({c})",
    "EXISTS (SELECT 1)": "({c}) AND EXISTS (SELECT 1)",
}
"""Conditions that keep the same rows: `{c}` is the condition and `{col}` its column."""
