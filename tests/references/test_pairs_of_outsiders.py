"""Pairs that were written without a look at the program: dates in six dialects, and names with a schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from references.equivalence.checks import runs_again
from references.equivalence.pair import EquivalenceVerdict, Level, Pair, PairFinding
from references.equivalence.verify import verify

FOLDER = Path(__file__).parents[1] / "cases"
DATES: dict[str, Any] = yaml.safe_load((FOLDER / "date_pairs.yaml").read_text(encoding="utf-8"))
NAMES: list[dict[str, Any]] = yaml.safe_load((FOLDER / "qualified_answers.yaml").read_text(encoding="utf-8"))


def about_dates(dialect: str, a: str, b: str) -> Pair:
    known = DATES["dialects"][dialect]
    whole = [sql if sql.startswith("SELECT") else f"{known['query']} {sql}" for sql in (a, b)]
    return Pair(sql_a=whole[0], sql_b=whole[1], schema=known["schema"], dialect=known.get("dialect", dialect))


def assert_different(finding: PairFinding) -> None:
    assert (finding.verdict, finding.level) == (EquivalenceVerdict.DIFFERENT, Level.S0), finding


@pytest.mark.slow  # a search or proof for each pair
@pytest.mark.parametrize("case", DATES["equal"], ids=lambda case: f"{case[0]} {case[1]}")
def test_queries_that_agree_on_all_dates_are_proved_equal(case: list[str]) -> None:
    finding = verify(about_dates(*case), bound=1, budget=30.0)  # also on a busy machine
    assert finding.verdict is EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND, finding


@pytest.mark.slow  # a search or proof for each pair
@pytest.mark.parametrize("case", DATES["different"], ids=lambda case: f"{case[0]} {case[1]}")
def test_queries_that_differ_on_some_date_are_refuted_without_a_proof(case: list[str]) -> None:
    pair = about_dates(*case)
    finding = verify(pair, bound=0)
    assert_different(finding)
    assert finding.witness is not None
    assert runs_again(pair, finding.witness)


@pytest.mark.parametrize("case", DATES["different by proof"], ids=lambda case: f"{case[0]} {case[1]}")
def test_queries_that_differ_on_rare_dates_are_refuted_by_the_proof(case: list[str]) -> None:
    pair = about_dates(*case)
    finding = verify(pair, bound=1)
    assert_different(finding)
    assert finding.witness is not None
    assert runs_again(pair, finding.witness)


@pytest.mark.slow  # a search or proof for each pair
@pytest.mark.parametrize("case", NAMES, ids=lambda case: case["dialect"])
def test_an_answer_with_qualified_names_is_equal_only_if_it_means_the_same(case: dict[str, Any]) -> None:
    pair = Pair(sql_a=case["gold"], sql_b=case["equal"], schema=case["schema"], dialect=case["dialect"])
    assert verify(pair, bound=1).verdict is EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND
    for schema in (case["schema"], None):
        for sql in case["different"]:
            pair = Pair(sql_a=case["gold"], sql_b=sql, schema=schema, dialect=case["dialect"])
            assert_different(verify(pair, bound=0))
