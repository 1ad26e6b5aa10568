"""`sqlassay rules read`: from the files of a dictionary to rules that answers are scored with."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.service.commands.command_line import sqlassay

DDL = "CREATE TABLE shop.pots (id INT, glaze CHAR(1), weight_g INT, is_test BOOLEAN);"
WORDS = "- `pots.glaze`: C clear, M matt.\n- `pots.is_test`: never counts.\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "pots.sql").write_text(DDL)
    (tmp_path / "pots.md").write_text(WORDS)
    return [str(tmp_path / "pots.md"), str(tmp_path / "pots.sql")]


def test_what_is_printed_is_rules_that_score_reads(files: list[str], tmp_path: Path) -> None:
    done = sqlassay("rules", "read", *files, "--dialect", "postgres")
    rules = json.loads(done.stdout)
    assert (done.returncode, rules["dialect"], rules["codes"]) == (
        0,
        "postgres",
        {"pots.glaze": {"C": "clear", "M": "matt"}},
    )
    assert "1 conventions, codes of 1 columns" in done.stderr
    (tmp_path / "rules.json").write_text(done.stdout)
    sql = "SELECT COUNT(*) FROM shop.pots WHERE glaze = 'clear'"
    scored = sqlassay(
        "score", "-q", "How many clear pots?", "--sql", sql, "--rules", str(tmp_path / "rules.json"), "--json"
    )
    codes = {each["code"] for each in json.loads(scored.stdout)["reasons"]}
    assert {"CONVENTION_MISSING", "CODE_UNKNOWN"} <= codes


def test_the_rules_go_to_a_file(files: list[str], tmp_path: Path) -> None:
    done = sqlassay("rules", "read", *files, "--out", str(tmp_path / "out.json"))
    assert (done.returncode, done.stdout) == (0, "")
    assert json.loads((tmp_path / "out.json").read_text())["conventions"][0]["table"] == "pots"


def test_a_dictionary_that_states_nothing_is_a_no() -> None:
    done = sqlassay("rules", "read", "-", text="Our shop sells pots.")
    assert (done.returncode, "state no convention" in done.stderr) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(["nowhere.md"], "cannot read nowhere.md"), (["-", "--dialect", "klingon"], "unknown dialect")],
)
def test_what_cannot_be_read_is_named(arguments: list[str], says: str) -> None:
    done = sqlassay("rules", "read", *arguments, text=WORDS)
    assert (done.returncode, says in done.stderr) == (2, True)


async def test_what_a_tenant_states_already_stays(client, database, files: list[str]) -> None:
    url = database.render_as_string(hide_password=False)
    stored = {"lambda_min": 7, "codes": {"pots.glaze": {"C": "see-through"}}}
    assert (await client.put("/v1/tenants/kilns/rules", json=stored)).status_code == 200
    done = await asyncio.to_thread(sqlassay, "rules", "read", *files, "--tenant", "kilns", SQLASSAY_DATABASE__URL=url)
    rules = json.loads(done.stdout)
    assert (done.returncode, rules["lambda_min"], rules["codes"]) == (0, 7, stored["codes"])
    assert [each["predicate"] for each in rules["conventions"]] == ["is_test = FALSE"]
    kept = await asyncio.to_thread(sqlassay, "rules", "set", "kilns", "-", text=done.stdout, SQLASSAY_DATABASE__URL=url)
    assert kept.stdout.strip() == "2"
