"""The dbt project in `examples/dbt` runs with the real dbt, and scores what the library scores."""

from __future__ import annotations

import csv
import importlib
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sqlassay import score
from tests.library.foreign_packages import ROOT, check_with

PROJECT = ROOT / "examples" / "dbt"
PACKAGES = ("dbt-duckdb>=1.9", "dbt-core>=1.10,<1.12", "numpy", "pyarrow>=22", "pytest")


def dbt(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    call = "import sys; from dbt.cli.main import cli; cli(sys.argv[1:])"
    command = [sys.executable, "-c", call, "--no-send-anonymous-usage-stats", *arguments, "--profiles-dir", "."]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_dbt_scores_each_answer_once_and_fails_below_the_bound(tmp_path: Path) -> None:
    pytest.importorskip("dbt.adapters.duckdb", reason="needs dbt-duckdb: pip install dbt-duckdb")
    duckdb: Any = importlib.import_module("duckdb")
    folder = tmp_path / "dbt"
    shutil.copytree(PROJECT, folder)
    for _ in range(2):
        built = dbt(folder, "build")
        assert "mean_score" in built.stdout
        # the agent nomad lost a condition
        assert built.returncode == 1, built.stdout + built.stderr
        assert "Got 1 result" in built.stdout
        with duckdb.connect(str(folder / "assays.duckdb")) as connection:
            found = dict(connection.sql("SELECT event_id, score FROM scored_answers").fetchall())
        answers = csv.DictReader((PROJECT / "seeds" / "answers.csv").read_text().splitlines())
        assert found == {each["event_id"]: score(question=each["question"], sql=each["sql"]).score for each in answers}


@pytest.mark.slow
@pytest.mark.nightly  # installs eighty packages
def test_dbt_with_the_real_packages(tmp_path: Path) -> None:
    check_with(PACKAGES, str(Path(__file__)), 1, tmp_path, tests="each_answer")
