"""What an agent writes around its SQL is taken off once; names come from a callable too; partial credit says why."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from evals.runner.cleaning import cleaned_sql, looks_plain
from tests.evals.runner.agent_server import Reply, agent_server, as_json
from tests.evals.runner.weaving import DDL, Mill

COUNT = "SELECT COUNT(*) FROM looms"


@pytest.mark.parametrize(
    "text",
    [
        f"```sql\n{COUNT};\n```",
        f"```\n{COUNT}\n```",
        f"Here is the query you asked for:\n\n```sql\n{COUNT}\n```\n\nIt counts the looms.",
        f"First I looked at the tables.\n```json\n[1]\n```\n```sql\n{COUNT}\n```",
        f"Sure! {COUNT}",
        f"The answer is: {COUNT};",
        f"{COUNT};\n\nThis query counts all looms.",
        f"{COUNT}\n\nThis query counts all looms.",
        f"With this query you can select the number: {COUNT}",
        f'{{"sql": "{COUNT}"}}',
        f'```json\n{{"sql": "{COUNT}"}}\n```',
        f'Here it is:\n```json\n{{"sql": "{COUNT};", "why": "a count"}}\n```\nDone.',
        f'```\n{{"query": "{COUNT}"}}\n```',
        f"```sql {COUNT}```",
        f"```{COUNT}```",
        f"```sql {COUNT}; ```",
        f"{COUNT}\n```",
        f"~~~sql\n{COUNT}\n~~~",
        f"~~~\n{COUNT};\n~~~\nThis counts them.",
        f"````sql\n{COUNT}\n````",
        f"```sql\n{COUNT}",
        f"The answer is `{COUNT}`.",
        f"Use `{COUNT};` on the table `looms`.",
        f"Run ``{COUNT}``, and you see it.",
        f"`{COUNT}`",
        f"<think>Perhaps SELECT id FROM looms?</think>\n```sql\n{COUNT}\n```",
        f"```sql\n{COUNT}\n```\nAlternatively:\n```sql\nSELECT MAX(id) FROM looms\n```",
        f"```sql\n{COUNT}\n```\nIf you prefer the names:\n\n```sql\nSELECT name FROM looms\n```",
        f"Instead of a join you could write\n```sql\nSELECT 1 FROM mills\n```\nThe answer is:\n```sql\n{COUNT}\n```",
        f"First attempt:\n```sql\nSELECT id FROM looms\n```\nFinal query:\n```sql\n{COUNT}\n```",
        f"```sql\nSELECT id FROM looms\n```\nBut that is wrong, it lists them.\n```sql\n{COUNT}\n```",
        f"```sql\nCREATE TABLE looms (id INT)\n```\n```sql\n{COUNT}\n```",
        f"<sql>{COUNT};</sql>",
        f"I count them.\n<answer>\n```sql\n{COUNT}\n```\n</answer>",
        f"<query>\n{COUNT}\n</query>\nIt counts the looms.",
        f"You can run `{COUNT}` or, alternatively, `SELECT MAX(id) FROM looms`.",
    ],
)
def test_one_query_is_left(text: str) -> None:
    assert not looks_plain(text)
    assert cleaned_sql(text, "sqlite") == COUNT


@pytest.mark.parametrize(
    "text",
    [
        COUNT,
        f"{COUNT};",
        f"-- how many\n{COUNT}",
        "SELECT name FROM looms WHERE name = 'a; b'",
        "WITH x AS (SELECT 1 AS a)\n\nSELECT a FROM x",
        "(SELECT 1)",
        f"{COUNT}; {COUNT}",
        f"{COUNT}; DROP TABLE looms",
        "INSERT INTO looms SELECT * FROM mills",
        "DELETE FROM looms WHERE id IN (SELECT id FROM mills)",
        "CREATE TABLE x AS SELECT 1",
        "I'm sorry, I cannot select a table.",
        "SELECT FROM WHERE",
        "SELECT name FROM looms -- ```",
        "SELECT '```sql' || name FROM looms",
        "SELECT `name` FROM `looms`",
        "Step 1:\n```sql\nSELECT id FROM mills\n```\nStep 2:\n```sql\nSELECT id FROM looms\n```",
        "```sql\nSELECT id FROM mills\n```\nThen:\n```sql\nSELECT id FROM looms\n```",
        "```python\nprint('SELECT 1')\n```",
        "Use the column `name` of `looms`.",
        "",
    ],
)
def test_what_is_sql_or_holds_no_query_stays(text: str) -> None:
    assert cleaned_sql(text, "sqlite") is None


def test_a_sentence_that_begins_as_a_query_is_taken_off() -> None:
    query = "WITH x AS (SELECT name FROM looms) SELECT name FROM x"
    for start in ("Select the names with this: ", "Select these names from looms like so:\n\n", "SQL: ", "sql\n"):
        assert not looks_plain(start + query)
        assert cleaned_sql(start + query, "sqlite") == query, start


def test_every_backend_is_cleaned_and_the_row_says_so(mill: Mill) -> None:
    wrapped = f"Here you are:\n```sql\n{COUNT}\n```"
    found = mill.recorded({"count": wrapped, "widest": "SELECT name FROM looms WHERE width = 120"})
    assert (found["count"]["generated_sql"], found["count"]["cleaned"]) == (COUNT, True)
    assert found["widest"]["cleaned"] is False
    assert found["count"]["pass"]

    def reply(path: str, asked: dict[str, object], before: int) -> Reply:
        return as_json({"sql": wrapped})

    with agent_server(reply) as agent:
        mill.run("--backend", agent.url, "--limit", "1", out="http")
    (record,) = mill.records("http")
    assert (record["generated_sql"], record["cleaned"], record["pass"]) == (COUNT, True, True)


@pytest.fixture
def mill(tmp_path: Path) -> Mill:
    return Mill(tmp_path)


RESOLVER = f"""
DDL = {DDL!r}

def ddl(db_id):
    return DDL if db_id == "weaving" else ""

async def catalogue(db_id):
    return {{"tables": [{{"name": "looms", "columns": [{{"name": "id"}}, {{"name": "name"}}]}}]}}

def broken(db_id):
    raise RuntimeError("the catalogue is down")
"""


def test_names_are_looked_up_by_a_callable(mill: Mill, monkeypatch: pytest.MonkeyPatch) -> None:
    (mill.folder / "mill_names.py").write_text(RESOLVER)
    monkeypatch.chdir(mill.folder)
    monkeypatch.syspath_prepend(str(mill.folder))
    answers: dict[str, str | None] = {"count": "SELECT COUNT(*) FROM yarns", "widest": "SELECT width FROM looms"}
    found = mill.recorded(answers, "--schemas", "mill_names:ddl", out="ddl")
    assert (found["count"]["hallucinated_tables"], found["widest"]["grounding_ok"]) == (["yarns"], True)
    found = mill.recorded(answers, "--schemas", "mill_names:catalogue", out="catalogue")
    assert found["widest"]["hallucinated_columns"] == ["looms.width"]
    found = mill.recorded(answers, "--schemas", "mill_names:broken", out="broken")
    assert found["count"]["grounding_ok"] is None
    assert "the catalogue is down" in found["count"]["rationale"]
    where = ("--backend", "recorded", "--predictions", mill.folder / "predictions.jsonl")
    assert "no_such" in mill.run(*where, "--schemas", "mill_names:no_such", out="none", code=2)
    sys.modules.pop("mill_names", None)


def test_partial_credit_names_the_further_columns(mill: Mill) -> None:
    answers: dict[str, str | None] = {"widest": "SELECT id, name, mill AS place FROM looms WHERE width = 120"}
    found = mill.recorded(answers, "--databases", mill.databases)["widest"]
    assert (found["equivalence"], found["pass"]) == ("partially_equivalent", True)
    assert found["rationale"] == "the same rows on the database, with further columns: id, place"
    summary = mill.summary()
    assert (summary["pass_rate"], summary["equivalence_rate"]) == (0.25, 0.0)
