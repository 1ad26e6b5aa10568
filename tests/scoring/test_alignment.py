"""Stage 3 on the cases of `tests/cases/alignment.yaml`, and what must hold whatever the case."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from scoring.evaluation import examine
from scoring.query import Query
from scoring.rules import BenignFilter, Rules
from scoring.sql import read_predicate
from scoring.verdict import Case, FilterAlignment, FilterMatch

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases" / "alignment.yaml").read_text(encoding="utf-8"))
PLACES = ("matched", "missing", "mismatched", "extra", "benign", "ignored")


def rules_of(document: dict[str, Any]) -> Rules:
    benign: list[BenignFilter] = []
    for text in document.get("benign_filters", []):
        terms = read_predicate(text, None)
        assert isinstance(terms, tuple)
        benign.append(BenignFilter(text=text, terms=terms))
    return Rules(
        column_mappings={said: column.lower() for said, column in document.get("column_mappings", {}).items()},
        benign_filters=tuple(benign),
        ignore_filters=frozenset(document.get("ignore_filters", [])),
    )


def examined(case: dict[str, Any], sql: str) -> Case:
    when = datetime.fromisoformat(case["occurred_at"]) if "occurred_at" in case else None
    query = Query(question=case["question"], enriched_question=case.get("enriched"), sql=sql, occurred_at=when)
    result = examine(query, rules_of(case.get("rules", {})))
    assert isinstance(result, Case), result
    return result


def sides(filters: FilterAlignment, place: str) -> list[str | None]:
    entries: Any = getattr(filters, place)
    wanted = [each.required if isinstance(each, FilterMatch) else each for each in entries]
    return [each.lhs.name if each.lhs is not None else None for each in wanted]


def variants() -> list[Any]:
    return [
        pytest.param(case, sql, id=f"{case['name']} {number}")
        for case in CASES
        for number, sql in enumerate([case["sql"]] if isinstance(case["sql"], str) else case["sql"])
    ]


@pytest.mark.parametrize(("case", "sql"), variants())
def test_every_filter_ends_where_the_case_says(case: dict[str, Any], sql: str) -> None:
    filters = examined(case, sql).filters
    assert filters.status.value == case["status"], filters
    for place in PLACES:
        if place in case:
            expected, found = case[place], sides(filters, place)
            assert len(found) == expected if isinstance(expected, int) else found == expected, (place, filters)


@pytest.mark.parametrize(("case", "sql"), variants())
def test_every_sql_filter_is_in_one_place(case: dict[str, Any], sql: str) -> None:
    result = examined(case, sql)
    filters = result.filters
    used = [each for match in (*filters.matched, *filters.mismatched) for each in match.present]
    placed = {*used, *filters.extra, *filters.benign, *(each for each in filters.ignored)}
    assert {each.text for each in result.sql.filters} <= {getattr(each, "text", "") for each in placed}
    apart = [set(filters.extra), set(filters.benign), set(used), set(filters.ignored)]
    assert sum(map(len, apart)) == len(set().union(*apart))


@pytest.mark.parametrize(("case", "sql"), variants())
def test_every_required_filter_is_matched_missing_or_mismatched(case: dict[str, Any], sql: str) -> None:
    result = examined(case, sql)
    filters = result.filters
    met = [*(each.required for each in filters.matched), *filters.missing]
    met += [each.required for each in filters.mismatched]
    for each in result.required:
        assert met.count(each) == 1
