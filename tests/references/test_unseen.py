"""Two queries that no small database tells apart are not equal where nothing was seen of what they differ in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlglot import exp, parse_one

from references.equivalence.facts.differing import differing
from references.equivalence.pair import EquivalenceVerdict, Level, PairFinding
from references.judging import judge_answer
from references.reference_verdict import AnswerPair

DOCUMENT: dict[str, Any] = yaml.safe_load(
    (Path(__file__).parents[1] / "cases" / "unseen.yaml").read_text(encoding="utf-8")
)
APART: list[dict[str, str]] = DOCUMENT["apart"]
ALIKE: list[dict[str, str]] = DOCUMENT["alike"]


def found(case: dict[str, str], schema: str | None) -> PairFinding:
    pair = AnswerPair(reference=case["a"], answer=case["b"], dialect=case.get("dialect", "postgres"), schema=schema)
    return judge_answer(pair).finding


@pytest.mark.parametrize("schema", [DOCUMENT["schema"], None], ids=["declared", "inferred"])
@pytest.mark.parametrize("case", APART, ids=[each["name"] for each in APART])
def test_what_differs_is_found_or_said_to_be_unseen(case: dict[str, str], schema: str | None) -> None:
    finding = found(case, schema)
    assert finding.unseen or finding.verdict is EquivalenceVerdict.DIFFERENT, finding
    assert not finding.unseen or "no database that was tried" in str(finding.reason)


@pytest.mark.slow  # long searches
@pytest.mark.parametrize("schema", [DOCUMENT["schema"], None], ids=["declared", "inferred"])
@pytest.mark.parametrize("case", ALIKE, ids=[each["name"] for each in ALIKE])
def test_two_ways_to_ask_the_same_are_seen(case: dict[str, str], schema: str | None) -> None:
    finding = found(case, schema)
    assert finding.level is not Level.S0, finding
    assert not finding.unseen, finding


def test_only_what_one_query_has_alone_is_asked_about() -> None:
    one, other = (
        parse_one(sql, dialect="sqlite")
        for sql in (
            "SELECT a FROM t WHERE b > 5 AND c = 'x' ORDER BY 1 LIMIT 3",
            "SELECT a FROM t WHERE 'x' = c AND b > 5.0 ORDER BY a LIMIT 4",
        )
    )
    assert isinstance(one, exp.Query)
    assert isinstance(other, exp.Query)
    asked = [(each.side, each.shown) for each in differing(one, other)]
    assert asked == [(0, "LIMIT 3"), (0, "c = 'x'"), (1, "LIMIT 4"), (1, "'x' = c")]
