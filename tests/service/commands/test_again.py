"""`backfill`, `forget` and `migrate` on a database with events in it."""

from __future__ import annotations

import asyncio
import json
import subprocess
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from consumers.evaluation.event_evaluation import evaluate
from consumers.wire.events import decode_event
from scoring.evaluation import conclude, examine
from scoring.rules import Rules
from scoring.verdict import Case
from service.judges.weights import local_judge
from service.settings.storage_settings import DatabaseSettings
from service.storage.database import create_engine
from service.storage.scores.score_store import PostgresScores
from tests.service.commands import command_line


@pytest.fixture
async def engine(database):
    opened = create_engine(database, DatabaseSettings())
    now = datetime.now(UTC)
    rows = []
    for id_ in ("1", "2"):
        event = decode_event(
            {"event_id": id_, "tenant": "bakers", "question": "How many loaves?", "sql": "SELECT COUNT(*) FROM loaves"},
            require_id=True,
        )
        case = examine(event.query(), Rules())
        assert isinstance(case, Case)
        rows.append(evaluate(event, conclude(case, local_judge().judge(case)), Rules(), now))
    await PostgresScores(opened).record(rows)
    yield opened
    await opened.dispose()


@pytest.fixture
def sqlassay(database):
    """Runs a command on this test's database."""
    url = database.render_as_string(hide_password=False)

    async def run(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        return await asyncio.to_thread(command_line.sqlassay, *arguments, SQLASSAY_DATABASE__URL=url, **settings)

    return run


async def count(engine, condition: str) -> int:
    async with engine.connect() as connection:
        return await connection.scalar(text(f"SELECT count(*) FROM evaluations WHERE {condition}"))


async def test_a_backfill_prints_its_cost_and_scores_only_with_yes(engine, sqlassay):
    printed = await sqlassay("backfill", "--tenant", "bakers")
    assert (printed.returncode, printed.stdout) == (0, "")
    estimate = json.loads(printed.stderr.splitlines()[0])
    assert estimate == {"events": 2, "already": 2, "model_calls": 0, "tokens": 0, "cost": 0.0, "withheld": 0}
    assert "--yes" in printed.stderr
    assert await count(engine, "trigger = 'backfill'") == 0


@pytest.mark.slow  # several commands
async def test_other_rules_give_separate_rows_that_can_be_made_current(engine, sqlassay, tmp_path):
    rules = tmp_path / "rules.json"
    rules.write_text('{"lambda_min": 7}')
    assert (await sqlassay("rules", "set", "bakers", str(rules))).returncode == 0
    done = await sqlassay("backfill", "--tenant", "bakers", "--yes")
    assert json.loads(done.stdout)["scored"] == 2
    assert await count(engine, "current AND rules_version = 0") == 2
    done = await sqlassay("backfill", "--tenant", "bakers", "--make-current", "--yes")
    assert json.loads(done.stdout)["already"] == 2
    assert (await count(engine, "current AND rules_version = 1"), await count(engine, "true")) == (2, 4)
    back = await sqlassay("backfill", "--tenant", "bakers", "--rules-version", "0", "--make-current", "--yes")
    assert json.loads(back.stdout)["already"] == 2
    assert await count(engine, "current AND rules_version = 0") == 2


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--tenant", "nobody"), 1, "no events"),
        (("--judge", "oracle"), 2, "oracle"),
        (("--judge", "llm", "--yes"), 2, "SQLASSAY_JUDGE__BASE_URL"),
        (("--rules-version", "3"), 2, "--tenant"),
        (("--rules-version", "3", "--tenant", "bakers"), 2, "no rules version 3"),
        (("--since", "soon"), 2, "ISO 8601"),
    ],
)
async def test_a_backfill_that_is_not_possible_says_why(engine, sqlassay, arguments, code, said):
    done = await sqlassay("backfill", *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr


@pytest.mark.slow  # takes over a second
async def test_a_backfill_with_memory_changes_the_rows_in_place(engine, sqlassay):
    done = await sqlassay("backfill", "--tenant", "bakers", "--memory", "--yes")
    assert json.loads(done.stdout) == {"scored": 2, "not_judged": 0, "cost": 0.0}
    assert await count(engine, "context IS NOT NULL AND current AND p_alone = p_correct") == 2
    assert await count(engine, "true") == 2
    refused = await sqlassay("backfill", "--memory", "--make-current")
    assert refused.returncode == 2
    assert "--make-current" in refused.stderr


ELSEWHERE = ("logs, traces and backups", "disk of postgresql", "prometheus")


async def test_forgotten_events_are_counted_and_cannot_be_scored_again(engine, sqlassay):
    done = await sqlassay("forget", "--tenant", "bakers", "--event", "1")
    kept = "evaluations event_keys labels feedback references deferred remembered canaries watched alarms".split()
    kept += "tokens audit rules replies dead_letters".split()
    printed = json.loads(done.stdout)
    assert set(printed.pop("stays")) == {"evaluations", "event_keys", *ELSEWHERE}
    assert (done.returncode, printed) == (0, {**dict.fromkeys(kept, 0), "evaluations": 1})
    printed = await sqlassay("backfill", "--tenant", "bakers")
    assert json.loads(printed.stderr.splitlines()[0])["events"] == 1
    assert json.loads(printed.stderr.splitlines()[0])["withheld"] == 1


async def test_forget_can_be_run_again_after_a_dependency_was_down(engine, sqlassay):
    done = await sqlassay("forget", "--tenant", "bakers", SQLASSAY_REDIS__URL="redis://127.0.0.1:1/0")
    assert done.returncode == 3
    assert "Redis" in done.stderr
    assert await count(engine, "NOT withheld") == 0
    again = await sqlassay("forget", "--tenant", "bakers")
    assert (again.returncode, json.loads(again.stdout)["evaluations"]) == (0, 0)


async def test_migrate_creates_the_partitions_of_the_coming_days(engine, sqlassay):
    done = await sqlassay("migrate")
    assert done.returncode == 0
    async with engine.connect() as connection:
        made = await connection.scalar(
            text("SELECT count(*) FROM pg_inherits WHERE inhparent = 'evaluations'::regclass")
        )
    assert made == 10
