"""What the runbooks tell on-call to run and to open works: SQL, commands, log lines, panels and values of the chart."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from sqlalchemy import URL, text
from sqlalchemy.ext.asyncio import create_async_engine

from tests.command_usage import command_parameters
from tests.deploy.charts import CHART, ROOT

RUNBOOKS = sorted((ROOT / "docs" / "runbooks").glob("SQLAssay*.md"))
TEXT = {path.stem: path.read_text(encoding="utf-8") for path in RUNBOOKS}
CONSOLE_AWAY = {
    *("SQLAssayApiAbsent", "SQLAssayApiFailing", "SQLAssayDown"),
    *("SQLAssayNotScraped", "SQLAssayPostgresDown", "SQLAssaySchemaOutdated"),
}
"""Alerts while which the console may not answer."""
SECTIONS = ("Checks", "Causes", "Fix")


def in_code(pattern: str) -> list[tuple[str, str]]:
    """Each match in the backticks of each runbook, with the runbook's name."""
    quoted = [(name, code) for name, page in TEXT.items() for code in re.findall(r"`([^`]+)`", page)]
    return [(name, found) for name, code in quoted for found in re.findall(pattern, code)]


SQL = in_code(r"""psql "\$SQLASSAY_DATABASE__URL" -c (?:"([^"]+)"|'([^']+)')""")


@pytest.mark.parametrize("path", RUNBOOKS, ids=lambda path: path.stem)
def test_a_runbook_has_every_section_and_numbered_checks(path: Path):
    page = TEXT[path.stem]
    assert re.findall(r"^## (.+)$", page, flags=re.MULTILINE) == list(SECTIONS)
    said = re.findall(r"^\*\*(.+):\*\* ", page, flags=re.MULTILINE)
    # README.md says how to see the end of a failure whose page does not
    assert said in (["Users", "Escalate"], ["Users", "Repaired", "Escalate"])
    checks = page.partition("## Checks")[2].partition("## ")[0]
    assert re.findall(r"^(\d)\. ", checks, flags=re.MULTILINE)[0] == "1"


def alerts_about_an_agent() -> set[str]:
    """The alerts that name an agent. Each carries the address of its incident."""
    rules = yaml.safe_load((ROOT / "deploy" / "prometheus" / "sqlassay.rules.yml").read_text())
    found = {
        each["alert"]: each["annotations"].get("incident_url", "")
        for group in rules["groups"]
        for each in group["rules"]
        if "alert" in each and "$labels.agent" in str(each["annotations"])
    }
    for name, address in found.items():
        assert address.endswith(
            "/console/incidents?tenant={{ urlquery $labels.tenant }}&agent={{ urlquery $labels.agent }}"
        ), name
    return set(found)


@pytest.mark.parametrize("path", RUNBOOKS, ids=lambda path: path.stem)
def test_a_runbook_starts_with_the_page_of_the_console_and_says_where_commands_run(path: Path):
    first = TEXT[path.stem].split("\n\n")[1]
    if path.stem in alerts_about_an_agent():
        assert first.startswith("First its `incident_url` ([incidents](../console.md#incidents))")
    elif path.stem not in CONSOLE_AWAY:
        assert first.startswith("[Status](../console.md#status)")
    commands = in_code(r"^(?:kubectl|sqlassay|curl|psql|docker|kafka-\S+\.sh|pg_\w+) .*")
    if path.stem in {name for name, _ in commands}:
        assert "ommands](README.md#where-commands-run)" in first


async def test_every_statement_of_a_runbook_runs(database: URL):
    engine = create_async_engine(database)
    assert len(SQL) >= 6
    async with engine.connect() as connection:
        for _, (double, single) in SQL:
            await connection.execute(text(double or single))
    await engine.dispose()


def test_every_sqlassay_command_of_a_runbook_exists_with_its_options():
    known = {
        name: {option for each in given for option in (*each.opts, *each.secondary_opts)}
        for name, given in command_parameters().items()
    }
    found = in_code(r"\bsqlassay (?!--)([a-z][a-z -]*?)((?: -{1,2}[a-z-]+(?: [^-\s]\S*)?)*)$")
    assert len(found) > 5
    for name, (command, options) in found:
        whole = f"sqlassay {command.strip()}"
        assert whole in known, (name, whole)
        assert set(re.findall(r"(?<= )--?[a-z-]+", options)) <= known[whole], (name, options)


def test_every_log_line_that_a_runbook_searches_is_written():
    sources = "".join(path.read_text() for path in (ROOT / "service").rglob("*.py"))
    wanted = in_code(r"logs \S+ .*\| grep (?:-E )?'?\"?([a-z_|]+)")
    assert len(wanted) >= 4
    for name, lines in wanted:
        for line in lines.split("|"):
            assert f'"{line}"' in sources, (name, line)


def test_a_backfill_that_a_runbook_names_scores_one_tenant_and_its_rows_are_used():
    given = in_code(r"\bsqlassay (backfill.* --judge llm.*)")
    assert len(given) >= 2
    for name, command in given:
        assert {"--tenant", "--since", "--make-current", "--yes"} <= {*command.split()}, (name, command)


def test_every_panel_that_a_runbook_names_exists():
    boards = [json.loads(path.read_text()) for path in (ROOT / "grafana" / "dashboards").glob("*.json")]
    titles = {panel["title"] for board in boards for panel in board["panels"]}
    for name, page in TEXT.items():
        for sentence in re.findall(r"(?:panels?|\*Judge\*,|and) (\"[^\n]+)", page):
            for title in re.findall(r'"([^"]+)"', sentence):
                assert title in titles, (name, title)


def test_every_value_of_the_chart_that_a_runbook_names_exists():
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    tops = "|".join(values)
    named = in_code(rf"^((?:{tops})(?:\.[A-Za-z]+)+)$")
    assert len(named) > 3
    for name, path in named:
        held = values
        for key in path.split("."):
            assert key in held, (name, path)
            held = held[key]
