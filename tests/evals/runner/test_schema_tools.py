"""`--schemas mcp:TOOL@COMMAND`: names are looked up by a tool of a real MCP server."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from tests.evals.runner import catalog_server
from tests.evals.runner.weaving import Mill

FOUND: dict[str, str | None] = {"count": "SELECT COUNT(*) FROM loom_list", "widest": "SELECT name, colour FROM looms"}


@pytest.fixture
def mill(tmp_path: Path) -> Mill:
    return Mill(tmp_path)


def server_of(mill: Mill) -> str:
    return shlex.join([sys.executable, str(Path(catalog_server.__file__).resolve()), str(mill.folder / "seen.txt")])


@pytest.mark.slow  # starts servers
@pytest.mark.parametrize("tool", ["as_ddl", "as_catalogue"])
def test_a_tool_gives_ddl_or_a_catalogue_by_which_names_are_looked_up(mill: Mill, tool: str) -> None:
    found = mill.recorded(FOUND, "--schemas", f"mcp:{tool}@{server_of(mill)}", "--no-verify")
    assert found["count"]["hallucinated_tables"] == ["loom_list"]
    assert found["widest"]["hallucinated_columns"] == ["looms.colour"]
    calls = (mill.folder / "seen.txt").read_text().splitlines()
    assert set(calls) == {f"{tool} weaving []"}, "it is told the database, and none of our settings"


@pytest.mark.slow  # starts servers
@pytest.mark.parametrize(("tool", "said"), [("broken", "no catalogue of weaving today"), ("nonsense", "nonsense")])
def test_where_a_tool_gives_no_schema_names_are_not_checked_and_the_record_says_why(
    mill: Mill, tool: str, said: str
) -> None:
    found = mill.recorded({"count": FOUND["count"]}, "--schemas", f"mcp:{tool}@{server_of(mill)}", "--no-verify")
    assert found["count"]["grounding_ok"] is None
    assert said in found["count"]["rationale"]


@pytest.mark.parametrize(
    ("place", "named"),
    [
        ("mcp:as_ddl", "is not of the form mcp:TOOL@COMMAND"),
        ("mcp:as_ddl@python 'x", "cannot be read"),
        ("mcp:as_ddl@no-such-program-here", "cannot be used"),
    ],
)
def test_a_tool_that_cannot_be_called_ends_the_command(mill: Mill, place: str, named: str) -> None:
    predictions = mill.predictions(FOUND)
    assert named in mill.run("--backend", "recorded", "--predictions", predictions, "--schemas", place, code=2)


@pytest.mark.slow  # starts a server
def test_a_tool_that_the_server_does_not_offer_is_named_with_those_that_it_does(mill: Mill) -> None:
    predictions = mill.predictions(FOUND)
    place = f"mcp:describe@{server_of(mill)}"
    said = mill.run("--backend", "recorded", "--predictions", predictions, "--schemas", place, code=2)
    assert "no tool 'describe': it offers as_ddl, as_catalogue, broken, nonsense" in said
