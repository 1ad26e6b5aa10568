"""Cases on which most methods disagree with the gold SQL, for a person to say who is wrong (SpotIt, figures 5 to 7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from evals.study.outcomes import Answer, by_case, counterexample_of, method_of, refuted, tested


class Attribution(StrEnum):
    """Who is wrong where an answer and the gold SQL differ. A person fills it in."""

    GOLD_WRONG = "gold_wrong"
    AMBIGUOUS = "ambiguous"
    """The question can be read in several ways, and both queries answer it."""
    PREDICTION_WRONG = "prediction_wrong"


class DisagreementKind(StrEnum):
    """What shows that methods disagree with a gold query."""

    SEARCH = "search"
    """The answers passed EX-TEST, and counterexamples refute them."""
    TEST = "test"
    """The answers failed EX-TEST."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldDisagreement:
    """A case whose gold SQL most methods disagree with."""

    case_id: str
    by: DisagreementKind
    methods: tuple[str, ...]
    """The methods that disagree."""
    asked: int
    """The methods that answered the case."""
    question: str
    gold_sql: str
    answer: str
    """The answer of the first of these methods."""
    counterexample: Mapping[str, Any] | None = None


def disagreements(answers: Sequence[Answer]) -> list[GoldDisagreement]:
    """The cases on which more than half of the methods disagree with the gold SQL; most methods first."""
    found: list[GoldDisagreement] = []
    for held in by_case(answers).values():
        against = _against(held)
        for by, rows in against.items():
            if len(held) > 1 and 2 * len(rows) > len(held):
                found.append(_disagreement(by, rows, len(held)))
    return sorted(found, key=lambda each: (each.by, -len(each.methods), each.case_id))


def _against(held: Sequence[Answer]) -> dict[DisagreementKind, list[Answer]]:
    return {
        DisagreementKind.SEARCH: [each for each in held if tested(each) and refuted(each, crossed=True)],
        DisagreementKind.TEST: [each for each in held if each["generated_sql"] is not None and not tested(each)],
    }


def _disagreement(by: DisagreementKind, rows: Sequence[Answer], asked: int) -> GoldDisagreement:
    first = next((each for each in rows if counterexample_of(each) is not None), rows[0])
    return GoldDisagreement(
        case_id=str(first["case_id"]),
        by=by,
        methods=tuple(map(method_of, rows)),
        asked=asked,
        question=str(first["question"]),
        gold_sql=str(first["gold_sql"]),
        answer=str(first["generated_sql"]),
        counterexample=counterexample_of(first),
    )


def spread(answers: Sequence[Answer]) -> dict[str, dict[str, int]]:
    """For each kind, the number of cases by how many methods disagree with the gold SQL."""
    counts: dict[str, Counter[int]] = {kind.value: Counter() for kind in DisagreementKind}
    for held in by_case(answers).values():
        for by, rows in _against(held).items():
            if rows:
                counts[by.value][len(rows)] += 1
    return {kind: {str(number): each[number] for number in sorted(each)} for kind, each in counts.items()}


def attributed(filled: Mapping[tuple[str, str], str], found: Sequence[GoldDisagreement]) -> dict[str, dict[str, int]]:
    """For each kind of disagreement, how many cases a person attributed to what; `open` counts the others."""
    counts = {kind.value: dict.fromkeys([*Attribution, "open"], 0) for kind in DisagreementKind}
    for each in found:
        counts[each.by.value][filled.get((each.case_id, each.by.value)) or "open"] += 1
    return {kind: {str(name): count for name, count in each.items()} for kind, each in counts.items()}
