"""Tests of the library with packages that are not among those of the tests."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]


def _index() -> tuple[str, ...]:
    """The index that pip is told to use, since uv does not read pip's settings."""
    index = os.environ.get("PIP_INDEX_URL")
    return ("--default-index", index) if index else ()


def check_with(packages: Sequence[str], module: str, passes: int, folder: Path, *, tests: str = "not packages") -> None:
    """Runs tests of a module in an environment with these packages; none may be skipped."""
    venv.create(folder / "env", with_pip=False)
    python = str(folder / "env" / "bin" / "python")
    dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    # uv: with some of these packages, pip tries versions for many minutes
    install = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", python, *packages, *dependencies]
    subprocess.run([*install, *_index()], check=True)
    apart = ("-c", os.devnull, "--rootdir", str(ROOT), "--noconftest", "-p", "no:cacheprovider", "-rs")
    command = [python, "-m", "pytest", "-q", *apart, "-k", f"({tests}) and not packages", module]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(ROOT)}, cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert f"{passes} passed" in done.stdout
    assert "SKIPPED" not in done.stdout
