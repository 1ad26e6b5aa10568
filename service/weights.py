"""The judge's weights: the packaged data file."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files

from scoring.judge import LocalJudge, load_weights


def packaged_weights() -> dict[str, object]:
    """The document that ships with this version (`scoring/weights.json`, described in `docs/model-card.md`)."""
    return json.loads(files("scoring").joinpath("weights.json").read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def local_judge() -> LocalJudge:
    """The local judge with the packaged weights."""
    return LocalJudge.of(load_weights(packaged_weights()))
