"""Groups labelled answers whose questions are alike, so that a model compares like with like."""

# scikit-learn and scipy ship no types
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize

from learning.calibration import ONE_THREAD
from learning.labelled import Floats
from learning.rules.examples import Cluster, LabelledExample

LEAST_CLUSTER = 4
"""Fewest labels of a cluster; smaller ones join the nearest."""


def tfidf(questions: Sequence[str]) -> Floats:
    """Questions as vectors of their words and pairs of words, weighted by how rare they are, of length 1."""
    vectorizer = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, max_features=2048)
    try:
        found: Any = vectorizer.fit_transform(questions)
    except ValueError:
        # no question holds a word
        return np.zeros((len(questions), 1))
    return np.asarray(found.toarray(), dtype=np.float64)


@ONE_THREAD
def cluster_alike(examples: Sequence[LabelledExample], vectors: Floats, *, size: int, seed: int) -> list[Cluster]:
    """Clusters of about `size` answers with similar questions, by KMeans; at most twice as many.

    The same answers in the same order give the same clusters.
    """
    unit = np.asarray(normalize(vectors), dtype=np.float64)
    parts = _parts(unit, np.arange(len(examples)), -(-len(examples) // size), seed)
    parts = [piece for part in _joined(parts, unit) for piece in _cut(unit, part, 2 * size, seed)]
    return [tuple(examples[place] for place in part) for part in sorted(parts, key=lambda part: int(part[0]))]


def cluster_by_kind(examples: Sequence[LabelledExample], *, size: int) -> list[Cluster]:
    """Clusters of at most twice `size` answers with the same `kind`."""
    kinds: dict[str, list[LabelledExample]] = {}
    for each in examples:
        kinds.setdefault(each.kind, []).append(each)
    return [piece for each in kinds.values() for piece in _even(each, 2 * size, size)]


def cluster_at_random(examples: Sequence[LabelledExample], *, size: int, seed: int) -> list[Cluster]:
    """Groups of about `size` answers drawn at random: what clusters are compared with."""
    order = np.random.default_rng(seed).permutation(len(examples))
    return _even([examples[place] for place in order], size, size)


def _even(examples: Sequence[LabelledExample], most: int, size: int) -> list[Cluster]:
    count = 1 if len(examples) <= most else -(-len(examples) // size)
    return [tuple(examples[place] for place in part) for part in np.array_split(np.arange(len(examples)), count)]


def _parts(unit: Floats, rows: Any, count: int, seed: int) -> list[Any]:
    distinct = len(np.unique(unit[rows].round(9), axis=0))
    if min(count, distinct) < 2:
        return [rows]
    kmeans: Any = KMeans
    labels = kmeans(min(count, distinct), n_init=4, random_state=seed).fit_predict(unit[rows])
    return [rows[labels == label] for label in np.unique(labels)]


def _joined(parts: list[Any], unit: Floats) -> list[Any]:
    """Parts smaller than `LEAST_CLUSTER` are joined to the nearest other part."""
    parts = list(parts)
    while len(parts) > 1 and len(smallest := min(parts, key=len)) < LEAST_CLUSTER:
        others = [part for part in parts if part is not smallest]
        near = [float(unit[part].mean(axis=0) @ unit[smallest].mean(axis=0)) for part in others]
        place = int(np.argmax(near))
        others[place] = np.sort(np.concatenate([others[place], smallest]))
        parts = others
    return parts


def _cut(unit: Floats, part: Any, most: int, seed: int) -> list[Any]:
    """A part of more than `most` rows, cut in two by KMeans as often as needed."""
    if len(part) <= most:
        return [part]
    halves = _parts(unit, part, 2, seed)
    if len(halves) < 2:
        return list(np.array_split(part, -(-len(part) // most)))
    return [piece for half in halves for piece in _cut(unit, half, most, seed)]
