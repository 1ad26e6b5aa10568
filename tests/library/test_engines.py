"""Spark and Ray give the rows that `sqlassay score` writes; `make nightly` runs it with the real packages."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sqlassay import Scorer
from tests.library.foreign_packages import check_with

pa: Any = pytest.importorskip("pyarrow", reason="needs pyarrow: the extra arrow")
pq: Any = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow: the extra arrow")
ROOT = Path(__file__).parents[2]
ENGINES = ("pyspark==4.3.0", "pandas<3", "ray[data]==2.60.0", "pyarrow>=22", "orjson", "typer>=0.29", "pytest")
"""With which `make nightly` runs the tests of this file."""
RULES = {"benign_filters": ["barn = 'north'"]}


def answers(count: int) -> list[dict[str, object]]:
    kinds: list[tuple[str, str | None]] = [
        ("How many hens hatched in {} in barn {n}?", "SELECT COUNT(*) FROM hens WHERE year = {} AND barn = {n}"),
        ("How many eggs of size {n}?", "SELECT COUNT(*) FROM eggs WHERE barn = 'north' /* {n} */"),
        ("Which 3 hens laid most eggs?", "SELECT name FROM hens ORDER BY eggs DESC LIMIT {n}"),
        ("List the bärns \U0001f414", None),
        ("", "SELECT {n}"),
        ("How many?", "SELECT FROM WHERE ("),
    ]
    found: list[dict[str, object]] = []
    for number in range(count):
        question, sql = kinds[number % len(kinds)]
        found.append(
            {
                "row": number,
                # some have an id and a source, the others an id of their content
                "event_id": f"{number}" if number % 2 else None,
                "source": "/farm/1" if number % 3 == 0 else None,
                "tenant": "farm" if number % 5 else "no/tenant",
                "question": question.format(2025, n=number),
                "sql": None if sql is None else sql.format(2025, n=number),
            }
        )
    return found


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("engines") / "answers.parquet"
    pq.write_table(pa.Table.from_pylist(answers(1200)), path, row_group_size=100)
    return path


@pytest.fixture(scope="module")
def expected(file: Path) -> list[dict[str, object]]:
    """What `sqlassay score` writes."""
    from sqlassay.tables import ROW_FIELDS

    out = file.parent / "scores.parquet"
    rules = file.parent / "rules.json"
    rules.write_text('{"benign_filters": ["barn = \'north\'"]}')
    command = [sys.executable, "-m", "service", "score", str(file), "--out", str(out), "--rules", str(rules)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    # lines of an invalid tenant are refused
    assert done.returncode == 1, done.stderr
    rows = pq.read_table(out).select(list(ROW_FIELDS)).to_pylist()
    assert len({row["unscored"] for row in rows}) > 3
    return rows


def in_order(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    ordered = sorted(rows, key=lambda row: int(str(row["row"])))
    assert [row.pop("row") for row in ordered] == list(range(len(rows)))
    return ordered


@pytest.mark.parametrize("cpu_seconds", [None, 5.0])
def test_batches_have_the_rows_of_the_command(
    file: Path, expected: list[dict[str, object]], cpu_seconds: float | None
) -> None:
    from sqlassay.tables import TableScorer

    scorer = TableScorer(RULES, keep=["row"], cpu_seconds=cpu_seconds)
    few = pq.read_table(file).slice(0, 300).to_batches(max_chunksize=70)
    rows = [row for batch in few for row in scorer(batch).to_pylist()]
    assert in_order(rows) == expected[:300]


def test_columns_may_have_other_names() -> None:
    from sqlassay.tables import TableScorer

    batch = pa.RecordBatch.from_pylist([{"asked": "How many hens?", "query": "SELECT COUNT(*) FROM hens"}])
    [row] = TableScorer(columns={"question": "asked", "sql": "query"})(batch).to_pylist()
    assert row["score"] == Scorer().score(question="How many hens?", sql="SELECT COUNT(*) FROM hens").score
    with pytest.raises(ValueError, match="no column 'question' for the field question: the columns are asked, query"):
        TableScorer()(batch)
    with pytest.raises(ValueError, match="no column 'text' for the field sql"):
        TableScorer(columns={"question": "asked", "sql": "text"})(batch)


def test_bad_options_are_named() -> None:
    from sqlassay.rules import InvalidRules
    from sqlassay.tables import TableScorer

    with pytest.raises(ValueError, match="columns names 'frage', which is no field of an answer"):
        TableScorer(columns={"frage": "question"})
    with pytest.raises(ValueError, match="keep names 'score', which is a column of the scores"):
        TableScorer(keep=["score"])
    with pytest.raises(InvalidRules):
        TableScorer({"benign": []})


@pytest.mark.parametrize(("module", "extra"), [("spark", "pyspark"), ("ray", "ray")])
def test_a_missing_package_is_named(module: str, extra: str) -> None:
    hidden = f"import sys; sys.modules[{extra!r}] = None; import sqlassay.{module}"
    done = subprocess.run([sys.executable, "-c", hidden], cwd=ROOT, capture_output=True, text=True, check=False)
    assert f"pip install 'sqlassay[{module}]'" in done.stderr


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    sql: Any = pytest.importorskip("pyspark.sql", reason="needs pyspark: the extra spark")
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    # two executors, each a process of its own
    builder = sql.SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.executor.instances", "2").config("spark.sql.files.maxPartitionBytes", "20000")
    builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
    session = builder.getOrCreate()
    yield session
    session.stop()


def test_spark_has_the_rows_of_the_command(spark: Any, file: Path, expected: list[dict[str, object]]) -> None:
    from sqlassay.spark import score_frame

    scores = score_frame(spark.read.parquet(str(file)).repartition(8), rules=RULES, keep=["row"])
    assert in_order([row.asDict() for row in scores.collect()]) == expected


def test_an_executor_of_spark_that_is_killed_changes_nothing(
    spark: Any, file: Path, expected: list[dict[str, object]], tmp_path: Path
) -> None:
    from sqlassay.spark import score_frame

    killed = tmp_path / "killed"

    def kill_once(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            yield batch
            try:
                with open(killed, "x"):
                    pass
            except FileExistsError:
                continue
            # the parent of the daemon that starts Python workers is the executor
            stat = Path(f"/proc/{os.getppid()}/stat").read_text()
            os.kill(int(stat.rpartition(")")[2].split()[1]), signal.SIGKILL)

    frame = spark.read.parquet(str(file)).repartition(8)
    killing = score_frame(frame, rules=RULES, keep=["row"])
    done = killing.mapInArrow(kill_once, killing.schema)
    assert in_order([row.asDict() for row in done.collect()]) == expected
    assert killed.exists()


def test_ray_has_the_rows_of_the_command(file: Path, expected: list[dict[str, object]]) -> None:
    ray: Any = pytest.importorskip("ray", reason="needs ray: the extra ray")
    from sqlassay.ray import score_dataset

    ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1")
    try:
        dataset = ray.data.read_parquet(str(file), override_num_blocks=4)
        scores = score_dataset(dataset, rules=RULES, keep=["row"], batch_size=128)
        assert in_order(scores.take_all()) == expected
    finally:
        ray.shutdown()


@pytest.mark.slow
@pytest.mark.nightly
def test_with_the_real_packages(tmp_path: Path) -> None:
    check_with(ENGINES, str(Path(__file__)), 3, tmp_path, tests="spark_has or executor or ray_has")
