"""The labelled development sets, where they stand beside the checkout; tests that use them say so when they do not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

HOME = Path(os.environ.get("SQLASSAY_DEVELOPMENT_DATA", Path(__file__).parents[2] / "shared" / "data"))


def labels_path(name: str) -> Path:
    """The file of a set; skips the test where it is not there."""
    path = HOME / "judge" / f"{name}.jsonl"
    if not path.exists():
        pytest.skip(f"development set {name} is not here: set SQLASSAY_DEVELOPMENT_DATA to its folder")
    return path
