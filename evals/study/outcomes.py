"""How the answers of a run count in a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

UNCOUNTED = frozenset({"S6"})
"""Levels of counterexamples that refute no answer: one result is empty where the other is NULL or 0, as in SpotIt."""
ONLY_METHOD = "all answers"
"""The name of the one method of a run whose answers name none."""
Answer = Mapping[str, Any]
"""A line of `cases.jsonl`."""


def method_of(answer: Answer) -> str:
    """The method that gave an answer."""
    return str(answer.get("method") or ONLY_METHOD)


def by_method(answers: Sequence[Answer]) -> dict[str, list[Answer]]:
    """The answers of each method, in the order in which methods first occur."""
    found: dict[str, list[Answer]] = {}
    for each in answers:
        found.setdefault(method_of(each), []).append(each)
    return found


def by_case(answers: Sequence[Answer]) -> dict[str, list[Answer]]:
    """The answers to each case, in the order of the benchmark."""
    found: dict[str, list[Answer]] = {}
    for each in answers:
        found.setdefault(str(each["case_id"]), []).append(each)
    return found


def tested(answer: Answer) -> bool:
    """Whether the answer counts as right by EX-TEST. One that was not tested does, unless it gave no SQL."""
    return answer["ex_test"] is not False and answer["generated_sql"] is not None


def refuted(answer: Answer, *, crossed: bool = False, only: str | None = None) -> bool:
    """Whether a counterexample counts against the answer; with `crossed`, also one that was found for another method.

    >>> found = {"outcome": "refuted", "level": "S6"}
    >>> refuted({"ex_verified": found}), refuted({"ex_verified": {**found, "level": "S1"}})
    (False, True)
    >>> refuted({"ex_verified": {**found, "level": "S1"}}, only="S0")
    False
    """
    verified = answer["ex_verified"]
    if verified is None:
        return False
    levels = [verified["level"]] if verified["outcome"] == "refuted" else []
    if crossed and verified.get("crossed") is not None:
        levels.append(verified["crossed"]["level"])
    return any(level not in UNCOUNTED if only is None else level == only for level in levels)


def stands(answer: Answer, *, crossed: bool = False, only: str | None = None) -> bool:
    """Whether the answer passes EX-TEST and no counterexample counts against it.

    With `only`, counterexamples of that level count alone.
    """
    return tested(answer) and not refuted(answer, crossed=crossed, only=only)


def counterexample_of(answer: Answer) -> Mapping[str, Any] | None:
    """The database on which the answer and the gold SQL differ."""
    verified = answer["ex_verified"]
    return None if verified is None else verified["counterexample"]
