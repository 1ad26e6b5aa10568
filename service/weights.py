"""The judge's weights: the packaged data file, or one a user names."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from scoring.judge import LocalJudge, Weights, load_weights


def packaged_weights() -> dict[str, object]:
    """The document that ships with this version (`scoring/weights.json`, described in `docs/model-card.md`)."""
    return json.loads(files("scoring").joinpath("weights.json").read_text(encoding="utf-8"))


def read_weights(path: Path) -> Weights:
    """Weights from a user's file; raises `InvalidWeightsError` or `OSError`."""
    return load_weights(json.loads(path.read_text(encoding="utf-8")))


@lru_cache(maxsize=1)
def local_judge() -> LocalJudge:
    """The local judge with the packaged weights."""
    return LocalJudge(load_weights(packaged_weights()))
