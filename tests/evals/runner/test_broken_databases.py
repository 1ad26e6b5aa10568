"""A database that is damaged or gone when the queries run: its cases fail with that reason, and the run goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.evals.runner.agent_server import Reply, agent_server, as_json
from tests.evals.runner.weaving import GOLDS, Mill, case, lines

Spoil = Callable[[bytes], bytes]
GOLD_ANSWERS: dict[str, str | None] = {case_id: gold for case_id, (_, gold) in GOLDS.items()}
PAGE = 4096


@pytest.fixture
def mill(tmp_path: Path) -> Mill:
    return Mill(tmp_path)


def spoil(mill: Mill, change: Spoil) -> None:
    file = mill.databases / "weaving.sqlite"
    file.write_bytes(change(file.read_bytes()))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda held: b"no database" * 1000, "file is not a database"),
        (lambda held: held[:PAGE], "malformed"),
        (lambda held: b"", "is empty"),
    ],
)
def test_every_case_of_a_damaged_database_fails_and_none_is_compared_elsewhere(mill: Mill, change: Spoil, said: str):
    spoil(mill, change)
    found = mill.recorded(GOLD_ANSWERS, "--databases", mill.databases, "--schemas", mill.ddl)
    assert {each["error"]["kind"] for each in found.values()} == {"database"}
    for each in found.values():
        assert said in each["error"]["detail"]
        assert (each["pass"], each["equivalence"], each["compared_by"]) == (False, "not_compared", None)
        assert "database cannot be used" in each["rationale"]
    assert (mill.summary()["failures"], mill.summary()["pass_rate"]) == (len(GOLDS), 0.0)


def test_a_damaged_table_fails_the_cases_that_read_it_and_no_others(mill: Mill) -> None:
    # the first table of the file is on its second page
    spoil(mill, lambda held: held[:PAGE] + b"\xff" * PAGE + held[2 * PAGE :])
    found = mill.recorded(GOLD_ANSWERS, "--databases", mill.databases)
    assert {name for name, each in found.items() if each["error"] is not None} == {"names", "towns"}
    assert {name for name, each in found.items() if each["pass"]} == {"count", "widest"}


def test_a_database_that_vanishes_during_a_run_fails_the_cases_after_it(mill: Mill) -> None:
    def reply(path: str, asked: dict[str, Any], before: int) -> Reply:
        if before == 2:
            (mill.databases / "weaving.sqlite").unlink()
        return as_json({"sql": GOLDS[asked["case_id"]][1]})

    with agent_server(reply) as agent:
        mill.run("--backend", agent.url, "--databases", mill.databases, "--concurrency", "1")
    found = mill.records()
    assert [each["pass"] for each in found] == [True, True, False, False]
    assert [each["error"] and each["error"]["kind"] for each in found] == [None, None, "database", "database"]
    assert "there is no database" in found[2]["error"]["detail"]


def test_samples_of_a_case_without_its_database_are_compared_as_texts(mill: Mill) -> None:
    spoil(mill, lambda held: b"no database" * 1000)
    lines(mill.benchmark, [case("count")])
    rows = [{"case_id": "count", "sql": f"SELECT COUNT({each}) FROM looms"} for each in ("*", "*", "id")]
    predictions = lines(mill.folder / "samples.jsonl", rows)
    options = ("--predictions", predictions, "--samples", "3", "--databases", mill.databases)
    mill.run("--backend", "recorded", *options)
    assert mill.summary()["self_agreement"]["pairs"] == 0.3333
