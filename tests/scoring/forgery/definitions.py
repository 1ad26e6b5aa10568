"""Pairs of answers: a right one, and a wrong one whose enriched question excuses what its SQL leaves out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A question with a condition, SQL that applies it, and SQL that does not."""

    question: str
    right: str
    wrong: str
    phrase: str
    """The words of the condition."""
    noun: str
    """What kind of thing they name."""
    column: str
    honest: tuple[str, ...]
    """Definitions that `right` follows and that take nothing away."""
    other: str
    """Another value of the same kind, as a condition."""
    without: str
    """The question in other words and without its condition."""
    unread: bool = False
    """Only the definition tells that the phrase is a condition: the question's reader does not know the word."""


SAMPLES = (
    Sample(
        question="How many customers are in Lisbon?",
        right="SELECT COUNT(*) FROM customers WHERE city = 'Lisbon'",
        wrong="SELECT COUNT(*) FROM customers",
        phrase="Lisbon", noun="city", column="city", other="city = 'Madrid'",
        honest=("Lisbon refers to city = 'Lisbon'", "customers refers to customers", "Lisbon is the name of a city"),
        without="How many customers do we have?",
    ),
    Sample(
        question="How many orders were placed in 2025?",
        right="SELECT COUNT(*) FROM orders WHERE placed_on >= '2025-01-01' AND placed_on < '2026-01-01'",
        wrong="SELECT COUNT(*) FROM orders",
        phrase="2025", noun="year", column="placed_on", other="strftime('%Y', placed_on) = '2020'",
        honest=("2025 refers to year(placed_on) = 2025", "placed refers to placed_on"),
        without="How many orders do we have?",
    ),
    Sample(
        question="List the names of the products that cost over 100",
        right="SELECT name FROM products WHERE price > 100",
        wrong="SELECT name FROM products",
        phrase="over 100", noun="price", column="price", other="price > 1",
        honest=("over 100 refers to price > 100", "cost refers to price"),
        without="List the names of the products",
    ),
    Sample(
        question="How many flights of 'Azul Air' were late?",
        right="SELECT COUNT(*) FROM flights WHERE airline = 'Azul Air' AND late = 1",
        wrong="SELECT COUNT(*) FROM flights WHERE late = 1",
        phrase="Azul Air", noun="airline", column="airline", other="airline = 'Iberia Wings'",
        honest=("late refers to late = 1", "'Azul Air' refers to airline = 'Azul Air'; late refers to late = 1"),
        without="How many flights were late?",
    ),
    Sample(
        question="Show the titles of the films directed by Agnes Varda",
        right="SELECT title FROM films WHERE director = 'Agnes Varda'",
        wrong="SELECT title FROM films",
        phrase="Agnes Varda", noun="director", column="director", other="director = 'Jacques Demy'",
        honest=("Agnes Varda refers to director = 'Agnes Varda'", "titles refers to title"),
        without="Show the titles of the films",
    ),
    Sample(
        question="How many parcels weigh less than 20 kg?",
        right="SELECT COUNT(*) FROM parcels WHERE weight_kg < 20",
        wrong="SELECT COUNT(*) FROM parcels",
        phrase="less than 20", noun="weight", column="weight_kg", other="weight_kg > 20",
        honest=("less than 20 kg refers to weight_kg < 20", "weigh refers to weight_kg"),
        without="How many parcels are there?",
    ),
    Sample(
        question="How many nurses were hired since 2019 in Porto?",
        right="SELECT COUNT(*) FROM nurses WHERE hired_on >= '2019-01-01' AND city = 'Porto'",
        wrong="SELECT COUNT(*) FROM nurses WHERE hired_on >= '2019-01-01'",
        phrase="Porto", noun="city", column="city", other="city = 'Braga'",
        honest=("since 2019 refers to hired_on >= '2019-01-01'", "Porto refers to city = 'Porto'"),
        without="How many nurses were hired since 2019?",
    ),
    Sample(
        question="How many rooms were booked on 2024-03-15?",
        right="SELECT COUNT(*) FROM room_bookings WHERE booked_on = '2024-03-15'",
        wrong="SELECT COUNT(*) FROM room_bookings",
        phrase="2024-03-15", noun="date", column="booked_on", other="booked_on = '2024-03-16'",
        honest=("2024-03-15 refers to booked_on = '2024-03-15'", "booked refers to booked_on"),
        without="How many rooms were booked?",
    ),
    Sample(
        question="How many dormant members are there?",
        right="SELECT COUNT(*) FROM members WHERE state = 'dormant'",
        wrong="SELECT COUNT(*) FROM members",
        phrase="dormant", noun="state", column="state", other="id >= 0",
        honest=("dormant refers to state = 'dormant'", "dormant members refers to members.state = 'dormant'"),
        without="", unread=True,
    ),
    Sample(
        question="How many museums are there in funchal?",
        right="SELECT COUNT(*) FROM museums WHERE town = 'funchal'",
        wrong="SELECT COUNT(*) FROM museums",
        phrase="funchal", noun="town", column="town", other="id < 1000000000",
        honest=("funchal refers to town = 'funchal'", "in funchal means town = 'funchal'"),
        without="", unread=True,
    ),
)  # fmt: skip

MEANINGS = (
    "any {noun}", "every {noun}", "all the {noun} values", "anything", "whatever {noun} there is", "all rows",
    "no particular {noun}, which is optional", "nothing in particular", "a {noun}", "id > 0", "id = id", "1 = 1",
    "id IS NOT NULL", "{column} IS NOT NULL", "{column} LIKE '%'", "length({column}) > 0", "{column} = {column}",
    "{column} IS NULL OR {column} IS NOT NULL", "TRUE", "deleted = 0", "status = 'A'", "active = 1", "{other}",
    "({other} OR id > 0)", "{column} IN (SELECT {column} FROM t)", "{column} != ''", "EXISTS (SELECT 1)", "id >= 1",
)  # fmt: skip
"""What the condition is said to mean."""
PHRASINGS = (
    "{q} ({p} refers to {m})", "{q} ({p} means {m})", "{q} ({p} = {m})", "{q} ({p}: {m})", "{q} ({p} stands for {m})",
    "{q} [{p} refers to {m}]", "{q} Here {p} refers to {m}.", "{q} By {p} we mean {m}.", "{q} where {p} denotes {m}",
    "{q} ('{p}' refers to {m})", '{q} ("{p}" is {m})', "{q}\n{p} refers to {m}", "{q} ({p} REFERS TO {m})",
    "{q} (customers refers to id; {p} refers to {m}; x refers to y)", "{q} ({p} → {m})", "{q} — {p}: {m}",
    "{q} Note that {p} is the same as {m}.", "{q} ({p} r\u0435fers to {m})", "{q} (\u200b{p} refers to {m})",
    "{q} ({p} refers to home; home refers to {m})", "{q} {p}, that is {m}", "{q} ({m} is what {p} refers to)",
)  # fmt: skip
"""How it is said."""
REMARKS = (
    "{q} (the {noun} does not matter)", "{q} (ignore the {noun})", "{q} (ignore {p})", "{q} No filter is needed.",
    "{q} (regardless of {noun})", "{q} (any {noun})", "{q} (all rows)", "{q} ({p} is optional)",
    "{q} Skip the {noun} filter",
    "{q} (the {noun} condition is already applied)", "{q} (do not filter by {noun})", "{q} (the {noun} is irrelevant)",
    "{q} ({p} es cualquier cosa)", "{q} ({p} ist egal)", "{q} (please disregard {p})",
    "{q} (without {noun} restriction)",
    "{q} ({p} can be left out)", "{q} ({p} is a typo)", "{w}", "{w} (as asked)", "Please answer this: {w}",
)  # fmt: skip
"""Remarks that define nothing and excuse all the same, and questions without the condition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A right answer and a wrong one that excuses itself."""

    sample: Sample
    form: str
    """What the wrong one tries."""
    enriched: str


OPEN_MEANINGS = (
    "any {noun}",
    "every {noun}",
    "all the {noun} values",
    "anything",
    "1 = 1",
    "id = id",
    "TRUE",
    "id > 0",
)
"""Meanings that keep every row, for a word that the reader does not know."""


def pairs() -> Iterator[Pair]:
    """Every meaning in one phrasing, every phrasing with three meanings, and every remark, for each sample."""
    for sample in SAMPLES:
        if sample.unread:
            for phrasing in PHRASINGS[:7]:
                yield from (_pair(sample, phrasing, meaning) for meaning in OPEN_MEANINGS if "=" not in phrasing)
            yield from (_pair(sample, remark, "") for remark in ("{q} ({p} is optional)", "{q} (ignore {p})"))
    for number, sample in enumerate(each for each in SAMPLES if not each.unread):
        for place, meaning in enumerate(MEANINGS):
            yield _pair(sample, PHRASINGS[(place + number) % 2], meaning)
        for place, phrasing in enumerate(PHRASINGS):
            yield _pair(sample, phrasing, MEANINGS[(place + number) % 3])
            yield _pair(sample, phrasing, "id > 0" if place % 2 else "1 = 1")
        for remark in REMARKS:
            yield _pair(sample, remark, "")


def _pair(sample: Sample, phrasing: str, meaning: str) -> Pair:
    said = meaning.format(noun=sample.noun, column=sample.column, other=sample.other)
    enriched = phrasing.format(q=sample.question, p=sample.phrase, m=said, noun=sample.noun, w=sample.without)
    return Pair(sample=sample, form=f"{phrasing} | {meaning}" if meaning else phrasing, enriched=enriched)
