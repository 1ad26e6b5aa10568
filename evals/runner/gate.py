"""Whether a run may be released: thresholds on its rates, and no regression beyond chance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from evals.runner.paired_runs import ALPHA, PairedRuns

THRESHOLDS = ("pass", "parse", "grounding", "equivalence", "score", "p_correct")
"""What `--fail-under` may name: the rates, and the means of the score and of `p_correct`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateFinding:
    """One condition of the gate."""

    name: str
    passed: bool
    detail: str


def read_thresholds(given: Iterable[str]) -> dict[str, float]:
    """Reads `pass=0.8`. Raises `ValueError` with what is wrong.

    >>> read_thresholds(["pass=0.8", "score=70"])
    {'pass': 0.8, 'score': 70.0}
    """
    found: dict[str, float] = {}
    for each in given:
        name, equals, value = each.partition("=")
        name = name.strip()
        if not equals or name not in THRESHOLDS:
            raise ValueError(f"{each!r} is not NAME=VALUE with one of {', '.join(THRESHOLDS)}")
        try:
            number = float(value)
        except ValueError:
            raise ValueError(f"{each!r}: {value!r} is not a number") from None
        most = 100 if name == "score" else 1
        if not 0 <= number <= most:
            raise ValueError(f"{each!r}: the value lies in [0, {most}]")
        found[name] = number
    return found


def check_thresholds(summary: Mapping[str, Any], thresholds: Mapping[str, float]) -> list[GateFinding]:
    """Checks each threshold. A rate that was not measured does not pass.

    >>> check_thresholds({"pass_rate": 0.75}, {"pass": 0.8})[0].detail
    'pass is 0.75, and must be at least 0.8'
    """
    found: list[GateFinding] = []
    for name, least in thresholds.items():
        value = summary.get(f"mean_{name}" if name in {"score", "p_correct"} else f"{name}_rate")
        said = f"{name} is {value:g}" if value is not None else f"{name} was not measured"
        passed = value is not None and value >= least
        found.append(GateFinding(name=f"{name} >= {least:g}", passed=passed, detail=f"{said}, and must be at least {least:g}"))  # fmt: skip  # noqa: E501
    return found


def check_compared(summary: Mapping[str, Any], most: int) -> GateFinding | None:
    """The condition that at most so many answers could not be compared; `None` when none was left uncompared.

    >>> check_compared({"not_compared": 2}, 0).detail
    '2 answers could not be compared with gold SQL, and at most 0 may be: see `rationale` in cases.jsonl'
    """
    count = int(summary["not_compared"])
    if not count:
        return None
    answers = "1 answer" if count == 1 else f"{count} answers"
    detail = f"{answers} could not be compared with gold SQL, and at most {most} may be: see `rationale` in cases.jsonl"
    return GateFinding(name=f"not compared <= {most}", passed=count <= most, detail=detail)


def check_regression(found: PairedRuns, other: str) -> GateFinding:
    """Whether the run is no worse than another one, beyond chance."""
    detail = (
        f"{len(found.regressions)} cases pass less often than in {other}, {len(found.improvements)} more often, of"
        f" {found.cases}: the chance of such a fall when nothing changed is {found.p_worse:.3g}; a run is called worse"
        f" from {ALPHA:g} down"
    )
    if found.only_first:
        detail += f". {found.only_first} cases of {other} are not in this run"
    if found.detectable is not None:
        detail += f". A drop of {100 * found.detectable:.1f} points is found with a chance of 80 %"
    return GateFinding(name=f"no regression against {other}", passed=not found.worse, detail=detail)
