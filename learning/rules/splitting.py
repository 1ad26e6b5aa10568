"""Splits labels by group: rules are read from one part, chosen on a second and measured on the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from learning.rules.examples import LabelledExample

HELD_OUT_SHARE = 0.3
"""Share of labels on which the chosen set is measured, unless the number of others is given."""
CHOSEN_BY_SHARE = 0.25
"""Share of the other labels on which the best set is chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitLabels:
    """The labels in three parts that share no group."""

    train: tuple[LabelledExample, ...]
    """Rules are read from these."""
    chosen_by: tuple[LabelledExample, ...]
    """The best set is chosen on these."""
    held_out: tuple[LabelledExample, ...]
    """Before and after are measured on these."""


def split_labels(examples: Sequence[LabelledExample], *, learn_from: int | None, seed: int) -> SplitLabels:
    """Splits whole groups in an order that the seed decides. The same labels give the same parts, in any order.

    `learn_from` is the number of labels that give and choose the rules: groups are taken while they fit. Raises
    `ValueError` when a part would be empty, or training would see right or wrong answers only.
    """
    groups: dict[str, list[LabelledExample]] = {}
    for each in sorted(examples, key=lambda each: each.id):
        groups.setdefault(each.group, []).append(each)
    names = sorted(groups)
    places: list[int] = np.random.default_rng(seed).permutation(len(names)).tolist()
    order = [names[place] for place in places]
    wanted = round((1 - HELD_OUT_SHARE) * len(examples)) if learn_from is None else learn_from
    seen, unseen = _taken(order, groups, wanted)
    chosen_by, train = _taken(seen, groups, round(CHOSEN_BY_SHARE * sum(len(groups[each]) for each in seen)))
    split = SplitLabels(
        train=tuple(each for name in train for each in groups[name]),
        chosen_by=tuple(each for name in chosen_by for each in groups[name]),
        held_out=tuple(each for name in unseen for each in groups[name]),
    )
    _check(split, len(examples), len(groups))
    return split


def smaller_split(split: SplitLabels, learn_from: int) -> SplitLabels:
    """The split with about `learn_from` labels that give and choose the rules, and the same held-out ones.

    Each part keeps its first groups, so those of a smaller number are among those of a larger one. Raises
    `ValueError` as `split_labels` does, and for a number that is not smaller.
    """
    whole = len(split.train) + len(split.chosen_by)
    if not 0 < learn_from < whole:
        raise ValueError(f"{learn_from} labels are not fewer than the {whole} that give and choose the rules")
    choosing = max(1, round(len(split.chosen_by) * learn_from / whole))
    fewer = SplitLabels(
        train=_first_groups(split.train, learn_from - choosing),
        chosen_by=_first_groups(split.chosen_by, choosing),
        held_out=split.held_out,
    )
    labels = [*fewer.train, *fewer.chosen_by]
    _check(fewer, len(labels), len({each.group for each in labels}))
    return fewer


def _first_groups(part: Sequence[LabelledExample], wanted: int) -> tuple[LabelledExample, ...]:
    """Whole groups from the start of a part while they fit; at least one."""
    groups: dict[str, list[LabelledExample]] = {}
    for each in part:
        groups.setdefault(each.group, []).append(each)
    taken: list[LabelledExample] = []
    for members in groups.values():
        if taken and len(taken) + len(members) > wanted:
            break
        taken += members
    return tuple(taken)


def _taken(order: Sequence[str], groups: dict[str, list[LabelledExample]], wanted: int) -> tuple[list[str], list[str]]:
    """Groups in order while they fit into `wanted` labels, and the others; at least one of each if there are two."""
    taken: list[str] = []
    others: list[str] = []
    room = wanted
    for name in order:
        if len(groups[name]) <= room:
            taken.append(name)
            room -= len(groups[name])
        else:
            others.append(name)
    if not taken and others:
        taken.append(others.pop(0))
    if not others and len(taken) > 1:
        others.append(taken.pop())
    return taken, others


def _check(split: SplitLabels, labels: int, groups: int) -> None:
    if not (split.train and split.chosen_by and split.held_out):
        raise ValueError(
            f"{labels} labels in {groups} groups cannot be split into training, choice and held-out labels: "
            "give more labels, or a --group with more values"
        )
    right = sum(each.correct for each in split.train)
    if right in (0, len(split.train)):
        kind = "right" if right else "wrong"
        raise ValueError(f"all {len(split.train)} training labels say {kind}: rules need both kinds")
