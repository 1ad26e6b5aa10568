"""Stored scores to a file and back: each once, under another version, however often, in bounded memory."""

from __future__ import annotations

import asyncio
import csv
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from consumers.evaluation.event_evaluation import Evaluation, evaluate
from consumers.wire.events import decode_event
from scoring.evaluation import conclude, examine
from scoring.query import Unscored, UnscoredReason
from scoring.rules import Rules
from scoring.verdict import Case
from service.commands.files.formats import ScoredFiles
from service.commands.score_lines import LocalScorer
from service.commands.transfer import import_scores as importing
from service.judges.weights import local_judge
from service.storage.scores import exported_rows as exporting
from service.storage.scores.evaluation_pages import EvaluationFilter
from service.storage.scores.score_store import PostgresScores
from tests.service.commands import command_line
from tests.storage.conftest import NOW

LOCAL = local_judge()
Command = Callable[..., Any]


def stored(id_: str, rules: Rules = Rules(), **fields) -> Evaluation:  # noqa: B008 frozen
    said = {"question": f"How many loaves of kind {id_} were sold last month?", "sql": "SELECT COUNT(*) FROM loaves"}
    event = decode_event({"event_id": id_, "tenant": "bakers", "agent": "oven", **said, **fields}, require_id=True)
    case = examine(event.query(), rules)
    assert isinstance(case, Case)
    end = conclude(case, replace(LOCAL.judge(case), judge="local/older"))
    return evaluate(event, end, rules, NOW, timestamp=NOW - timedelta(hours=3))


@pytest.fixture
def sqlassay(url) -> Command:
    setting = {"SQLASSAY_DATABASE__URL": url.render_as_string(hide_password=False)}

    async def run(*arguments: str, **kwargs):
        return await asyncio.to_thread(command_line.sqlassay, *arguments, **setting, **kwargs)

    return run


async def rows(engine, columns: str = "*") -> list[dict[str, Any]]:
    async with engine.connect() as connection:
        found = await connection.execute(text(f"SELECT {columns} FROM evaluations ORDER BY tenant, event_id, id"))
        return [dict(row) for row in found.mappings()]


async def record(engine, *evaluations: Evaluation) -> None:
    await PostgresScores(engine, clock=lambda: NOW).record(list(evaluations))


def scored_again(exported: Path, target: Path) -> None:
    LocalScorer(Rules(), LOCAL).score_file(ScoredFiles(str(exported), str(target)))


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
async def test_exported_answers_that_are_scored_and_imported_are_a_new_version_once(engine, sqlassay, tmp_path, suffix):
    timed = stored("timed", occurred_at="2026-10-05T08:00:00Z", agent_version="2", attributes={"team": "north"})
    await record(
        engine, timed, stored("timeless"), stored("elsewhere", source="/shop/1"), stored("x", tenant="millers")
    )
    await record(engine, stored("enriched", enriched_question="How many loaves of the kind enriched were sold?"))
    out, again = tmp_path / f"out.{suffix}", tmp_path / f"again.{suffix}"
    done = await sqlassay("export", "--tenant", "bakers", "--out", str(out))
    assert (done.returncode, done.stderr) == (0, "exported 4\n")
    scored_again(out, again)
    before = await rows(engine)
    done = await sqlassay("import", str(again), "--tenant", "bakers")
    assert (done.returncode, json.loads(done.stdout)["added"]) == (0, 4)
    after = await rows(engine)
    new = [each for each in after if each["id"] not in {row["id"] for row in before}]
    assert [each for each in after if each not in new] == before
    originals = {each["event"]: each for each in before}
    for each in new:
        original = originals[each["event"]]
        assert (each["judge"], each["current"], each["trigger"]) == (LOCAL.name, False, "backfill")
        for name in (
            "occurred_at",
            "source",
            "question",
            "sql",
            "agent_version",
            "attributes",
            "p_alone",
            "enrichment_score",
            "score",
        ):
            assert each[name] == original[name], name
        # relative dates were anchored as they were at first
        assert {**each["record"], "judge": "local/older"} == original["record"]
        assert datetime.fromtimestamp((each["id"].int >> 80) / 1000, UTC) == each["occurred_at"]
    second = await sqlassay("import", str(again))
    assert (second.returncode, json.loads(second.stdout)["already"], json.loads(second.stdout)["added"]) == (0, 4, 0)
    assert await rows(engine) == after


async def test_imported_scores_become_current_when_asked_and_one_alone_is(engine, sqlassay, tmp_path):
    await record(engine, *(stored(str(number)) for number in range(5)))
    out = tmp_path / "out.jsonl"
    await sqlassay("export", "--out", str(out))
    lines = [json.loads(line) | {"score": 12.5, "tier": "poor"} for line in out.read_text().splitlines()]
    out.write_text("\n".join(map(json.dumps, lines)))
    options = ("import", str(out), "--evaluator-version", "spark-7", "--make-current")
    first, second = [json.loads((await sqlassay(*options)).stdout) for _ in range(2)]
    assert (first["added"], first["made_current"]) == (5, 5)
    assert (second["added"], second["already"], second["made_current"]) == (0, 5, 0)
    current = [each for each in await rows(engine) if each["current"]]
    assert {(each["evaluator_version"], each["score"]) for each in current} == {("spark-7", 12.5)}
    assert {each["record"]["evaluator_version"] for each in current} == {"spark-7"}
    assert len(current) == 5
    claims = await PostgresScores(engine).claims([stored(str(number)).key for number in range(5)])
    assert {claim.evaluation_id for claim in claims.values()} == {each["id"] for each in current}
    version = ("--evaluator-version", lines[0]["evaluator_version"], "--out", str(tmp_path / "old.jsonl"))
    await sqlassay("export", *version)
    old = [json.loads(line) for line in (tmp_path / "old.jsonl").read_text().splitlines()]
    assert {(each["event_id"], each["judge"]) for each in old} == {(str(each), "local/older") for each in range(5)}
    assert {each["score"] for each in old} != {12.5}


async def test_what_cannot_be_imported_is_counted_and_named(engine, sqlassay, tmp_path):
    unsampled = replace(stored("unsampled"), result=Unscored(UnscoredReason.NOT_SAMPLED, "not drawn"))
    unsampled = replace(unsampled, record={**unsampled.record, "score": None, "unscored": "NOT_SAMPLED"})
    await record(engine, stored("known"), stored("quiet", Rules(store_raw=False)), unsampled)
    whole = {"tenant": "bakers", "agent": "oven", **stored("known").record}
    bad = [
        "[1]",
        '{"event_id": "known"',
        json.dumps(whole | {"score": 101}),
        json.dumps(whole | {"verdict": "Perhaps"}),
        json.dumps(whole | {"unscored": "EMPTY_SQL"}),
        json.dumps({name: value for name, value in whole.items() if name != "alignment"}),
        json.dumps(whole | {"question_spec": {"text": "\0"}}),
        json.dumps(whole | {"tenant": "millers"}),
    ]
    lines = [
        json.dumps(whole | {"event_id": id_, "evaluator_version": "9"})
        for id_ in ("known", "known", "quiet", "unsampled", "away")
    ]
    failed = json.dumps(whole | {"score": None, "unscored": "SCORER_FAILED"})
    done = await sqlassay("import", "-", "--tenant", "bakers", text="\n".join([*bad, *lines, failed]))
    assert done.returncode == 1
    assert json.loads(done.stdout) == {
        "added": 1,
        "already": 1,
        "unknown": 1,
        "left_out": 2,
        "made_current": 0,
        "failed": 1,
        "refused": 8,
    }
    assert "8 of 14 lines refused; line 1: NOT_AN_OBJECT: it is no JSON object" in done.stderr
    assert [each["event_id"] for each in await rows(engine) if each["evaluator_version"] == "9"] == ["known"]
    unknown = await sqlassay("import", "-", text=lines[-1])
    assert (unknown.returncode, "of answers that are not stored" in unknown.stderr) == (1, True)
    none = await sqlassay("import", "-")
    assert (none.returncode, none.stderr) == (1, "sqlassay: - holds no scores\n")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ({"score": 101}, "line 1: field score: Input should be less than or equal to 100"),
        ({"unscored": "EMPTY_SQL"}, "line 1: give either score or unscored"),
        ({"alignment": None}, "line 1: field alignment is absent"),
        ({"tenant": "millers"}, "line 1: it is of tenant 'millers', and --tenant is 'bakers'"),
        ({"question_spec": {"text": "\0"}}, "INVALID_TEXT: field question_spec.text holds U+0000"),
    ],
)
async def test_a_refused_line_says_which_field_and_why(engine, sqlassay, line, why):
    whole = {"tenant": "bakers", "agent": "oven", **stored("known").record, **line}
    done = await sqlassay("import", "-", "--tenant", "bakers", text=json.dumps(whole))
    assert why in done.stderr
    assert await rows(engine) == []


async def test_a_row_that_the_database_refuses_is_named_and_the_others_are_stored(engine, sqlassay, tmp_path):
    await record(engine, *(stored(str(number)) for number in range(5)))
    async with engine.begin() as connection:
        await connection.execute(
            text("ALTER TABLE evaluations ADD CONSTRAINT odd CHECK (score IS NULL OR score <> 13)")
        )
    whole = {"tenant": "bakers", "agent": "oven"}
    lines = [
        {**stored(str(number)).record, **whole, "evaluator_version": "9", "score": 13.0 if number == 2 else 14.0}
        for number in range(5)
    ]
    done = await sqlassay("import", "-", text="\n".join(map(json.dumps, lines)))
    assert (done.returncode, json.loads(done.stdout)["added"], json.loads(done.stdout)["refused"]) == (1, 4, 1)
    assert "event '2' of tenant 'bakers': CheckViolationError" in done.stderr
    added = [each["event_id"] for each in await rows(engine) if each["score"] == 14]
    assert sorted(added) == ["0", "1", "3", "4"]


async def test_a_table_is_exported_as_csv_too_and_not_imported(engine, sqlassay, tmp_path):
    await record(engine, stored("a"))
    out = tmp_path / "out.csv"
    await sqlassay("export", "--out", str(out))
    [row] = csv.DictReader(out.read_text().splitlines())
    assert (row["event_id"], json.loads(row["reasons"])) == ("a", stored("a").record["reasons"])
    done = await sqlassay("import", str(out))
    assert (done.returncode, "write the scores as JSONL or Parquet" in done.stderr) == (2, True)


async def test_a_range_is_exported_oldest_first_and_others_stay(engine, sqlassay, tmp_path):
    days = {"a": 3, "b": 1, "c": 2, "d": 9}
    await record(engine, *(stored(id_, occurred_at=f"2026-10-{day:02}T08:00:00Z") for id_, day in days.items()))
    await record(engine, stored("e", agent="mill", occurred_at="2026-10-02T08:00:00Z"))
    out = tmp_path / "out.jsonl"
    await sqlassay("export", "--agent", "oven", "--since", "2026-10-01", "--until", "2026-10-09", "--out", str(out))
    found = [json.loads(line) for line in out.read_text().splitlines()]
    assert [each["event_id"] for each in found] == ["b", "c", "a"]
    assert list(found[0]) == list(exporting.EXPORTED_FIELDS)
    nothing = await sqlassay("export", "--tenant", "nobody", "--out", str(out))
    assert (nothing.returncode, nothing.stderr) == (1, "sqlassay: no stored answers match\n")


@pytest.mark.slow  # many rows
async def test_memory_holds_one_batch_however_many_rows_there_are(engine, sqlassay, tmp_path, monkeypatch):
    await record(engine, *(stored(str(number)) for number in range(2 * exporting.BATCH + 7)))
    sizes = [len(batch) async for batch in exporting.exported_rows(engine, EvaluationFilter())]
    assert sizes == [exporting.BATCH, exporting.BATCH, 7]
    out, batches = tmp_path / "out.parquet", list[int]()
    await sqlassay("export", "--out", str(out))
    stored_rows = importing.import_rows

    async def watched(engine, batch, **options):
        batches.append(len(batch))
        return await stored_rows(engine, batch, **options)

    monkeypatch.setattr(importing, "import_rows", watched)
    done = await sqlassay("import", str(out), "--evaluator-version", "9")
    assert json.loads(done.stdout)["added"] == 2 * exporting.BATCH + 7
    assert batches == [importing.BATCH, importing.BATCH, 7]
