"""The figures of each method of a study: accuracies with ranks, coverage, levels, and rows that refutations need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from evals.study.outcomes import Answer, by_method, refuted, stands, tested

MOST_ROWS = 7
"""The largest K of the curve."""
ACCURACIES: Mapping[str, Callable[[Answer], bool]] = {
    "ex_test": tested,
    "ex_spotit": stands,
    "ex_spotit_plus": lambda answer: stands(answer, crossed=True),
    "ex_ordinary": lambda answer: stands(answer, crossed=True, only="S0"),
}
"""EX-TEST, EX-SPOTIT, EX-SPOTIT⁺, and the last with counterexamples on ordinary data (S0) alone."""


def method_rows(answers: Sequence[Answer]) -> list[dict[str, object]]:
    """A row for each method: its accuracies in per cent, and its rank by each. The best by EX-TEST comes first."""
    held = by_method(answers)
    shares = {
        name: {figure: _share(sum(map(counts, rows)), len(rows)) for figure, counts in ACCURACIES.items()}
        for name, rows in held.items()
    }
    rows: list[dict[str, object]] = []
    for name in sorted(shares, key=lambda each: (-shares[each]["ex_test"], each)):
        row: dict[str, object] = {"method": name, "answers": len(held[name])}
        for figure, share in shares[name].items():
            row |= {figure: share, f"{figure}_rank": 1 + sum(other[figure] > share for other in shares.values())}
        rows.append(row)
    return rows


def coverage_rows(answers: Sequence[Answer]) -> list[dict[str, object]]:
    """A row for each method: of its answers that passed EX-TEST, what search and proof could say."""
    rows: list[dict[str, object]] = []
    for name, held in by_method(answers).items():
        outcomes = Counter(each["ex_verified"]["outcome"] for each in held if each["ex_verified"] is not None)
        passed = sum(outcomes.values())
        rows.append(
            {
                "method": name,
                "verified": passed,
                "coverage": _share(passed - outcomes["unsupported"], passed),
                "refuted": (counted := sum(map(refuted, held))),
                "uncounted": outcomes["refuted"] - counted,
                **{outcome: outcomes[outcome] for outcome in ("proved", "not_refuted", "unsupported")},
                "crossed": sum(refuted(each, crossed=True) and not refuted(each) for each in held),
            }
        )
    return rows


def level_rows(answers: Sequence[Answer]) -> list[dict[str, object]]:
    """A row for each level of counterexamples that occurs: how many answers of each method it refutes."""
    found: dict[str, Counter[str]] = {}
    for name, held in by_method(answers).items():
        for each in held:
            if each["ex_verified"] is not None and each["ex_verified"]["outcome"] == "refuted":
                found.setdefault(each["ex_verified"]["level"], Counter())[name] += 1
    return [{"level": level, **{name: found[level][name] for name in by_method(answers)}} for level in sorted(found)]


def row_curve(answers: Sequence[Answer]) -> list[dict[str, object]]:
    """For each K, how many answers of each method are refuted by a counterexample of at most K rows per table.

    >>> answer = {"method": "a", "generated_sql": "SELECT 1", "ex_test": True}
    >>> answer["ex_verified"] = {"outcome": "refuted", "level": "S0", "bound": 2}
    >>> [row["a"] for row in row_curve([answer])]
    [0, 1, 1, 1, 1, 1, 1]
    """
    held = by_method(answers)
    return [
        {
            "k": k,
            **{name: sum(refuted(each) and each["ex_verified"]["bound"] <= k for each in held[name]) for name in held},
        }
        for k in range(1, MOST_ROWS + 1)
    ]


def mean_seconds(answers: Sequence[Answer], seconds: Mapping[tuple[str, int], float]) -> list[dict[str, object]]:
    """A row for each method: the mean CPU seconds of a refutation, and of any answer that was verified."""
    rows: list[dict[str, object]] = []
    for name, held in by_method(answers).items():
        spent = [
            (refuted(each), seconds.get((each["case_id"], each["sample"]), 0.0)) for each in held if each["ex_verified"]
        ]
        on_refuted = [each for was_refuted, each in spent if was_refuted]
        rows.append(
            {
                "method": name,
                "refuted_seconds": round(sum(on_refuted) / len(on_refuted), 3) if on_refuted else None,
                "verified_seconds": round(sum(each for _, each in spent) / len(spent), 3) if spent else None,
            }
        )
    return rows


def _share(count: int, whole: int) -> float:
    return round(100 * count / whole, 2) if whole else 0.0
