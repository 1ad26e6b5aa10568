"""Loads the local judge with its packaged weights or with a file of fitted ones."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import scoring
from scoring.judging.local import InvalidWeightsError, LocalJudge, load_weights


def packaged_weights() -> dict[str, object]:
    """Reads `scoring/weights.json`, which `docs/trust.md` describes."""
    return json.loads(files(scoring).joinpath("weights.json").read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def local_judge() -> LocalJudge:
    """The local judge with the packaged weights."""
    return LocalJudge.of(load_weights(packaged_weights()))


def fitted_judge(path: Path) -> LocalJudge:
    """The local judge with the weights of a file; raises `InvalidWeightsError`, which names the file and the fault."""
    try:
        return LocalJudge.of(load_weights(json.loads(path.read_text(encoding="utf-8"))))
    except OSError as error:
        raise InvalidWeightsError(f"cannot read the weights file {path}: {error.strerror or error}") from error
    except (ValueError, TypeError) as error:
        raise InvalidWeightsError(f"{path}: {error}") from error
