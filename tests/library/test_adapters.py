"""The adapters in `examples/adapters` work with the packages that they adapt to, where those are installed."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sqlassay import score
from tests.library.foreign_packages import check_with

FOLDER = Path(__file__).parents[2] / "examples" / "adapters"
RIGHT = ("How many hens are there?", "SELECT COUNT(*) FROM hens")
WRONG = ("How many hens hatched in 2025?", "SELECT COUNT(*) FROM hens")


PACKAGES = ("mlflow==3.17.2", "pydantic-evals==2.62.0", "polars==2.1.0", "duckdb==2.0.1", "pyarrow", "pytest")
"""With which `make nightly` runs the tests of this file: most are not among the packages of the tests."""


def adapter(name: str, *needs: str) -> ModuleType:
    for package in needs:
        pytest.importorskip(package, reason=f"needs {package}: pip install {package.replace('_', '-')}")
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def scores() -> list[float | None]:
    return [score(question=question, sql=sql).score for question, sql in (RIGHT, WRONG)]


def test_every_adapter_is_tested_here() -> None:
    names = {"duckdb_function", "polars_columns", "mlflow_scorer", "pydantic_evaluator"}
    assert {path.stem for path in FOLDER.glob("*.py")} == names


def test_duckdb_scores_in_a_query() -> None:
    module = adapter("duckdb_function", "duckdb", "pyarrow")
    import duckdb

    with duckdb.connect() as connection:
        module.register(connection)
        connection.execute("CREATE TABLE answers (place INTEGER, question VARCHAR, sql VARCHAR)")
        rows = [(place, *answer) for place, answer in enumerate([RIGHT, WRONG, ("How many?", None)] * 1500)]
        connection.executemany("INSERT INTO answers VALUES (?, ?, ?)", rows[:3])
        connection.execute("INSERT INTO answers SELECT place + 3 * n, question, sql FROM answers, range(1, 1500) r(n)")
        found = connection.sql("SELECT assay(question, sql) FROM answers ORDER BY place").fetchall()
    assert found == [(each,) for each in [*scores(), None]] * 1500


def test_polars_has_the_scores_beside_the_answers() -> None:
    module = adapter("polars_columns", "polars", "pyarrow")
    pl: Any = importlib.import_module("polars")

    answers = pl.DataFrame({"agent": ["a", "b"], "question": [RIGHT[0], WRONG[0]], "sql": [RIGHT[1], WRONG[1]]})
    found = module.with_scores(answers)
    assert found["agent"].to_list() == ["a", "b"]
    assert found["score"].to_list() == scores()
    assert module.with_scores(answers.clear())["score"].to_list() == []


def test_mlflow_evaluates_with_the_scorer(tmp_path: Path, monkeypatch) -> None:
    module = adapter("mlflow_scorer", "mlflow")
    mlflow: Any = importlib.import_module("mlflow")

    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")
    monkeypatch.chdir(tmp_path)
    data = [{"inputs": {"question": question}, "outputs": sql} for question, sql in (RIGHT, WRONG)]
    result = mlflow.genai.evaluate(data=data, scorers=[module.sql_answers])
    found = [score(question=question, sql=sql).p_correct or 0.0 for question, sql in (RIGHT, WRONG)]
    assert result.metrics["sql_answers/mean"] == pytest.approx(sum(found) / 2)


def test_pydantic_evals_evaluates_with_the_evaluator() -> None:
    module = adapter("pydantic_evaluator", "pydantic_evals")
    evals: Any = importlib.import_module("pydantic_evals")

    answers = dict([RIGHT, WRONG])
    cases = [evals.Case(inputs=each) for each in answers]
    dataset = evals.Dataset(name="hens", cases=cases, evaluators=[module.SqlAnswers()])
    report = dataset.evaluate_sync(lambda question: answers[question])
    found = [each.scores["SqlAnswers"].value for each in report.cases]
    assert found == [score(question=question, sql=sql).p_correct for question, sql in answers.items()]


@pytest.mark.slow
@pytest.mark.nightly  # installs two hundred packages
def test_the_adapters_work_with_the_packages_that_they_adapt_to(tmp_path: Path) -> None:
    check_with(PACKAGES, __file__, 5, tmp_path)
