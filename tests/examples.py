"""One answer, examined: what doctests and tests of scoring start from."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from scoring.evaluation import examine
from scoring.query import Query, Turn, Unscored
from scoring.rules import Convention, LookAlike, Rules, TimeZone
from scoring.sql import read_predicate
from scoring.verdict import Case


def rules_with(
    *,
    conventions: Mapping[str, str] | None = None,
    codes: Mapping[str, Mapping[str, str]] | None = None,
    look_alikes: Mapping[str, str] | None = None,
    time_zones: Mapping[str, str] | None = None,
) -> Rules:
    """Rules with a convention of each table, the stored codes and the zones of columns, and the right one of two."""
    stated: list[Convention] = []
    for table, text in (conventions or {}).items():
        terms = read_predicate(text, None)
        assert not isinstance(terms, Unscored), terms
        stated.append(Convention(table=table, text=text, terms=terms))
    alike = tuple([LookAlike(column=meant, instead_of=(other,)) for meant, other in (look_alikes or {}).items()])
    zones = [TimeZone(zone=zone.lower(), columns=frozenset({column})) for column, zone in (time_zones or {}).items()]
    return Rules(conventions=tuple(stated), codes=codes or {}, look_alikes=alike, time_zones=tuple(zones))


def example_case(
    question: str,
    sql: str,
    enriched: str | None = None,
    *,
    asked: str | None = None,
    rules: Rules | None = None,
    after: tuple[str, str | None] | None = None,
) -> Case:
    """Stages 1 to 3 of an answer that can be read, by the default rules unless others are given; `asked` is a date.

    `after` is the turn before, its question and its SQL.
    """
    moment = datetime.fromisoformat(asked) if asked is not None else None
    history = (Turn(question=after[0], sql=after[1]),) if after is not None else ()
    query = Query(question=question, sql=sql, enriched_question=enriched, occurred_at=moment, history=history)
    examined = examine(query, rules or Rules())
    assert isinstance(examined, Case), examined
    return examined
