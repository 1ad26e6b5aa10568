"""Cross-validation by one or several fields: what judges an answer was fitted to none of its groups."""

# scikit-learn ships no types
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold

NO_GROUP = -1
"""The part of a row without a group: no split holds it out by that field."""


def group_counts(groups: NDArray[np.str_]) -> list[int]:
    """The number of groups in each column."""
    return [len(set(column.tolist()) - {""}) for column in groups.T]


def splits(groups: NDArray[np.str_], folds: Sequence[int]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Yields training rows and test rows that share no group of any field. Each row is tested once."""
    parts = np.stack([_parts(column, count) for column, count in zip(groups.T, folds, strict=True)], axis=1)
    for cell in np.unique(parts, axis=0):
        test = (parts == cell).all(axis=1)
        apart = ((parts != cell) | (cell == NO_GROUP)).all(axis=1)
        yield np.flatnonzero(apart), np.flatnonzero(test)


def _parts(groups: NDArray[np.str_], count: int) -> NDArray[np.intp]:
    """The part of the cross-validation that each row is in; `NO_GROUP` for rows without a group."""
    parts = np.full(len(groups), NO_GROUP, dtype=np.intp)
    grouped = np.flatnonzero(groups != "")
    if count > 1:
        for part, (_, test) in enumerate(GroupKFold(count).split(grouped, groups=groups[grouped])):
            parts[grouped[test]] = part
    return parts
