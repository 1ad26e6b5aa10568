"""`sqlassay rules read --model`: what a model says of a dictionary becomes rules, as far as the DDL knows its names."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.servers.model_server import ModelServer, model_process_server, model_server
from tests.service.commands.command_line import sqlassay

__all__ = ["model_process_server", "model_server"]

DDL = (
    "CREATE TABLE pots (id INT, glaze CHAR(1), fired_at TIMESTAMP, made_at TIMESTAMP); CREATE TABLE sales (pot_id INT);"
)
WORDS = "Forget anything glazed Z: a trial firing, and nobody ever paid for one. People who say new mean fired."
SAID: dict[str, Any] = {
    "conventions": [
        {"table": "pots", "predicate": "glaze <> 'Z'", "when": [], "required": True},
        {"table": "sales", "predicate": "pots.glaze <> 'Z'", "when": [], "required": True},
        {"table": "kilns", "predicate": "is_cold = 0", "when": [], "required": True},
        {"table": "pots", "predicate": "lid IS NULL", "when": [], "required": True},
        {"table": "pots", "predicate": "glaze = ", "when": [], "required": True},
        {"table": "pots", "predicate": "glaze = 'C'", "when": "clear", "required": True},
    ],
    "codes": {"pots.glaze": {"Z": "trial"}, "pots.is_test": {"1": "test"}, "pots.id": {"0": "no", "1": "yes"}},
    "look_alikes": [{"column": "pots.fired_at", "instead_of": ["pots.made_at", "pots.sold_at"], "when": ["new"]}],
    "units": {"pots.id": 7},
    "fiscal_year": None,
    "time_zones": [
        {"zone": "Asia/Tokyo", "columns": ["pots.fired_at", "pots.sold_at"], "parts": ["day"]},
        {"zone": "kilns.zone", "columns": ["pots.made_at"], "parts": []},
    ],
}


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "pots.sql").write_text(DDL)
    (tmp_path / "pots.md").write_text(WORDS)
    return [str(tmp_path / "pots.md"), str(tmp_path / "pots.sql")]


def read(server: ModelServer, files: list[str], *options: str) -> subprocess.CompletedProcess[str]:
    settings = {
        "SQLASSAY_JUDGE__BASE_URL": server.url,
        "SQLASSAY_JUDGE__MODEL": "reader",
        "SQLASSAY_JUDGE__PRICES": '{"reader": {"sent": 0, "received": 0}}',
        "SQLASSAY_JUDGE__TRIES": "1",
    }
    return sqlassay("rules", "read", *files, "--model", *options, **settings)


def test_what_the_ddl_knows_is_taken_and_the_rest_is_named(model_server: ModelServer, files: list[str]) -> None:
    model_server.script({"do": "text", "text": f"```json\n{json.dumps(SAID)}\n```"})
    done = read(model_server, files)
    assert done.returncode == 0, done.stderr
    rules = json.loads(done.stdout)
    assert [(each["table"], each["predicate"]) for each in rules["conventions"]] == [
        ("pots", "glaze <> 'Z'"),
        ("sales", "pots.glaze <> 'Z'"),
    ]
    assert rules["codes"] == {"pots.glaze": {"Z": "trial"}}
    assert rules["look_alikes"] == [{"column": "pots.fired_at", "instead_of": ["pots.made_at"], "when": ["new"]}]
    assert rules["time_zones"] == [{"zone": "Asia/Tokyo", "columns": ["pots.fired_at"], "parts": ["day"]}]
    for words in (
        "time_zones, 'kilns': no such table",
        "'kilns': no such table",
        "'lid': no such column",
        "'glaze =' is not a predicate",
        "when: Input",
    ):
        assert words in done.stderr


def test_the_model_sees_the_files_as_data(model_server: ModelServer, files: list[str]) -> None:
    model_server.script({"do": "text", "text": json.dumps(SAID)})
    assert read(model_server, files, "--dialect", "mysql").returncode == 0
    system, user = (each["content"] for each in json.loads(model_server.seen()[0]["body"])["messages"])
    assert "You read the data dictionary of one company" in system
    data = json.loads(user.partition("BEGIN DATA\n")[2].partition("\nEND DATA")[0])
    assert (data["dialect"], [each["text"] for each in data["files"]]) == ("mysql", [WORDS, DDL])


@pytest.mark.parametrize(
    ("does", "code", "says"),
    [
        ({"do": "text", "text": "I cannot read this."}, 1, "the model's reply is no JSON object"),
        ({"do": "text", "text": "{}"}, 1, "the files state no convention"),
        ({"do": "status", "status": 401, "headers": {}}, 3, "that writes rules failed"),
    ],
)
def test_a_reply_without_rules_is_no_success(
    model_server: ModelServer, files: list[str], does: dict[str, Any], code: int, says: str
) -> None:
    model_server.script(does)
    done = read(model_server, files)
    assert (done.returncode, done.stdout, says in done.stderr) == (code, "", True), done.stderr


def test_a_dictionary_that_is_too_long_is_sent_to_nobody(model_server: ModelServer, files: list[str]) -> None:
    Path(files[0]).write_text("Pots are pots. " * 6000)
    done = read(model_server, files)
    assert (done.returncode, "give the dictionary in parts" in done.stderr) == (1, True), done.stderr
    assert model_server.seen() == []


def test_without_a_model_the_settings_are_named(files: list[str]) -> None:
    done = sqlassay("rules", "read", *files, "--model")
    assert (done.returncode, "SQLASSAY_JUDGE__MODEL" in done.stderr) == (2, True), done.stderr
