"""Rates of a run with their 95 % intervals, overall and by slice."""

# scipy ships no types
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from scipy.stats import binomtest, bootstrap

from evals.runner.precedence import disputed
from evals.runner.self_agreement import SelfAgreement

Answer = Mapping[str, Any]
"""A line of `cases.jsonl`."""
RATES = ("pass_rate", "parse_rate", "grounding_rate", "equivalence_rate")
MOST_VALUES = 50
"""A field with more values than this is no slice."""
LABELS = ("schema", "complexity", "category")
_DRAWS = 2_000


def rates_of(answers: Sequence[Answer]) -> dict[str, object]:
    """Every rate with its interval, the number of cases and answers, and the means of the score.

    >>> line = {"pass": True, "parse_ok": True, "grounding_ok": None, "equivalence": "equivalent"}
    >>> found = rates_of([{"case_id": str(n), **line} for n in range(10)])
    >>> found["pass_rate"], found["pass_rate_interval"], found["grounding_rate"]
    (1.0, [0.7225, 1.0], None)
    """
    found: dict[str, object] = {
        "cases": len({each["case_id"] for each in answers}),
        "answers": len(answers),
        "failures": sum(each.get("error") is not None for each in answers),
        "not_compared": not_compared(answers),
        "doubtful": sum(each.get("doubt") is not None for each in answers),
        "disputed": sum(map(disputed, answers)),
    }
    for name in RATES:
        held = _held(name, answers)
        found[name] = _share(held)
        found[f"{name}_interval"] = interval(held)
    for name in ("score", "p_correct"):
        known = [float(each[name]) for each in answers if each.get(name) is not None]
        found[f"mean_{name}"] = round(sum(known) / len(known), 4) if known else None
    return found


def not_compared(answers: Sequence[Answer]) -> int:
    """The number of answers that nothing could compare with their gold SQL. None of them passes."""
    return sum(each.get("equivalence") == "not_compared" for each in answers)


def _held(name: str, answers: Sequence[Answer]) -> dict[str, list[bool]]:
    """By case, which of its answers have what the rate counts."""
    held: defaultdict[str, list[bool]] = defaultdict(list)
    for each in answers:
        if name == "grounding_rate":
            if each["grounding_ok"] is not None:
                held[each["case_id"]].append(each["grounding_ok"])
        elif name == "equivalence_rate":
            held[each["case_id"]].append(each["equivalence"] == "equivalent")
        else:
            held[each["case_id"]].append(each["pass" if name == "pass_rate" else "parse_ok"])
    return held


def _share(held: Mapping[str, Sequence[bool]]) -> float | None:
    answers = [each for values in held.values() for each in values]
    return round(sum(answers) / len(answers), 4) if answers else None


def interval(held: Mapping[str, Sequence[bool]]) -> list[float] | None:
    """The 95 % interval of a share: Wilson's, or by resampling whole cases when cases have several answers.

    >>> interval({"a": [True], "b": [False]})
    [0.0945, 0.9055]
    """
    if not held:
        return None
    shares = [sum(values) / len(values) for values in held.values()]
    if max(len(values) for values in held.values()) > 1 and len(set(shares)) > 1:
        dice = np.random.default_rng(0)
        drawn = bootstrap(
            (np.array(shares),), np.mean, n_resamples=_DRAWS, method="percentile", rng=dice
        ).confidence_interval
        return [round(float(drawn.low), 4), round(float(drawn.high), 4)]
    wilson = binomtest(round(sum(shares)), len(shares)).proportion_ci(0.95, method="wilson")
    return [round(float(wilson.low), 4), round(float(wilson.high), 4)]


def slices_of(answers: Sequence[Answer]) -> tuple[dict[str, dict[str, object]], list[str]]:
    """The rates by each value of each label and of each field of the metadata; and the fields with too many values."""
    fields: defaultdict[str, defaultdict[str, list[Answer]]] = defaultdict(lambda: defaultdict(list))
    for each in answers:
        for name, value in _labels(each):
            fields[name][value].append(each)
    left_out = [name for name, values in fields.items() if name not in LABELS and len(values) > MOST_VALUES]
    found = {
        name: {value: rates_of(held) for value, held in sorted(values.items())}
        for name, values in fields.items()
        if name not in left_out
    }
    return cast("dict[str, dict[str, object]]", found), sorted(left_out)


def _labels(answer: Answer) -> Iterable[tuple[str, str]]:
    """The fields of an answer by which it is counted: a name of the case's metadata gives way to one before it."""
    found: dict[str, object] = {name: answer[name] for name in LABELS}
    found |= {name: answer[name] for name in ("method", "difficulty") if answer.get(name) is not None}
    for held in (answer["backend_metadata"], answer["metadata"]):
        for name, value in held.items():
            if isinstance(value, str | int | float | bool) and name not in found:
                found[name] = value
    kinds = [("question_kind", str(kind)) for kind in answer.get("question_kinds", ()) if "question_kind" not in found]
    return [*((name, _text(value)) for name, value in found.items()), *kinds]


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def gold_doubts(answers: Sequence[Answer]) -> dict[str, int]:
    """For each code, the number of cases whose gold SQL has that doubt; those of most cases first.

    >>> gold_doubts([{"case_id": "7", "gold_doubts": [{"code": "empty", "detail": ""}]}] * 2)
    {'empty': 1}
    """
    codes = {(each["case_id"], doubt["code"]) for each in answers for doubt in each.get("gold_doubts") or ()}
    counts = Counter(code for _, code in codes)
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def summary_of(
    run: Mapping[str, object], answers: Sequence[Answer], *, expected: int, agreement: SelfAgreement | None = None
) -> dict[str, object]:
    """The content of `summary.json`."""
    slices, left_out = slices_of(answers)
    return {
        **run,
        "complete": len(answers) == expected,
        "expected": expected,
        **rates_of(answers),
        "gold_doubts": gold_doubts(answers),
        "self_agreement": agreement.document() if agreement is not None else None,
        "slices": slices,
        "slices_left_out": left_out,
    }
