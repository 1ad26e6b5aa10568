"""Texts of any size, made of one part that repeats."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from scoring.query import Query

ASKED = "How many bakers live in 'Oslo' and earn more than 100 by town?"
SQL = "SELECT COUNT(*) FROM bakers WHERE town = 'Oslo' AND wage > 100 GROUP BY town"


class Texts(NamedTuple):
    """What an event of some size holds."""

    sql: str = SQL
    question: str = ASKED
    enriched: str | None = None
    dialect: str = "sqlite"

    def query(self) -> Query:
        """The event as scoring takes it."""
        return Query(question=self.question, sql=self.sql, enriched_question=self.enriched, dialect=self.dialect)


Make: TypeAlias = Callable[[int], Texts]
"""Makes texts whose size grows with a number."""


def each(form: str, count: int, between: str = "") -> str:
    """`form` repeated, with `{n}` numbered.

    >>> each("a{n}", 3, ", ")
    'a0, a1, a2'
    """
    return between.join([form.replace("{n}", str(n)) for n in range(count)])


def sql(
    before: str, form: str, after: str = "", between: str = "", dialect: str = "sqlite", question: str = ASKED
) -> Make:
    """A query in which `form` repeats."""
    return lambda n: Texts(sql=before + each(form, n, between) + after, dialect=dialect, question=question)


def nested(before: str, opening: str, core: str, closing: str, after: str = "") -> Make:
    """Parts of a query that nest ten deep, many times over."""
    part = opening * 10 + core + closing * 10
    return lambda n: Texts(sql=before + ", ".join([part] * n) + after)


def asked(form: str, between: str = " ", before: str = "Which bakers are ", after: str = "?", query: str = SQL) -> Make:
    """A question in which `form` repeats."""
    return lambda n: Texts(question=before + each(form, n, between) + after, sql=query)


def enriched(form: str, between: str = ", ", question: str = ASKED, query: str = SQL, restated: bool = False) -> Make:
    """An enriched question in which `form` repeats, after the question or in its place."""
    start = "Please say: " if restated else f"{question} ("
    return lambda n: Texts(question=question, enriched=start + each(form, n, between) + ")", sql=query)


def rewritten(form: str, other: str, query: str = SQL) -> Make:
    """A question and an enriched question that repeat alike, with other values."""
    return lambda n: Texts(
        question="Which bakers have " + each(form, n, " and ") + "?",
        enriched="List bakers that have " + each(other, n, " and ") + ".",
        sql=query,
    )


def both(form: str, before: str, condition: str, between: str, after: str = "", joined: str = " and ") -> Make:
    """A question and a query that repeat alike."""
    return lambda n: Texts(
        question="Which bakers have " + each(form, n, joined) + "?",
        sql=before + each(condition, n, between) + after,
    )


SELECT = "SELECT a FROM t WHERE "
"""How most queries of the generators begin."""
