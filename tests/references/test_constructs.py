"""Pairs of constructs that SQLite lacks: LATERAL and APPLY, joined texts, percentiles, stars without some columns."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from references.equivalence.checks import runs_again
from references.equivalence.pair import EquivalenceVerdict, Level, Pair, PairFinding
from references.equivalence.verify import verify

FOLDER = Path(__file__).parents[1] / "cases"
LIBRARY: str = yaml.safe_load((FOLDER / "equivalence.yaml").read_text(encoding="utf-8"))["schema"]
CASES: dict[str, dict[str, list[list[str]]]] = yaml.safe_load((FOLDER / "constructs.yaml").read_text(encoding="utf-8"))
FEWEST_TRIALS = 100
"""As `sqlassay eval run` asks for before it says of a pair that no difference was found."""


def cases(group: str) -> list[object]:
    return [
        pytest.param(*case, id=f"{construct} {place} {case[0]}")
        for construct, groups in CASES.items()
        for place, case in enumerate(groups.get(group, []))
    ]


def pair(dialect: str, a: str, b: str, schema: str | None = LIBRARY) -> Pair:
    return Pair(sql_a=a, sql_b=b, schema=schema, dialect=dialect)


def passes(finding: PairFinding) -> bool:
    """Whether the finding lets an answer count as right."""
    proved = finding.verdict is EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND
    tried = finding.verdict is EquivalenceVerdict.NOT_REFUTED and finding.trials >= FEWEST_TRIALS
    return (proved or tried) and not finding.unseen


@pytest.mark.parametrize(("dialect", "a", "b"), cases("equal"))
def test_pairs_that_mean_the_same_pass_either_way_round(dialect: str, a: str, b: str) -> None:
    for one, other in ((a, b), (b, a)):
        finding = verify(pair(dialect, one, other), bound=2)
        assert passes(finding), finding


@pytest.mark.parametrize(("dialect", "a", "b"), cases("different"))
def test_pairs_that_differ_are_refuted_on_ordinary_data(dialect: str, a: str, b: str) -> None:
    finding = verify(pair(dialect, a, b), bound=2)
    assert (finding.verdict, finding.level) == (EquivalenceVerdict.DIFFERENT, Level.S0), finding
    assert finding.witness is not None
    assert runs_again(pair(dialect, a, b), finding.witness)


@pytest.mark.parametrize(("dialect", "a", "b"), cases("rare"))
def test_pairs_that_differ_on_rare_data_are_refuted_there(dialect: str, a: str, b: str) -> None:
    finding = verify(pair(dialect, a, b), bound=2)
    assert finding.verdict is EquivalenceVerdict.DIFFERENT, finding
    assert finding.level is not None
    assert finding.level > Level.S0
    assert finding.witness is not None


@pytest.mark.parametrize(("dialect", "a", "b"), cases("different"))
def test_no_pair_that_differs_passes_where_no_tables_are_declared(dialect: str, a: str, b: str) -> None:
    assert not passes(verify(pair(dialect, a, b, None), bound=2))


@pytest.mark.parametrize(("dialect", "a", "b"), cases("refused"))
def test_what_has_no_known_meaning_here_is_not_compared(dialect: str, a: str, b: str) -> None:
    finding = verify(pair(dialect, a, b), bound=2)
    assert finding.verdict is EquivalenceVerdict.UNSUPPORTED, finding


@pytest.mark.parametrize(("dialect", "a", "b"), cases("undeclared"))
def test_a_star_without_some_columns_is_not_compared_with_others_where_no_tables_are_declared(
    dialect: str, a: str, b: str
) -> None:
    finding = verify(pair(dialect, a, b, None), bound=2)
    assert finding.verdict is EquivalenceVerdict.UNSUPPORTED, finding


def test_the_same_star_is_compared_where_no_tables_are_declared() -> None:
    a = "SELECT * EXCEPT (price) FROM book WHERE pages > 3"
    assert verify(pair("bigquery", a, a.replace(">", ">="), None)).level is Level.S0
