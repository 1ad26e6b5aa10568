"""`sqlassay eval run` with several methods: EX-TEST, what search refutes of what passed it, and the study of both."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evals.study.method_figures import method_rows
from references.comparison.results import QueryResult
from references.comparison.sets import same_set
from references.sandbox import Failure, FailureKind
from tests.development import HOME
from tests.evals.development_study import write_inputs
from tests.evals.runner.weaving import Mill, lines

ANSWERS: dict[str, dict[str, str | None]] = {
    "right": {
        "count": "SELECT COUNT(id) FROM looms",
        "widest": "SELECT name FROM looms WHERE width = 120",
        "towns": "SELECT DISTINCT town FROM mills",
    },
    "lucky": {
        "count": "SELECT MAX(id) FROM looms",
        "widest": "SELECT name FROM looms WHERE width > 100",
        "towns": "SELECT town FROM mills WHERE id < 3",
    },
    "wrong": {"count": "SELECT COUNT(*) FROM mills", "widest": None, "towns": "SELECT town FROM mills"},
}
PASSING = ["right", "lucky"]


@pytest.fixture
def mill(tmp_path: Path) -> Mill:
    return Mill(tmp_path)


def predictions(mill: Mill, tested: dict[tuple[str, str], bool] | None = None) -> Path:
    rows: list[dict[str, Any]] = []
    for method, answers in ANSWERS.items():
        for case_id, sql in answers.items():
            row: dict[str, Any] = {"case_id": case_id, "method": method, "sql": sql}
            if tested is not None:
                row["ex_test"] = tested[method, case_id]
            rows.append(row)
    return lines(mill.folder / "predictions.jsonl", rows)


def studied(mill: Mill, *options: str | Path, out: str = "run") -> dict[tuple[str, str], dict[str, Any]]:
    mill.run("--backend", "recorded", "--predictions", mill.folder / "predictions.jsonl", *options, out=out)
    return {(each["method"], each["case_id"]): each for each in mill.records(out)}


def test_what_passes_on_the_database_is_searched_for_a_difference(mill: Mill) -> None:
    predictions(mill)
    found = studied(mill, "--databases", mill.databases, "--schemas", mill.ddl)
    assert {key: each["ex_test"] for key, each in found.items()} == {
        **{(method, case_id): True for method in PASSING for case_id in ("count", "widest", "towns")},
        ("wrong", "count"): False,
        ("wrong", "widest"): False,
        ("wrong", "towns"): True,
    }
    outcomes = {key: (each["ex_verified"] or {}).get("outcome") for key, each in found.items()}
    assert {key for key, outcome in outcomes.items() if outcome == "refuted"} == {
        ("lucky", "count"), ("lucky", "widest"), ("lucky", "towns")
    }  # fmt: skip
    assert outcomes["right", "count"] == outcomes["right", "towns"] == "proved"
    assert found["right", "count"]["ex_verified"]["bound"] == 3
    witness = found["lucky", "widest"]["ex_verified"]["counterexample"]
    assert witness["result_a"] != witness["result_b"]


def test_the_study_has_accuracies_ranks_and_levels_and_is_the_same_in_every_run(mill: Mill) -> None:
    predictions(mill)
    studied(mill, "--databases", mill.databases, "--schemas", mill.ddl)
    study = mill.summary()["study"]
    rows = {row["method"]: row for row in study["methods"]}
    assert (rows["right"]["ex_test"], rows["right"]["ex_test_rank"]) == (100, 1)
    assert (rows["lucky"]["ex_test"], rows["lucky"]["ex_spotit"], rows["lucky"]["ex_spotit_rank"]) == (100, 0, 3)
    assert rows["wrong"]["answers"] == 3
    coverage = {row["method"]: row for row in study["coverage"]}
    assert (coverage["wrong"]["verified"], coverage["wrong"]["coverage"]) == (1, 100)
    assert [row["lucky"] for row in study["curve"]][-1] == 3
    studied(mill, "--databases", mill.databases, "--schemas", mill.ddl, out="again")
    for name in ("study.json", "study.md", "cases.jsonl", "summary.json", "attributions.csv"):
        assert (mill.folder / "again" / name).read_bytes() == (mill.folder / "run" / name).read_bytes(), name
    assert "seconds of a refutation" in (mill.folder / "run" / "times.md").read_text()


def test_an_answer_of_which_the_search_found_nothing_is_refuted_by_the_counterexample_of_another() -> None:
    verified = {"outcome": "not_refuted", "level": None, "bound": None, "counterexample": None}
    answers = [
        {"method": "a", "generated_sql": "SELECT 1", "ex_test": True, "ex_verified": {**verified, "crossed": crossed}}
        for crossed in (None, {"level": "S0"}, {"level": "S6"})
    ]
    (row,) = method_rows(answers)
    assert (row["ex_test"], row["ex_spotit"], row["ex_spotit_plus"]) == (100.0, 100.0, 66.67)


def test_what_a_person_attributes_is_kept_and_counted(mill: Mill) -> None:
    predictions(mill, {(method, name): method != "wrong" for method in ANSWERS for name in ANSWERS[method]})
    options = ("--schemas", mill.ddl, "--verify")
    studied(mill, *options)
    assert mill.summary()["study"]["most_methods_disagree"] == {"search": [], "test": []}
    rows = [json.loads(line) for line in (mill.folder / "predictions.jsonl").read_text().splitlines()]
    for row in rows:
        row["sql"] = row["sql"] and ANSWERS["lucky"][row["case_id"]]
    lines(mill.folder / "predictions.jsonl", rows)
    studied(mill, *options, out="lucky")
    table = mill.folder / "lucky" / "attributions.csv"
    with table.open(newline="") as file:
        cases = list(csv.DictReader(file))
    assert {(each["case_id"], each["disagreement"]) for each in cases} == {
        (name, "search") for name in ("count", "widest", "towns")
    }
    assert cases[0]["counterexample"].endswith("]]")
    text = table.read_text().replace("widest,search,,", "widest,search,gold_wrong,no unit is named")
    table.write_text(text)
    studied(mill, *options, out="lucky")
    assert table.read_text() == text
    assert mill.summary("lucky")["study"]["attributions"]["search"] == {
        "gold_wrong": 1, "ambiguous": 0, "prediction_wrong": 0, "open": 2
    }  # fmt: skip
    table.write_text(text.replace("gold_wrong", "nobody"))
    where = ("--backend", "recorded", "--predictions", mill.folder / "predictions.jsonl")
    assert "attribution is gold_wrong, ambiguous, prediction_wrong" in mill.run(*where, *options, out="lucky", code=2)


def test_no_text_is_a_formula_in_the_table_of_attributions_and_a_note_is_read_back(mill: Mill) -> None:
    predictions(mill, {(method, name): method != "wrong" for method in ANSWERS for name in ANSWERS[method]})
    rows = [json.loads(line) for line in (mill.folder / "predictions.jsonl").read_text().splitlines()]
    for row in rows:
        row["sql"] = row["sql"] and f"-- mine\n{ANSWERS['lucky'][row['case_id']]}"
    lines(mill.folder / "predictions.jsonl", rows)
    studied(mill, "--schemas", mill.ddl, "--verify")
    table = mill.folder / "run" / "attributions.csv"
    with table.open(newline="") as file:
        cases = list(csv.DictReader(file))
    assert [each["answer"][:8] for each in cases] == ["'-- mine"] * 3
    text = table.read_text()
    table.write_text(text.replace("widest,search,,", "widest,search,ambiguous,-1 is no width"))
    for _ in range(2):
        studied(mill, "--schemas", mill.ddl, "--verify")
        assert table.read_text() == text.replace("widest,search,,", "widest,search,ambiguous,'-1 is no width")


def test_predictions_name_their_method_on_every_line_and_each_case_once(mill: Mill) -> None:
    rows = [{"case_id": "count", "method": "a", "sql": "SELECT 1"}]
    where = ("--backend", "recorded", "--predictions", mill.folder / "p.jsonl")
    lines(mill.folder / "p.jsonl", [*rows, {"case_id": "widest", "sql": "SELECT 1"}])
    assert "every line names its method, or none does" in mill.run(*where, code=2)
    lines(mill.folder / "p.jsonl", rows * 2)
    assert "has a prediction of 'a' already" in mill.run(*where, code=2)
    lines(mill.folder / "p.jsonl", rows)
    assert "one sample each" in mill.run(*where, "--samples", "2", code=2)


def test_ex_test_compares_sets_of_rows_with_columns_in_order() -> None:
    results = {
        "gold": ((1, "a"), (2, "b")),
        "twice": ((2, "b"), (1, "a"), (1, "a")),
        "swapped": (("a", 1), ("b", 2)),
    }

    def run(sql: str) -> QueryResult | Failure:
        rows = results.get(sql.rsplit(maxsplit=1)[-1])
        if rows is None:
            return Failure(kind=FailureKind.ERROR, detail="no such table")
        return QueryResult(columns=("x", "y"), rows=rows)

    assert same_set("SELECT x, y FROM gold", "SELECT x, y FROM twice", run) is True
    assert same_set("SELECT x, y FROM gold", "SELECT x, y FROM swapped", run) is False
    assert same_set("SELECT x, y FROM gold", "SELECT x, y FROM none", run) is False
    assert same_set("SELECT x, y FROM none", "SELECT x, y FROM gold", run) is None
    assert same_set("SELECT x FROM none; SELECT x FROM gold", "SELECT x FROM twice", run) is True


@pytest.mark.slow  # a minute of search and proof
@pytest.mark.nightly
@pytest.mark.development_data("judge/dev_agents.jsonl")
@pytest.mark.development_data("equivalence/dev.jsonl")
def test_the_study_of_published_agents_is_printed_by_one_command_twice_the_same(tmp_path: Path) -> None:
    printed: list[str] = []
    for out in ("one", "two"):
        command = [sys.executable, "-m", "tests.evals.development_study", "--every", "10", "--out", str(tmp_path / out)]
        printed.append(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert printed[0] == printed[1]
    assert "EX-SPOTIT⁺" in printed[0]
    study = json.loads((tmp_path / "one" / "study.json").read_text())
    assert len(study["methods"]) == 10
    assert min(row["coverage"] for row in study["coverage"]) > 94


@pytest.mark.development_data("judge/dev_agents.jsonl")
@pytest.mark.development_data("equivalence/dev.jsonl")
def test_every_question_of_the_published_agents_has_gold_sql_and_tables(tmp_path: Path) -> None:
    write_inputs(tmp_path)
    cases = [json.loads(line) for line in (tmp_path / "benchmark.jsonl").read_text().splitlines()]
    assert len(cases) == 269
    assert all((tmp_path / "schemas" / f"{each['schema']}.sql").exists() for each in cases), HOME
