"""What a page says first about an answer: what is proved, then what people say, then what the judge says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from consumers.wire.labels import LabelValue
from references.equivalence.pair import Level
from references.reference_verdict import ReferenceVerdict

_CERTAIN = frozenset({Level.S0.value, Level.S1.value})
"""Levels whose witness is ordinary data: such a difference needs no further assumption."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """The headline, and what it rests on."""

    words: str
    against: bool
    """It says that the answer is wrong."""
    source: str
    """`reference`, `people`, `judge` or `unscored`."""


def headline(row: Mapping[str, Any]) -> Headline:
    """The headline of a stored answer with its labels. A score never outranks a proof or a person."""
    if row["reference_verdict"] == ReferenceVerdict.DIFFERENT.value:
        words = "Proved different from its reference"
        if row["reference_level"] not in _CERTAIN:
            words = "Differs from its reference, under an assumption"
        return Headline(words=words, against=True, source="reference")
    votes = [label["label"] for label in row["labels"]]
    right, wrong = votes.count(LabelValue.RIGHT.value), votes.count(LabelValue.WRONG.value)
    if right != wrong:
        word = "wrong" if wrong > right else "right"
        count = f"{max(right, wrong)} of {right + wrong} reviewers say" if right + wrong > 1 else "A reviewer says"
        return Headline(words=f"{count} {word}", against=wrong > right, source="people")
    if row["unscored"] is not None:
        return Headline(words="No score", against=False, source="unscored")
    return Headline(words=str(row["verdict"]), against="Incorrect" in str(row["verdict"]), source="judge")
