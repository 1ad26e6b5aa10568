"""`sqlassay eval run` with recorded predictions: what each answer is found to be, and the rates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.sql.parsing import Parsed, parse_query
from scoring.sql.unknown_names import unknown_names
from service.commands.gold.case_schemas import CaseSchema, CaseSchemas, Sources
from tests.development import HOME, labels_path
from tests.evals.runner.weaving import GOLDS, Mill, case, lines
from tests.service.commands.command_line import sqlassay


@pytest.fixture
def mill(tmp_path: Path) -> Mill:
    return Mill(tmp_path)


ANSWERS: dict[str, str | None] = {
    "count": "SELECT COUNT(id) FROM looms",
    "names": "SELECT name, town FROM looms JOIN mills ON mills.id = looms.mill WHERE town = 'Asker'",
    "widest": "SELECT name FROM looms WHERE width > 120",
    "towns": "SELECT town FRM mills WHERE",
}


def test_each_answer_is_checked_compared_with_gold_and_scored(mill: Mill) -> None:
    found = mill.recorded(ANSWERS, "--databases", mill.databases)
    assert {name: each["equivalence"] for name, each in found.items()} == {
        "count": "equivalent",
        "names": "partially_equivalent",
        "widest": "different",
        "towns": "skipped",
    }
    assert {name: each["pass"] for name, each in found.items()} == {
        "count": True,
        "names": True,
        "widest": False,
        "towns": False,
    }
    assert [each["parse_ok"] for each in found.values()] == [True, True, True, False]
    assert [each["grounding_ok"] for each in found.values()] == [True, True, True, None]
    count = found["count"]
    assert 0 <= count["score"] <= 100
    assert 0 <= count["p_correct"] <= 1
    assert count["compared_by"] == "database"
    assert (count["backend"], count["backend_metadata"]) == ("recorded", {"model": "tiny"})
    assert (count["schema"], count["complexity"], count["category"]) == ("weaving", "easy", "looms")
    assert (count["question"], count["gold_sql"]) == GOLDS["count"]
    assert found["towns"]["rationale"].startswith("it does not parse")


def test_the_summary_has_each_rate_with_its_interval_overall_and_by_slice(mill: Mill) -> None:
    mill.recorded(ANSWERS, "--databases", mill.databases)
    summary = mill.summary()
    rates = {name: summary[name] for name in ("pass_rate", "parse_rate", "grounding_rate", "equivalence_rate")}
    assert rates == {"pass_rate": 0.5, "parse_rate": 0.75, "grounding_rate": 1.0, "equivalence_rate": 0.25}
    for name in rates:
        low, high = summary[f"{name}_interval"]
        assert 0 <= low <= summary[name] <= high <= 1
    easy = summary["slices"]["complexity"]["easy"]
    assert (easy["pass_rate"], easy["cases"]) == (1.0, 1)
    assert summary["slices"]["model"]["tiny"]["pass_rate"] == 0.5
    named = {"schema", "complexity", "category", "model", "db_id", "difficulty", "question_kind"}
    assert named == set(summary["slices"])
    page = (mill.folder / "run" / "report.html").read_text()
    assert "<svg" in page
    assert "http" not in page


INVENTING: dict[str, str | None] = {
    "count": "SELECT COUNT(*) FROM loom_list",
    "widest": "SELECT name, colour FROM looms",
}


def test_invented_tables_and_columns_are_named(mill: Mill) -> None:
    found = mill.recorded(INVENTING, "--databases", mill.databases)
    assert found["count"]["grounding_ok"] is False
    assert found["count"]["hallucinated_tables"] == ["loom_list"]
    assert found["widest"]["hallucinated_columns"] == ["looms.colour"]
    assert found["widest"]["equivalence"] == "skipped"
    assert mill.summary()["grounding_rate"] == 0.0


@pytest.mark.parametrize("source", ["database", "ddl", "catalogue", "catalogues", "folder"])
def test_names_are_looked_up_in_a_database_ddl_or_a_catalogue(mill: Mill, tmp_path: Path, source: str) -> None:
    catalogue = {"tables": [{"name": "looms", "columns": [{"name": "id"}, {"name": "name"}]}]}
    (tmp_path / "one.json").write_text(json.dumps(catalogue))
    (tmp_path / "all.json").write_text(json.dumps({"weaving": catalogue, "other": {"tables": [{"name": "x"}]}}))
    where = {
        "database": Sources(databases=str(mill.databases)),
        "ddl": Sources(schemas=str(mill.ddl)),
        "catalogue": Sources(schemas=str(tmp_path / "one.json")),
        "catalogues": Sources(schemas=str(tmp_path / "all.json")),
        "folder": Sources(schemas=str(tmp_path)),
    }
    schema = CaseSchemas(where[source]).found("weaving")
    assert isinstance(schema, CaseSchema)
    for sql, tables, columns in (
        (INVENTING["count"], ("loom_list",), ()),
        (INVENTING["widest"], (), ("looms.colour",)),
    ):
        parsed = parse_query(sql or "", None)
        assert isinstance(parsed, Parsed)
        found = unknown_names(parsed, schema.tables)
        assert (found.tables, found.columns) == (tables, columns)


def test_names_are_not_checked_where_no_schema_is_known_or_wanted(mill: Mill) -> None:
    answers: dict[str, str | None] = {"count": "SELECT COUNT(*) FROM loom_list"}
    assert mill.recorded(answers, out="blind")["count"]["grounding_ok"] is None
    assert mill.summary("blind")["grounding_rate"] is None
    found = mill.recorded(answers, "--databases", mill.databases, "--no-grounding", out="unchecked")
    assert found["count"]["grounding_ok"] is None
    assert found["count"]["rationale"].startswith("the answer gives no result: no such table")


@pytest.mark.slow  # takes over a second
def test_ddl_compares_where_there_is_no_database_and_inferred_tables_where_there_is_no_ddl(mill: Mill) -> None:
    by_schema = mill.recorded(ANSWERS, "--schemas", mill.ddl, out="by_schema")
    assert [each["compared_by"] for each in by_schema.values()] == ["schema", "schema", "schema", None]
    assert by_schema["count"]["equivalence"] == "equivalent"
    assert by_schema["widest"]["equivalence"] == "different"
    inferred = mill.recorded(ANSWERS, out="inferred")
    assert {each["compared_by"] for each in inferred.values()} == {"inferred", None}
    assert inferred["widest"]["equivalence"] == "different"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["{not json"], "line 1: it is not JSON"),
        (["[1]"], "line 1: it is an array"),
        ([case("count"), {**case("names"), "question": None}], "line 2: question"),
        ([{name: value for name, value in case("count").items() if name != "gold_sql"}], "line 1: gold_sql is missing"),
        ([{name: value for name, value in case("count").items() if name != "complexity"}], "complexity is missing"),
        ([case("count"), case("names"), case("count")], "line 3: case_id 'count' is that of line 1 too"),
        ([case("count", gold_sql="SELECT FROM WHERE")], "line 1: gold_sql does not parse"),
        ([case("count", gold_sql="SELECT {a FROM t")], "line 1: gold_sql does not parse"),
        ([case("count", gold_sql="DROP TABLE looms")], "line 1: gold_sql does not parse"),
        ([case("count", metadata={})], "line 1: metadata.db_id is missing"),
        ([case("count", metadata={"db_id": "../weaving"})], "line 1: metadata.db_id"),
        ([case("count", metadata={"db_id": "./weaving"})], "'./weaving' is no name of a database"),
        ([case("count", question="a\0b")], "line 1: question holds U+0000"),
        ([case("count", golds="SELECT 1")], "line 1: golds: Input should be a valid list"),
        ([case("count", golds=["SELECT 1", ""])], "line 1: golds.1: String should have at least 1"),
        ([case("count", golds=["SELECT 1", "  "])], "line 1: golds.1 is blank"),
        ([case("count", golds=["SELEC 1"])], "line 1: gold_sql does not parse"),
        ([case("count", golds=["SELECT 1"] * 16)], "line 1: golds: List should have at most 15"),
        (["", "  "], "holds no case"),
    ],
)
def test_a_bad_benchmark_is_refused_with_line_numbers(mill: Mill, rows: list[Any], said: str) -> None:
    lines(mill.benchmark, rows)
    predictions = mill.predictions({"count": "SELECT 1"})
    text = mill.run(
        "--backend", "recorded", "--predictions", predictions, "--databases", mill.databases, code=2
    )  # fmt: skip
    assert said in text
    assert not (mill.folder / "run").exists()


def test_every_fault_of_a_benchmark_is_named_at_once(mill: Mill) -> None:
    lines(mill.benchmark, ["{", case("count"), "[]", {**case("count"), "case_id": "x", "gold_sql": "SELEC"}])
    text = mill.run("--backend", "recorded", "--predictions", mill.predictions({}), code=2)
    assert all(f"line {number}: " in text for number in (1, 3, 4))
    assert "has 3 faults" in text


def test_a_case_without_a_prediction_fails_and_two_for_one_are_refused(mill: Mill) -> None:
    found = mill.recorded({"count": "SELECT COUNT(*) FROM looms", "names": None}, "--databases", mill.databases)
    assert found["widest"]["error"]["kind"] == "no_prediction"
    assert found["names"]["error"]["kind"] == "no_prediction"
    assert (found["widest"]["pass"], found["widest"]["generated_sql"], found["widest"]["score"]) == (False, None, None)
    twice = lines(mill.folder / "twice.jsonl", [{"case_id": "count", "sql": "SELECT 1"}] * 2)
    assert "line 2: case_id 'count' has a prediction already" in mill.run(
        "--backend", "recorded", "--predictions", twice, out="twice", code=2
    )


def test_a_number_names_a_case_and_a_folder_that_cannot_be_written_is_said(mill: Mill) -> None:
    lines(mill.benchmark, [{**case("count"), "case_id": 7}])
    predictions = lines(mill.folder / "seven.jsonl", [{"case_id": 7, "sql": "SELECT COUNT(*) FROM looms"}])
    mill.run("--backend", "recorded", "--predictions", predictions, "--databases", mill.databases)
    assert [(each["case_id"], each["pass"]) for each in mill.records()] == [("7", True)]
    (mill.folder / "file").write_text("")
    assert "cannot write" in mill.run("--backend", "recorded", "--predictions", predictions, out="file", code=2)
    assert "itself" in mill.run(
        "--backend", "recorded", "--predictions", predictions, "--fail-on-regression", mill.folder / "run", code=2
    )


def test_filters_choose_the_cases(mill: Mill) -> None:
    def chosen(*options: str) -> list[str]:
        out = "-".join(options)
        return list(mill.recorded({}, *options, out=out))

    assert chosen("--complexity", "easy") == ["count"]
    assert chosen("--complexity", "hard", "--limit", "2") == ["names", "widest"]
    assert chosen("--schema", "weaving", "--category", "looms") == list(GOLDS)
    assert "no case" in mill.run(
        "--backend", "recorded", "--predictions", mill.predictions({}), "--schema", "x", code=2
    )


def test_an_answer_passes_when_any_of_several_golds_gives_its_rows(mill: Mill) -> None:
    further = ["SELECT name FROM looms -- every loom", "SELECT width FROM looms;", "SELECT {id, mill} FROM looms"]
    lines(mill.benchmark, [case(name, golds=further) for name in GOLDS])
    answers: dict[str, str | None] = {
        "count": "SELECT mill FROM looms",
        "names": "SELECT name FROM looms",
        "widest": "SELECT name FROM looms WHERE width = 120",
        "towns": "SELECT width + 1 FROM looms",
    }
    for place in (("--databases", mill.databases), ("--schemas", mill.ddl)):
        found = mill.recorded(answers, *place, out=place[0])
        assert [each["equivalence"] for each in found.values()] == ["equivalent"] * 3 + ["different"]


def test_several_samples_of_a_case_show_how_far_the_agent_agrees_with_itself(mill: Mill) -> None:
    rows = [
        {"case_id": "count", "sql": sql}
        for sql in ("SELECT COUNT(*) FROM looms", "SELECT COUNT(id) FROM looms", "SELECT 1")
    ]
    predictions = lines(mill.folder / "samples.jsonl", rows)
    mill.run(
        "--backend", "recorded", "--predictions", predictions, "--samples", "3", "--limit", "1",
        "--databases", mill.databases,
    )  # fmt: skip
    summary = mill.summary()
    assert [each["sample"] for each in mill.records()] == [1, 2, 3]
    assert summary["self_agreement"] == {"cases": 1, "pairs": 0.3333, "unanimous": 0.0}
    assert (summary["cases"], summary["answers"], summary["pass_rate"]) == (1, 3, 0.6667)


@pytest.mark.slow  # takes over a second
def test_an_order_to_the_database_runs_nothing(mill: Mill) -> None:
    answers: dict[str, str | None] = {
        "count": "DELETE FROM looms",
        "names": "ATTACH DATABASE '/tmp/x' AS y",
        "widest": "SELECT 1; DROP TABLE looms",
        "towns": "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n",
    }
    found = mill.recorded(answers, "--databases", mill.databases, "--seconds", "0.3")
    assert not any(each["pass"] for each in found.values())
    assert "0.3 s" in found["towns"]["rationale"]
    again = mill.recorded(ANSWERS, "--databases", mill.databases, out="after")
    assert again["count"]["pass"] is True


def test_a_match_of_empty_results_is_doubted_where_the_queries_differ_elsewhere(mill: Mill) -> None:
    gold = "SELECT name FROM looms WHERE width = 7"
    lines(mill.benchmark, [case("widest", gold_sql=gold), case("count", gold_sql=gold)])
    answers: dict[str, str | None] = {"widest": "SELECT name FROM looms WHERE width < 0", "count": gold}
    found = mill.recorded(answers, "--databases", mill.databases)
    assert found["widest"]["doubt"].startswith("both results are empty")
    assert found["count"]["doubt"] is None
    assert mill.summary()["doubtful"] == 1


def test_a_match_by_a_tied_row_is_doubted_where_the_queries_differ_without_ties(mill: Mill) -> None:
    gold = "SELECT name FROM looms ORDER BY width DESC LIMIT 1"
    lines(mill.benchmark, [case("widest", gold_sql=gold), case("count", gold_sql=gold)])
    answers: dict[str, str | None] = {"widest": "SELECT name FROM looms WHERE id = 3", "count": f"{gold} OFFSET 0"}
    found = mill.recorded(answers, "--databases", mill.databases)
    assert [each["equivalence"] for each in found.values()] == ["equivalent", "equivalent"]
    assert found["widest"]["doubt"].startswith("the gold SQL keeps one of several tied rows")
    assert found["count"]["doubt"] is None


def test_gold_sql_whose_result_is_open_is_named_whatever_the_answer_is(mill: Mill) -> None:
    golds = {
        "count": "SELECT name FROM looms LIMIT 2",
        "names": "SELECT name FROM looms ORDER BY width DESC LIMIT 1",
        "widest": "SELECT town FROM mills JOIN looms ON looms.mill = mills.id",
        "towns": "SELECT town FROM mills ORDER BY town",
    }
    lines(mill.benchmark, [case(each, gold_sql=gold) for each, gold in golds.items()])
    answers: dict[str, str | None] = {"count": "SELEC", "widest": golds["widest"], "towns": golds["towns"]}
    found = mill.recorded(answers, "--databases", mill.databases)
    codes = {name: {doubt["code"] for doubt in each["gold_doubts"]} for name, each in found.items()}
    assert codes == {
        "count": {"limit_without_order", "row_order"},
        "names": {"limit_cuts_tie", "row_order"},
        "widest": {"repeated_rows"},
        "towns": set(),
    }
    assert mill.summary()["gold_doubts"] == {
        "row_order": 2, "limit_cuts_tie": 1, "limit_without_order": 1, "repeated_rows": 1
    }  # fmt: skip
    assert "limit_cuts_tie" in (mill.folder / "run" / "report.html").read_text()
    blind = mill.recorded(answers, out="blind")
    assert [[each["code"] for each in line["gold_doubts"]] for line in blind.values()] == [
        ["limit_without_order"], [], [], [],
    ]  # fmt: skip


def test_names_of_people_who_write_html_stay_text(mill: Mill) -> None:
    lines(mill.benchmark, [case("count", question="<script>alert(1)</script> How many looms?")])
    mill.recorded({"count": "SELECT '</pre><script>' FROM looms"})
    assert "<script>" not in (mill.folder / "run" / "report.html").read_text()


@pytest.mark.slow
@pytest.mark.development_data("judge/dev_spider_ex.jsonl")
@pytest.mark.development_data("spider_db")
def test_execution_verdicts_agree_with_labels_made_on_many_databases(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in labels_path("dev_spider_ex").read_text().splitlines()]
    cases = [
        {
            "case_id": row["id"],
            "question": row["question"],
            "gold_sql": row["reference_sql"],
            "schema": row["db_id"],
            "complexity": "",
            "category": "",
            "metadata": {"db_id": row["db_id"]},
        }
        for row in rows
    ]
    benchmark = lines(tmp_path / "b.jsonl", cases)
    predictions = lines(tmp_path / "p.jsonl", [{"case_id": row["id"], "sql": row["sql"]} for row in rows])
    done = sqlassay(
        "eval", "run", "--benchmark", str(benchmark), "--backend", "recorded", "--predictions", str(predictions),
        "--databases", str(HOME / "spider_db"), "--out", str(tmp_path / "out"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in (tmp_path / "out" / "cases.jsonl").read_text().splitlines()]
    expected = [row["label"] == 1 for row in rows]
    agreed = [(each["equivalence"] == "equivalent") is label for each, label in zip(found, expected, strict=True)]
    assert sum(agreed) / len(agreed) >= 0.97
    explained = [each for each, right in zip(found, agreed, strict=True) if not right]
    assert all("ties" in each["rationale"] or "both_empty" in each["rationale"] for each in explained)


QUALIFIED: dict[str, str | None] = {
    "count": "SELECT COUNT(*) FROM weaving.mills",
    "names": "SELECT l.name FROM weaving.looms AS l JOIN weaving.mills AS m ON l.mill = m.id",
    "widest": "SELECT name FROM weaving.looms WHERE id = 120",
    "towns": "SELECT t.id FROM weaving.mills AS t ORDER BY t.id",
}
"""Another table, a filter left out, another column, another column again."""


@pytest.mark.parametrize("declared", [True, False], ids=["declared", "inferred"])
def test_wrong_answers_with_qualified_names_do_not_pass(mill: Mill, declared: bool) -> None:
    golds = [case(each) for each in GOLDS]
    for each in golds:
        for table in ("looms", "mills"):
            each["gold_sql"] = each["gold_sql"].replace(table, f"weaving.{table}")
    lines(mill.benchmark, golds)
    found = mill.recorded(QUALIFIED, "--dialect", "bigquery", *(["--schemas", mill.ddl] if declared else []))
    assert {each["equivalence"] for each in found.values()} == {"different"}
    assert mill.summary()["pass_rate"] == 0.0
    right: dict[str, str | None] = {each["case_id"]: each["gold_sql"] for each in golds}
    mill.recorded(right, "--dialect", "bigquery", "--schemas", mill.ddl, out="right")
    assert mill.summary("right")["pass_rate"] == 1.0


def test_what_was_not_compared_never_passes_and_fails_the_gate_unless_allowed(mill: Mill) -> None:
    gold = "SELECT name FROM looms WHERE REGEXP_CONTAINS(name, r'^A.*a$')"
    lines(mill.benchmark, [case("count"), case("widest", gold_sql=gold)])
    answers = mill.predictions({"count": "SELECT COUNT(id) FROM looms", "widest": gold.replace("^A.*", "^A.*d")})
    options = ("--backend", "recorded", "--predictions", answers, "--dialect", "bigquery", "--schemas", mill.ddl)
    mill.run(*options)
    record = {each["case_id"]: each for each in mill.records()}["widest"]
    assert (record["equivalence"], record["pass"], record["compared_by"]) == ("not_compared", False, None)
    assert "could not compare them" in record["rationale"]
    summary = mill.summary()
    assert (summary["not_compared"], summary["pass_rate"]) == (1, 0.5)
    assert summary["slices"]["complexity"]["hard"]["not_compared"] == 1
    said = mill.run(*options, "--fail-under", "pass=0.5", code=1)
    assert "FAILED: not compared <= 0: 1 answer could not be compared" in said
    said = mill.run(*options, "--fail-under", "pass=0.5", "--allow-not-compared", "1")
    assert "passed: not compared <= 1" in said
    said = mill.run(*options, "--allow-not-compared", "0", code=1)
    assert "FAILED: not compared <= 0: 1 answer could not be compared" in said
    assert "passed: not compared <= 1" in mill.run(*options, "--allow-not-compared", "1")


def test_an_answer_is_not_equivalent_because_no_data_showed_what_it_differs_in(mill: Mill) -> None:
    golds = {"names": "SELECT name FROM looms LIMIT 100000", "widest": "SELECT name FROM looms WHERE SIN(width) < 0.5"}
    lines(mill.benchmark, [case(name, gold_sql=gold) for name, gold in golds.items()])
    answers: dict[str, str | None] = {
        "names": "SELECT name FROM looms",
        "widest": golds["widest"].replace("0.5", "0.499999"),
    }
    found = mill.recorded(answers, "--schemas", mill.ddl)
    assert {each["equivalence"] for each in found.values()} == {"not_compared"}
    assert all("no database that was tried" in each["rationale"] for each in found.values())


@pytest.mark.parametrize("name", ["public.{}", "dbo.{}", "shop.dbo.{}", "`proj.ds.{}`", "weaving.{}", "[a].[dbo].[{}]"])
def test_an_answer_with_qualified_names_is_judged_on_the_database_as_without(mill: Mill, name: str) -> None:
    def qualified(sql: str) -> str:
        return sql.replace("looms AS", f"{name.format('looms')} AS").replace("mills AS", f"{name.format('mills')} AS")

    wrong = "SELECT l.name FROM looms AS l JOIN mills AS m ON l.mill = m.id"
    lines(mill.benchmark, [{**case("names"), "case_id": each} for each in ("names", "wrong", "gone")])
    answers: dict[str, str | None] = {
        "names": qualified(GOLDS["names"][1]),
        "wrong": qualified(wrong),
        "gone": qualified("SELECT m.gone FROM mills AS m"),
    }
    found = mill.recorded(answers, "--databases", mill.databases, "--no-grounding")
    assert [each["equivalence"] for each in found.values()] == ["equivalent", "different", "different"]
    assert {each["compared_by"] for each in found.values()} == {"database"}
    assert "no such column" in found["gone"]["rationale"]


def test_a_schema_is_read_in_the_dialect_of_the_case_and_named_when_it_cannot_be(mill: Mill) -> None:
    mill.ddl.write_text(
        "CREATE TABLE [shop].[dbo].[mills] ([id] INT NOT NULL, [town] NVARCHAR(9), CONSTRAINT PK PRIMARY KEY CLUSTERED"
        " (id ASC) WITH (PAD_INDEX = OFF) ON [PRIMARY]) ON [PRIMARY]\nGO\n"
    )
    named = {"db_id": "weaving", "dialect": "tsql"}
    lines(
        mill.benchmark,
        [case("towns", gold_sql="SELECT [town] FROM [shop].[dbo].[mills] WHERE [id] > 3", metadata=named)],
    )
    answers = mill.predictions({"towns": "SELECT TOP 5 [city] FROM [mills]"})
    said = mill.run("--backend", "recorded", "--predictions", answers, "--schemas", mill.ddl)
    assert "does not parse" not in said
    assert mill.records()[0]["hallucinated_columns"] == ["mills.city"], mill.records()
    mill.ddl.write_text("CREATE TABLE [mills] ([id] INT, town TEXT")
    said = mill.run("--backend", "recorded", "--predictions", answers, "--schemas", mill.ddl, out="broken")
    assert f"schema in {mill.ddl}: the schema does not parse" in said
