"""`sqlassay mcp`, used by the client of the official package over stdin and stdout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from sqlassay import score
from tests.supply.images import ROOT

QUESTION, WRONG = "How many ferries sailed in 2025?", "SELECT COUNT(*) FROM ferries"
RIGHT = "SELECT COUNT(*) FROM ferries WHERE sailed_year = 2025 AND retired_flag = 0"
RULES = {"benign_filters": ["retired_flag = 0"], "codes": {"ferries.state": {"D": "docked"}}, "lambda_min": 500}
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


@asynccontextmanager
async def tools(*options: str) -> AsyncGenerator[Client]:
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "sqlassay", "mcp", *options], env=ENVIRONMENT, cwd=ROOT
    )
    async with Client(command) as client:
        yield client


async def called(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


@pytest.mark.slow  # a process for each conversation
async def test_a_model_can_score_explain_verify_and_read_the_conventions(tmp_path) -> None:
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps(RULES))
    async with tools("--rules", str(rules), "--dialect", "postgresql") as client:
        offered = {each.name: each for each in (await client.list_tools()).tools}
        assert set(offered) == {"score_sql", "explain_score", "verify_equivalent", "house_conventions"}
        assert all(each.description for each in offered.values())

        house = await called(client, "house_conventions")
        assert (house["dialect"], house["benign_filters"]) == ("postgres", RULES["benign_filters"])
        assert (house["codes"], house["safety_limit"]) == (RULES["codes"], 500)

        expected = score(question=QUESTION, sql=WRONG, rules={**RULES, "dialect": "postgres"})
        found = await called(client, "score_sql", question=QUESTION, sql=WRONG)
        assert (found["score"], found["p_correct"]) == (expected.score, expected.p_correct)
        assert [each["code"] for each in found["reasons"]] == [each.code for each in expected.reasons]

        whole = await called(client, "explain_score", question=QUESTION, sql=RIGHT)
        assert whole["score"] > found["score"]
        assert whole["alignment"]["filters"]["benign"]
        assert whole["arithmetic"].endswith(whole["tier"])

        pair = await called(client, "verify_equivalent", sql_a=WRONG, sql_b=RIGHT)
        assert pair["verdict"] == "different"
        assert pair["counterexample"]["tables"]["ferries"]["rows"]
        assert "ferries" in pair["explanation"]


@pytest.mark.slow  # a process for each conversation
async def test_earlier_turns_are_read_and_a_failed_call_says_what_to_change() -> None:
    turns = [{"question": "How many ferries sailed in 2025?", "sql": RIGHT}]
    async with tools() as client:
        sql = "SELECT sailed_month, COUNT(*) FROM ferries WHERE sailed_year = 2025 GROUP BY sailed_month"
        found = await called(client, "score_sql", question="and by month?", sql=sql, history=turns)
        assert found["score"] == score(question="and by month?", sql=sql, history=turns).score
        refused = await client.call_tool("score_sql", {"question": QUESTION, "sql": RIGHT, "dialect": "klingon"})
        assert refused.is_error
        assert "unknown dialect 'klingon': give one such as postgres" in str(refused.content)
        assert (await called(client, "score_sql", question=QUESTION, sql="SELEC"))["unscored"] == "UNPARSEABLE_SQL"


@pytest.mark.parametrize("setup", ["", "MCPServer = None; del MCPServer"])
def test_a_missing_or_old_package_is_named(tmp_path, setup: str) -> None:
    """Without `MCPServer`, the package is one of before 2.0."""
    if setup:
        (tmp_path / "mcp" / "server").mkdir(parents=True)
        (tmp_path / "mcp" / "__init__.py").touch()
        (tmp_path / "mcp" / "server" / "__init__.py").write_text(setup)
    else:
        (tmp_path / "mcp.py").write_text("raise ModuleNotFoundError(\"No module named 'mcp'\", name='mcp')")
    environment = {**ENVIRONMENT, "PYTHONPATH": f"{tmp_path}:{ROOT}"}
    command = [sys.executable, "-m", "sqlassay", "mcp"]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "sqlassay: this command needs mcp 2.3 or later (" in done.stderr
    assert done.stderr.rstrip().endswith("pip install --upgrade 'sqlassay[mcp]'")
