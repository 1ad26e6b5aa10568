"""Where the labelled development sets are. Tests that read them carry `@pytest.mark.development_data(path)`."""

from __future__ import annotations

import os
from pathlib import Path

HOME = Path(os.environ.get("SQLASSAY_DEVELOPMENT_DATA", Path(__file__).parents[2] / "shared" / "data"))


def labels_path(name: str) -> Path:
    """The file of a set of labelled answers."""
    return HOME / "judge" / f"{name}.jsonl"
