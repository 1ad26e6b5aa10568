"""How the gain of learned rules grows with the labels that they are learned from."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pydantic import JsonValue

from learning.rules.learner import LearnedSet
from learning.rules.splitting import SplitLabels, smaller_split
from service.commands.exits import refuse
from service.commands.learn.rule_set_document import figures_of

Learning: TypeAlias = Callable[[SplitLabels], Awaitable[tuple[LearnedSet, str]]]
"""Learns from a split, and says by what clusters were formed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """What was learned from a number of labels."""

    split: SplitLabels
    learned: LearnedSet
    compared: str

    @property
    def labels(self) -> int:
        """Labels that gave and chose the rules."""
        return len(self.split.train) + len(self.split.chosen_by)

    def as_json(self) -> dict[str, JsonValue]:
        """The point in a document: its labels, its rules, and the figures on the held-out labels."""
        figures = figures_of(self.learned.after).model_dump(mode="json")
        return {"labels": self.labels, "rules": len(self.learned.rules), **figures}


def curve_splits(split: SplitLabels, sizes: str | None) -> list[SplitLabels]:
    """The split with each number of labels of `--curve`, in rising order, and whole. Ends the command for a bad one."""
    try:
        numbers = sorted({int(each) for each in (sizes or "").split(",") if each.strip()})
        return [*(smaller_split(split, number) for number in numbers), split]
    except ValueError as error:
        refuse(f"--curve is numbers of labels, such as 40,80: {error}")


async def learned_curve(splits: Sequence[SplitLabels], learn: Learning) -> list[CurvePoint]:
    """Learns from each split in turn."""
    points: list[CurvePoint] = []
    for each in splits:
        if len(splits) > 1:
            print(f"sqlassay: learning from {len(each.train)} + {len(each.chosen_by)} labels", file=sys.stderr)
        learned, compared = await learn(each)
        points.append(CurvePoint(split=each, learned=learned, compared=compared))
    return points


def curve_text(points: Sequence[CurvePoint]) -> str:
    """The curve as a table for a person, from no labels on."""
    before = points[-1].learned.before
    rows: list[tuple[str, ...]] = [("labels", "rules", "accuracy", "balanced", "F1", "AUC")]
    figures = [(0, 0, before), *((each.labels, len(each.learned.rules), each.learned.after) for each in points)]
    for labels, rules, found in figures:
        shares = (found.accuracy, found.balanced_accuracy, found.f1, found.auc)
        rows.append((str(labels), str(rules), *("–" if each is None else f"{100 * each:.2f}" for each in shares)))
    return "\n".join("  ".join(f"{cell:>9}" for cell in row) for row in rows)
