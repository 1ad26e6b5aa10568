"""A pytest plugin: `assert_sql_answers`, and the cases of a benchmark as parametrised tests.

Pytest loads it in every run of an environment that has SQLAssay, so it imports the evaluator only when a test uses it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from evals.runner.cases import BenchmarkCase

MARK = "sqlassay_benchmark"
_PLACES = ("databases", "schemas", "dialect")


def assert_sql_answers(  # noqa: PLR0913 a test names what it knows
    asked: str | BenchmarkCase,
    sql: str,
    *,
    gold_sql: str | None = None,
    databases: str | Path | None = None,
    schemas: str | Path | None = None,
    db_id: str | None = None,
    enriched_question: str | None = None,
    dialect: str | None = None,
    least: float = 0.5,
) -> None:
    """Fails the test unless the SQL answers the question.

    With gold SQL, or a case of a benchmark, the SQL must pass as in `sqlassay eval run`. Without, it must parse, name
    only tables and columns that exist (where a schema is known), and have a `p_correct` of at least `least`.
    """
    __tracebackhide__ = True
    from service.commands.eval.runner.single_answer import why_not  # noqa: PLC0415 loaded when a test needs it

    named = {"db_id": db_id, "enriched_question": enriched_question}
    case = asked if isinstance(asked, BenchmarkCase) else _case(asked, gold_sql, named)
    failed = why_not(
        case,
        sql,
        databases=None if databases is None else str(databases),
        schemas=None if schemas is None else str(schemas),
        dialect=dialect,
        least=least,
    )
    if failed is not None:
        pytest.fail(f"{case.question}\n\n{sql}\n\n{failed}", pytrace=False)


def _case(question: str, gold_sql: str | None, named: dict[str, str | None]) -> BenchmarkCase:
    return BenchmarkCase(
        case_id="asked",
        question=question,
        gold_sql=gold_sql or "",
        schema="",
        complexity="",
        category="",
        metadata={name: value for name, value in named.items() if value is not None},
    )


@pytest.fixture(name="assert_sql_answers")
def assert_sql_answers_fixture(request: pytest.FixtureRequest) -> Callable[..., None]:
    """`assert_sql_answers` with the databases, schemas and dialect of the test's `sqlassay_benchmark`."""
    mark = request.node.get_closest_marker(MARK)
    return partial(assert_sql_answers, **(_places(mark, request.config.rootpath) if mark is not None else {}))


@pytest.fixture
def sqlassay_case(request: pytest.FixtureRequest) -> BenchmarkCase:
    """A case of the benchmark that the test's mark `sqlassay_benchmark` names."""
    if not hasattr(request, "param"):
        pytest.fail(f'sqlassay_case needs @pytest.mark.{MARK}("benchmark.jsonl") on the test', pytrace=False)
    return request.param


def pytest_configure(config: pytest.Config) -> None:
    """Declares the mark."""
    config.addinivalue_line(
        "markers", f"{MARK}(path, databases=…, schemas=…, dialect=…): one test for each case of a benchmark"
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Makes a test for each case of the benchmark. A benchmark with faults is an error that names their lines."""
    mark = metafunc.definition.get_closest_marker(MARK)
    if mark is None or "sqlassay_case" not in metafunc.fixturenames:
        return
    from service.commands.eval.runner.benchmark_file import (  # noqa: PLC0415 loaded when a test needs it
        InvalidBenchmarkError,
        read_benchmark,
    )

    root = metafunc.config.rootpath
    try:
        cases = read_benchmark(str(root / mark.args[0]), **_places(mark, root)).cases
    except InvalidBenchmarkError as error:
        raise pytest.UsageError(str(error)) from None
    metafunc.parametrize("sqlassay_case", cases, ids=[each.case_id for each in cases], indirect=True)


def _places(mark: pytest.Mark, root: Path) -> dict[str, Any]:
    """The arguments of a mark; folders and files are relative to pytest's root."""
    unknown = sorted(set(mark.kwargs) - set(_PLACES))
    if unknown:
        raise pytest.UsageError(f"{MARK} has no argument {unknown[0]}: name {', '.join(_PLACES)}")
    return {
        name: str(root / value) if name != "dialect" and "://" not in str(value) else value
        for name, value in mark.kwargs.items()
    }
