"""How far each signal may move an answer: far only where labels of several databases and agents bear it out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from learning.labelled import CODES, Floats, LabelTable
from scoring.reason_kinds import CONTRADICTIONS, FORGERIES, HINTS, IN_FAVOUR, KNOWLEDGE, ReasonKind, kind_of
from scoring.reasons import ReasonCode

LEAST_DATABASES = 4
"""Fewest databases on which a signal must fire to have a weight of its own."""
FEW_DATABASES_BOUND = 1.0
"""Most log-odds, before the slope, of a form that fires on fewer databases; a fault has its prior there."""
UNPROVEN_BOUND = 0.5
"""Most log-odds, before the slope, of a signal whose direction differs between databases or agents."""
LEAST_FAULT = 0.25
"""Fewest log-odds, before the slope, of a fault: labels that cannot weigh it do not make it harmless."""
DOUBTED_FAULT = 0.75
"""Most log-odds, before the slope, of a fault whose direction differs between databases or agents."""
MOST_KNOWLEDGE = 1.5
"""Most log-odds, before the slope, for what an agent knows of the house: knowing it answers no question."""
LEAST_FIRINGS = 8
"""Fewest firings in a database, or of an agent, from which its direction there is compared."""
REVERSED = 2.5
"""Standard errors from which a direction counts as reversed.

Ten databases and ten agents are compared for each signal: with 2.5, one in eight sound signals is refused by chance.
"""
COMMON = 0.8
"""A signal that fires on a larger share of answers is compared by its median strength."""

Bounds = tuple[float | None, float | None]


def bounds(table: LabelTable) -> list[Bounds]:
    """The range of each weight, in the order of `CODES`: its sign, the bound of a hint, and what the labels bear out.

    The database rule applies when the labels name at least `LEAST_DATABASES` databases.
    """
    fired = _fired(table.signals)
    few = _few_databases(table, fired)
    unproven = _unproven(table, fired)
    return [_bound(code, few=bool(few[place]), unproven=bool(unproven[place])) for place, code in enumerate(CODES)]


def _bound(code: ReasonCode, *, few: bool, unproven: bool) -> Bounds:
    if code in FORGERIES:
        return None, FORGERIES[code]
    if code in CONTRADICTIONS:
        return None, -LEAST_FAULT
    if code in KNOWLEDGE:
        return 0.0, MOST_KNOWLEDGE
    hint = [-HINTS[code]] if code in HINTS else []
    limit = min([*hint, *[UNPROVEN_BOUND] * unproven, *[FEW_DATABASES_BOUND] * few], default=None)
    if code in IN_FAVOUR:
        return 0.0, limit
    if kind_of(code) is ReasonKind.FAULT:
        return (-DOUBTED_FAULT if unproven else None), -LEAST_FAULT
    return (None if limit is None else -limit), 0.0


def _fired(signals: Floats) -> Floats:
    """1 where a signal fired; for a signal that nearly always fires, where it is stronger than its median."""
    common = (signals > 0).mean(axis=0) > COMMON
    return (signals > np.where(common, np.median(signals, axis=0), 0.0)).astype(np.float64)


def _few_databases(table: LabelTable, fired: Floats) -> NDArray[np.bool_]:
    held = [fired[rows].any(axis=0) for rows in _strata(table.database)]
    if len(held) < LEAST_DATABASES:
        return np.zeros(len(CODES), dtype=bool)
    return np.sum(held, axis=0) < LEAST_DATABASES


def _unproven(table: LabelTable, fired: Floats) -> NDArray[np.bool_]:
    """Signals that, over all databases or all agents, or clearly in one of them, go with the opposite label."""
    found = np.zeros(len(CODES), dtype=bool)
    for column in (table.database, table.agent):
        strata = [_difference(table.correct[rows], fired[rows], table.share[rows]) for rows in _strata(column)]
        if not strata:
            continue
        gain, error, weight = (np.array(each) for each in zip(*strata, strict=True))
        often = weight >= LEAST_FIRINGS / 2
        found |= ((gain < -REVERSED * error) & often).any(axis=0)
        found |= (weight * gain).sum(axis=0) < 0
    return found


def _strata(column: NDArray[np.str_]) -> Iterator[NDArray[np.intp]]:
    """The rows of each value of a column; rows without a value belong to none."""
    for value in np.unique(column[column != ""]):
        yield np.flatnonzero(column == value)


def _difference(correct: Floats, fired: Floats, share: Floats) -> tuple[Floats, Floats, Floats]:
    """How much more often an answer is as the signal says where it fires, with standard error and weight.

    Rows count by their share. The weights are those of Mantel and Haenszel, 0 where the signal fires on all answers or
    on none.
    """
    side = np.array([1.0 if code in IN_FAVOUR else -1.0 for code in CODES])
    firing, quiet = share @ fired, share @ (1 - fired)
    right = share * correct
    gain = right @ fired / np.maximum(firing, 1e-9) - right @ (1 - fired) / np.maximum(quiet, 1e-9)
    mean = (right.sum() + 0.5) / (share.sum() + 1)
    error = np.sqrt(mean * (1 - mean) * (1 / np.maximum(firing, 1e-9) + 1 / np.maximum(quiet, 1e-9)))
    return side * gain, error, firing * quiet / share.sum()
