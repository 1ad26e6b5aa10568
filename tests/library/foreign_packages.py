"""Tests of the library with packages that are not among those of the tests."""

from __future__ import annotations

import os
import subprocess
import tomllib
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]


def check_with(packages: Sequence[str], module: str, passes: int, folder: Path) -> None:
    """Runs the tests of a module, but those of packages, in an environment with these packages; none may be skipped."""
    venv.create(folder / "env", with_pip=True)
    python = str(folder / "env" / "bin" / "python")
    dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages, *dependencies]
    subprocess.run(install, check=True)
    apart = ("-c", os.devnull, "--rootdir", str(ROOT), "--noconftest", "-p", "no:cacheprovider", "-rs")
    command = [python, "-m", "pytest", "-q", *apart, "-k", "not packages", module]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(ROOT)}, cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert f"{passes} passed" in done.stdout
    assert "SKIPPED" not in done.stdout
