"""`docs/sources.csv`: its rows are whole, the files that they name exist, and its commands run."""

from __future__ import annotations

import csv
import json
import re
import shlex
from pathlib import Path

import pytest

from tests.evals.runner.weaving import DDL, GOLDS, Mill, lines
from tests.service.commands.command_line import sqlassay

ROOT = Path(__file__).parents[1]
TABLE = (ROOT / "docs/sources.csv").read_text(encoding="utf-8")
THINGS = list(csv.reader(TABLE.splitlines()))[1:]
ROWS = {"STEF": 41, "SQL-Eval": 19, "Dataface": 31, "HLSemEval": 36, "SpotIt": 34}


def rows(source: str) -> list[list[str]]:
    return [row for name, *row in THINGS if name == source]


def commands() -> list[str]:
    return list(dict.fromkeys(re.findall(r"`sqlassay ([^`]+)`", " ".join(" ".join(row) for row in THINGS))))


@pytest.mark.parametrize("source", ROWS)
def test_each_thing_of_a_source_says_where_it_is_and_what_holds_it(source: str) -> None:
    found = rows(source)
    assert len(found) == ROWS[source]
    for thing, where, test, said in found:
        assert re.match(r"(built|partly|not built)\b", said), thing
        if not said.startswith("not built"):
            assert re.search(r"`(sqlassay|[a-z]+/)", where), thing
            assert re.findall(r"`(tests/[\w/]+\.(?:py|yaml))`", test), thing
        for name in re.findall(r"`([a-z]+/[\w./*-]+)`", where + test):
            assert list(ROOT.glob(name.rstrip("/"))), name


def test_the_page_has_every_source() -> None:
    page = (ROOT / "docs/sources.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)$", page, flags=re.MULTILINE) == list(ROWS)


def test_every_equation_table_and_listing_of_stef_has_its_row() -> None:
    things = " ".join(row[0] for row in rows("STEF"))
    named = {int(number) for number in re.findall(r"\((\d+)\b(?!\.)", things)}
    assert set(range(1, 19)) <= named
    for kind, most in (("Table", 4), ("Listing", 8)):
        for number in range(1, most + 1):
            assert re.search(rf"{kind}s? (\d+ and )?{number}\b|Tables 1 and {number}", things), (kind, number)


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mill:
    """A folder with every file that the commands name."""
    mill = Mill(tmp_path)
    answers = {case_id: gold for case_id, (_, gold) in GOLDS.items()}
    mill.predictions(dict(answers))
    rows = [{"case_id": each, "method": method, "sql": sql} for method in "ab" for each, sql in answers.items()]
    lines(tmp_path / "methods.jsonl", rows)
    (tmp_path / "schema.sql").write_text(mill.ddl.read_text())
    pair = {"id": "one", "sql_a": answers["count"], "sql_b": "SELECT COUNT(id) FROM looms", "schema": DDL}
    question = GOLDS["count"][0]
    compared = {
        "question": question,
        "db_id": "weaving",
        "reference_sql": answers["count"],
        "sql": "SELECT COUNT(id) FROM looms",
    }
    lines(tmp_path / "pairs.jsonl", [{**pair, **compared}])
    monkeypatch.chdir(tmp_path)
    return mill


@pytest.mark.parametrize("command", commands())
def test_every_command_runs(command: str, work: Mill) -> None:
    arguments = shlex.split(command)
    given = any("." in each or each.startswith("-") for each in arguments)
    done = sqlassay(*arguments) if given else sqlassay(*arguments, "--help")
    assert done.returncode == 0, done.stdout + done.stderr
    if given and arguments[0] in {"verify", "compare"} and not {"--explain", "--out"} & set(arguments):
        found = json.loads(done.stdout)
        assert found.get("match", found.get("verdict")) in {"exact", "equivalent_up_to_bound"}, done.stdout
