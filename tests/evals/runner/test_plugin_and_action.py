"""The pytest plugin and the GitHub Action, as an agent's repository uses them."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import yaml

from service.pytest_plugin import assert_sql_answers
from tests.evals.runner.weaving import GOLDS, Mill, lines

ROOT = Path(__file__).parents[3]
ACTION = ROOT / ".github/actions/eval-gate"
TESTS = """
import pytest
GOLDS = {golds!r}

@pytest.mark.sqlassay_benchmark("benchmark.jsonl", databases="databases")
def test_agent(sqlassay_case, assert_sql_answers):
    sql = "SELECT 7" if sqlassay_case.case_id == "names" else GOLDS[sqlassay_case.case_id][1]
    assert_sql_answers(sqlassay_case, sql)
"""


@pytest.fixture
def mill(tmp_path: Path) -> Mill:
    return Mill(tmp_path)


def why(*arguments: object, **options: object) -> str:
    """What the assertion says; empty when it holds."""
    try:
        assert_sql_answers(*arguments, **options)  # pyright: ignore[reportArgumentType] as a test would call it
    except pytest.fail.Exception as error:
        return str(error)
    return ""


def test_an_answer_is_held_against_its_gold_sql_or_the_judge(mill: Mill) -> None:
    question, gold = GOLDS["count"]
    places = {"databases": mill.databases, "db_id": "weaving"}
    assert why(question, "SELECT COUNT(id) FROM looms", gold_sql=gold, **places) == ""
    assert "other rows on the database" in why(question, "SELECT 7", gold_sql=gold, **places)
    assert "it does not parse" in why(question, "SELEC COUNT(", gold_sql=gold)
    assert "the database has no loom_list" in why(question, "SELECT COUNT(*) FROM loom_list", **places)
    assert "looms.colour" in why(question, "SELECT colour FROM looms", schemas=mill.ddl)
    assert why(question, gold) == ""
    assert "p_correct is" in why(question, "SELECT name FROM looms ORDER BY width LIMIT 3")


@pytest.mark.slow
def test_a_benchmark_is_a_test_for_each_case(mill: Mill) -> None:
    (mill.folder / "test_agent.py").write_text(TESTS.format(golds=GOLDS))
    (mill.folder / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers -p no:cacheprovider\n")
    installed = [each for each in entry_points(group="pytest11") if each.name == "sqlassay"]
    plugin = [] if installed else ["-p", "service.pytest_plugin"]

    def tested() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pytest", "-rA", *plugin, "test_agent.py"]
        path = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": ""}
        return subprocess.run(command, cwd=mill.folder, env=path, capture_output=True, text=True, check=False)

    done = tested()
    assert done.returncode == 1, done.stdout + done.stderr
    assert "3 passed" in done.stdout
    assert "test_agent[names]" in done.stdout
    assert "different: other rows on the database" in done.stdout
    lines(mill.benchmark, ["{"])
    assert "line 1: it is not JSON" in tested().stdout


def test_the_plugin_is_declared_to_pytest() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"sqlassay": "sqlassay.pytest_plugin"}


def gated(mill: Mill, **inputs: str) -> tuple[int, str]:
    """Runs the action's script with inputs, as a runner does; returns the exit code and the page of the job."""
    declared = yaml.safe_load((ACTION / "action.yml").read_text())
    given = {name: str(each.get("default", "")) for name, each in declared["inputs"].items()} | inputs
    named = declared["runs"]["steps"][0]["env"]
    values = {name: given[text.split("inputs.")[1].split(" ")[0]] for name, text in named.items()}
    page = mill.folder / "page.md"
    environment = {
        **os.environ,
        **values,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "GITHUB_ACTION_PATH": str(ACTION),
        "GITHUB_STEP_SUMMARY": str(page),
    }
    done = subprocess.run(
        ["bash", "-c", declared["runs"]["steps"][0]["run"]], cwd=mill.folder, env=environment, check=False,
        capture_output=True,
    )  # fmt: skip
    return done.returncode, page.read_text()


@pytest.mark.slow
def test_the_action_fails_a_pull_request_that_is_below_the_threshold(mill: Mill) -> None:
    right = {case_id: gold for case_id, (_, gold) in GOLDS.items()}
    mill.predictions({**right, "count": "SELECT 7; $(touch pwned)"}, "p $(touch pwned).jsonl")
    inputs = {
        "benchmark": "benchmark.jsonl",
        "predictions": "p $(touch pwned).jsonl",
        "databases": "databases",
        "install": "",
        "options": "--concurrency\n2",
    }
    code, page = gated(mill, **inputs, **{"fail-under": "pass=0.8 parse=0.2"})
    assert (code, "FAILED: pass >= 0.8" in page) == (1, True)
    assert (mill.folder / "eval-run" / "junit.xml").exists()
    assert gated(mill, **{**inputs, "benchmark": "missing.jsonl"})[0] == 2
    assert not (mill.folder / "pwned").exists()


def test_the_example_workflow_uses_the_action_with_inputs_that_it_has() -> None:
    [job] = yaml.safe_load((ROOT / "examples/eval-gate.yml").read_text())["jobs"].values()
    [step] = [each for each in job["steps"] if "/.github/actions/eval-gate@" in each["uses"]]
    declared = yaml.safe_load((ACTION / "action.yml").read_text())["inputs"]
    assert set(step["with"]) <= set(declared)
    assert {name for name, each in declared.items() if each.get("required")} <= set(step["with"])
