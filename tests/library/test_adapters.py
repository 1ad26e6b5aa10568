"""The adapters in `examples/adapters` work with the packages that they adapt to, where those are installed."""

from __future__ import annotations

import importlib.util
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import uuid4

import pytest

from sqlassay import score
from tests.library.foreign_packages import check_with

FOLDER = Path(__file__).parents[2] / "examples" / "adapters"
RIGHT = ("How many hens are there?", "SELECT COUNT(*) FROM hens")
WRONG = ("How many hens hatched in 2025?", "SELECT COUNT(*) FROM hens")


EVALUATORS = (
    *("deepeval==4.3.1", "opik==2.2.122", "langsmith==0.15.1", "langfuse==5.0.4", "arize-phoenix-client==3.5.0"),
    "pytest",
)
"""Evaluators of other tools: they do not agree on packages with the others."""
RAGAS = ("ragas==0.4.3", "langchain-community<0.4", "pytest")
"""It imports a module that newer versions of LangChain's package lack."""
EVALUATED = "deepeval or opik or langsmith or langfuse or phoenix"
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
    names = {"duckdb_function", "polars_columns", "mlflow_scorer", "pydantic_evaluator", "promptfoo_assert"}
    names |= {"deepeval_metric", "ragas_metric", "opik_metric"}
    names |= {"langsmith_evaluator", "langfuse_evaluator", "phoenix_evaluator"}
    assert {path.stem for path in FOLDER.glob("*.py")} == names


@pytest.mark.slow  # loads DuckDB and Arrow
def test_duckdb_scores_in_a_query() -> None:
    module = adapter("duckdb_function", "duckdb", "pyarrow")
    import duckdb

    with duckdb.connect() as connection:
        module.register(connection)
        connection.execute("CREATE TABLE answers (place INTEGER, question VARCHAR, sql VARCHAR)")
        rows = [(place, *answer) for place, answer in enumerate([RIGHT, WRONG, ("How many?", None)])]
        connection.executemany("INSERT INTO answers VALUES (?, ?, ?)", rows)
        # DuckDB hands on 2048 rows at once
        connection.execute("INSERT INTO answers SELECT place + 3 * n, question, sql FROM answers, range(1, 750) r(n)")
        found = connection.sql("SELECT assay(question, sql) FROM answers ORDER BY place").fetchall()
    assert found == [(each,) for each in [*scores(), None]] * 750


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


def probable() -> float | None:
    return score(question=WRONG[0], sql=WRONG[1]).p_correct


def test_deepeval_evaluates_with_the_metric() -> None:
    module = adapter("deepeval_metric", "deepeval")
    deepeval, cases = (importlib.import_module(name) for name in ("deepeval", "deepeval.test_case"))
    answers = [cases.LLMTestCase(input=question, actual_output=sql) for question, sql in (RIGHT, WRONG)]
    results = deepeval.evaluate(test_cases=answers, metrics=[module.SqlAnswers()]).test_results
    found = {each.input: each.metrics_data[0] for each in results}
    assert (found[WRONG[0]].score, found[WRONG[0]].success) == (probable(), False)
    assert "2025" in found[WRONG[0]].reason
    assert found[RIGHT[0]].success


def test_opik_scores_with_the_metric() -> None:
    module = adapter("opik_metric", "opik")
    found = module.SqlAnswers(track=False).score(input=WRONG[0], output=WRONG[1], reference="ignored")
    assert (found.name, found.value) == ("SqlAnswers", probable())
    assert "2025" in found.reason


def test_langsmith_runs_the_evaluator() -> None:
    module = adapter("langsmith_evaluator", "langsmith")
    schemas = importlib.import_module("langsmith.schemas")
    evaluator = importlib.import_module("langsmith.evaluation.evaluator").run_evaluator(module.sql_answers)
    asked, now, id_ = {"question": WRONG[0]}, datetime.now(UTC), uuid4()
    about = {"name": "agent", "run_type": "chain", "start_time": now, "trace_id": id_}
    run = schemas.Run(id=id_, inputs=asked, outputs={"sql": WRONG[1]}, **about)
    found = evaluator.evaluate_run(run, schemas.Example(id=uuid4(), inputs=asked, dataset_id=uuid4(), created_at=now))
    assert (found.key, found.score) == ("sql_answers", probable())
    assert "2025" in found.comment


def test_langfuse_runs_an_experiment_with_the_evaluator() -> None:
    module = adapter("langfuse_evaluator", "langfuse")
    away = {"public_key": "pk", "secret_key": "sk", "base_url": "http://127.0.0.1:9", "tracing_enabled": False}
    client = importlib.import_module("langfuse").Langfuse(**away)
    result = client.run_experiment(
        name="hens", data=[{"input": WRONG[0]}], task=lambda **_: WRONG[1], evaluators=[module.sql_answers]
    )
    [found] = result.item_results[0].evaluations
    assert (found.name, found.value) == ("sql_answers", probable())
    assert "2025" in found.comment


def test_phoenix_evaluates_with_the_evaluator() -> None:
    module = adapter("phoenix_evaluator", "phoenix")
    found = module.sql_answers.evaluate(input={"question": WRONG[0]}, output=WRONG[1])
    assert (module.sql_answers.name, module.sql_answers.kind) == ("sql_answers", "CODE")
    assert (found["score"], found["label"]) == (probable(), "poor")
    assert "2025" in found["explanation"]


def test_ragas_scores_with_the_metric() -> None:
    module = adapter("ragas_metric", "ragas")
    found = module.sql_answers.score(user_input=WRONG[0], response=WRONG[1])
    assert found.value == probable()
    assert "2025" in found.reason


def test_promptfoo_asserts_with_the_function() -> None:
    module = adapter("promptfoo_assert")
    found = module.get_assert(WRONG[1], {"vars": {"question": WRONG[0]}})
    assert (found["pass"], found["score"]) == (False, probable())
    assert module.get_assert(RIGHT[1], {"vars": {"question": RIGHT[0]}})["pass"] is True


@pytest.mark.slow
@pytest.mark.nightly  # installs three hundred packages
@pytest.mark.parametrize(("packages", "tests", "passes"), [(EVALUATORS, EVALUATED, 5), (RAGAS, "ragas", 1)])
def test_the_evaluators_work_with_packages_of_their_tools(
    tmp_path: Path, packages: tuple[str, ...], tests: str, passes: int
) -> None:
    check_with(packages, __file__, passes, tmp_path, tests=tests)


@pytest.mark.slow
@pytest.mark.nightly  # installs two hundred packages
def test_the_adapters_work_with_the_packages_that_they_adapt_to(tmp_path: Path) -> None:
    tests = "every_adapter or duckdb or polars or mlflow or pydantic_evals or promptfoo"
    check_with(PACKAGES, __file__, 6, tmp_path, tests=tests)
