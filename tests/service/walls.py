"""Two tenants with rows in every table, and what a tenant may send about the other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid4, uuid5

import httpx
from sqlalchemy import Table, insert, text
from sqlalchemy.ext.asyncio import AsyncEngine

from scoring import EVALUATOR_VERSION
from service.settings.intake_settings import HttpSettings
from service.storage.tables import (
    AGENT_ALARMS,
    AGENT_INCIDENTS,
    ANSWER_SUMS,
    AUDIT_LOG,
    CANARY_ANSWERS,
    EVAL_RUNS,
    METADATA,
    REFERENCE_VERDICTS,
    REMEMBERED_ANSWERS,
    SAVED_VIEWS,
    STALE_HOURS,
    TENANT_CALIBRATIONS,
    TENANT_LEARNED_RULES,
    WATCHED_ANSWERS,
)

OURS, THEIRS = "bakers", "poachers"
OWN, MARK = "numbat", "quagga"
"""The word in every text of our tenant's rows, and the one in every text of the other's."""
REVIEWER = "zoltan"
"""A reviewer of the other tenant whose name is known to all."""
TOKENS = MappingProxyType({OURS: "a-token-for-tests-only-0001", THEIRS: "a-token-for-tests-only-0002"})
HTTP = HttpSettings.model_validate({"tokens": dict(TOKENS)})
_DERIVED: tuple[Table, ...] = (WATCHED_ANSWERS, ANSWER_SUMS, STALE_HOURS, AGENT_ALARMS)
"""Tables that the service itself brings up to date."""
_NOW = datetime(2026, 1, 1, tzinfo=UTC)


def as_tenant(tenant: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {TOKENS[tenant]}"}


def _events(tenant: str, word: str) -> list[dict[str, Any]]:
    shared = {
        "tenant": tenant,
        "enriched_question": f"How many {word} ovens have the kind {word}?",
        "attributes": {word: word},
        "dialect": "postgres",
        "agent_version": "1",
    }
    asked = [
        {"event_id": "1", "agent": "crumb", "sql": f"SELECT COUNT(*) FROM {word}_ovens WHERE kind = '{word}'"},
        {"event_id": "2", "agent": "crumb", "sql": f"SELECT price FROM {word}_sales"},
        {"event_id": f"{word}-3", "agent": f"{word}-agent", "sql": f"SELEC {word}", "agent_version": f"{word}-1"},
        {"event_id": "4", "agent": f"{word}-agent", "sql": f"SELECT * FROM {word}_ovens", "source": f"{word}-source"},
    ]
    return [{"question": f"How many {word} ovens have kind {word} {place}?", **shared, **each}
            for place, each in enumerate(asked)]  # fmt: skip


async def fill(client: httpx.AsyncClient, engine: AsyncEngine, tenant: str, word: str) -> list[str]:
    """Stores a tenant's rows, with the word in every text; the ids of its answers."""
    headers = as_tenant(tenant)
    rules = {"column_mappings": {f"{word} place": f"{word}_town"}, "benign_filters": [f"{word} = 1"], "memory": False}
    put = await client.put(f"/v1/tenants/{tenant}/rules", json=rules, headers=headers)
    ddl = f"CREATE TABLE {word}_ovens (id INT, kind TEXT, {word} TEXT)"
    told = headers | {"content-type": "application/sql"}
    schema = await client.put(f"/v1/tenants/{tenant}/schema", content=ddl, headers=told)
    sent = await client.post("/v1/events", json=_events(tenant, word), headers=headers)
    assert (put.status_code, schema.status_code, sent.status_code) == (200, 200, 202), (
        put.text,
        schema.text,
        sent.text,
    )
    ids = [each["evaluation_id"] for each in sent.json()["results"]]
    labels = [
        {
            "evaluation_id": each,
            "reviewer": reviewer,
            "label": label,
            "note": f"the {word} is not closed",
            "correction": f"SELECT {word} FROM {word}_ovens",
        }
        for reviewer, label in ((REVIEWER, "wrong"), (f"{word}-reviewer", "right"))
        for each in ids[:2]
    ]
    kept = await client.post("/v1/labels", json=labels, headers=headers)
    assert kept.json()["kept"] == len(labels), kept.text
    said = {"agent": "crumb", "thumb": "down", "comment": f"no {word}", "edited_sql": f"SELECT {word}"}
    given = [said | {"event_id": "1", "user": f"{word}-user"}, said | {"trace_id": "shared-trace", "stars": 5}]
    heard = await client.post("/v1/feedback", json=given, headers=headers)
    assert heard.json()["kept"] == len(given), heard.text
    handed = await client.post("/v1/review/next", params={"reviewer": f"{word}-second"}, headers=headers)
    assert handed.status_code == 200, handed.text
    await _fill_tables(engine, tenant, word)
    return ids


async def _fill_tables(engine: AsyncEngine, tenant: str, word: str) -> None:
    """Stores what only commands and the service itself write."""
    which = {"tenant": tenant}
    fitted = {"judge": f"{word}-judge", "evaluator_version": EVALUATOR_VERSION, "intercept": 0.1, "slope": 1.1}
    figures = {"labels": 40, "labelled_right": 20, "loss_before": 0.5, "loss_after": 0.4}
    learned = {"format": 1, "rules": [{"side": "supports_wrong", "text": f"Asked about {word}, it is wrong."}]}
    judge = {"judge": f"{word}-judge", "evaluator_version": EVALUATOR_VERSION}
    alarm = {"state": {}, "fall": True, "fall_evidence": 50.0, "below_evidence": 0.0, "answers": 9}
    noted = {"actor": f"{word}-actor", "via": "api", "subject": f"{word}-subject", "reviewer": f"{word}-reviewer"}
    verdict = {"verdict": "different", "level": "S0", "judged_at": _NOW, "record": {"detail": word}}
    async with engine.begin() as connection:
        await connection.execute(insert(TENANT_CALIBRATIONS).values(version=1, **which, **fitted, **figures))
        of_learned = {"version": 1, "document": learned, "labels": 40, "author": f"{word}-author"}
        await connection.execute(insert(TENANT_LEARNED_RULES).values(**which, **of_learned))
        await connection.execute(
            insert(AGENT_ALARMS).values(
                id=uuid4(), agent=f"{word}-agent", answered_at=datetime.now(UTC), **which, **judge, **alarm
            )
        )
        await connection.execute(insert(AGENT_INCIDENTS).values(**which, **_incident(word)))
        held = {"id": incident_id(word), "name": f"{word}-name", **which}
        run = {"answers": [_run_answer(word)], "cases": 1, "passed": 0, "sent_by": word, "sent_at": _NOW}
        await connection.execute(insert(EVAL_RUNS).values(**held, **run))
        view = {"shows": "slices", "filters": {"agent": f"{word}-agent"}, "saved_by": word, "saved_at": _NOW}
        await connection.execute(insert(SAVED_VIEWS).values(**held, **view))
        await connection.execute(
            insert(AUDIT_LOG).values(action="rules_stored", after={"word": word}, **which, **noted)
        )
        now = datetime.now(UTC)
        names = ("source", "event_id", "agent", "agent_version", "case_id", "question", "sql", "reference_sql")
        asked = {"event": uuid4(), "id": uuid4(), "occurred_at": now, "received_at": now, **which}
        await connection.execute(insert(CANARY_ANSWERS).values(**asked, **dict.fromkeys(names, word)))
        events = text("SELECT event, occurred_at FROM evaluations WHERE tenant = :tenant")
        for event, at in (await connection.execute(events, which)).all():
            row = {"event": event, "occurred_at": at, **which, **verdict}
            await connection.execute(insert(REFERENCE_VERDICTS).values(**row))
            kept = {
                "event": event,
                "event_id": str(event),
                "occurred_at": at,
                "remembered_at": at,
                **which,
                **_kept(word),
            }
            await connection.execute(insert(REMEMBERED_ANSWERS).values(**kept))
        written = text("UPDATE evaluations SET reference_sql = :sql WHERE tenant = :tenant")
        await connection.execute(written, {**which, "sql": f"SELECT {word} FROM {word}_ovens"})
        author = text("UPDATE tenant_rules SET author = :author, calibration_version = 1 WHERE tenant = :tenant")
        await connection.execute(author, {**which, "author": f"{word}-author"})


def incident_id(word: str) -> UUID:
    """The id of the incident in whose texts the word is."""
    return uuid5(NAMESPACE_URL, word)


def _incident(word: str) -> dict[str, Any]:
    """A fall that is over."""
    names = dict.fromkeys(("agent", "agent_version", "version_before", "judge", "evaluator_version"), word)
    moments = dict.fromkeys(("before_since", "since", "until", "opened_at", "over_at", "closed_at"), _NOW)
    counts = {"answers_before": 9, "wrong_before": 1, "answers_after": 9, "wrong_after": 8}
    history = [{"at": _NOW.isoformat(), "action": "explained", "actor": word}]
    return {"id": incident_id(word), "explanation": word, "history": history, **names, **moments, **counts}


def _run_answer(word: str) -> dict[str, Any]:
    texts = dict.fromkeys(("case_id", "question", "gold_sql", "generated_sql", "rationale", "verdict"), word)
    return {**texts, "pass": False, "equivalence": "different", "score": 9.0, "p_correct": 0.1, "reasons": [word],
            "unscored": None, "error": None, "question_kinds": [word], "dialect": None}  # fmt: skip


def _kept(word: str) -> dict[str, Any]:
    """What the memory keeps of an answer."""
    texts = dict.fromkeys(("source", "agent", "speaker", "question_key", "shape", "specification", "filters"), word)
    return {**texts, "words": [1], "tables": [word], "joins": [word], "raw": 0.5, "units": 1.0, "size": 1}


async def rows_of(engine: AsyncEngine, tenant: str) -> dict[str, tuple[int, str | None]]:
    """Of every table with a tenant: how many rows this one has, and their digest."""
    found: dict[str, tuple[int, str | None]] = {}
    async with engine.connect() as connection:
        for table in METADATA.tables.values():
            if "tenant" not in table.c or table in _DERIVED:
                continue
            read = f"SELECT count(*), md5(string_agg(t::text, '|' ORDER BY t::text)) FROM {table.name} t"
            counted, digest = (await connection.execute(text(f"{read} WHERE tenant = :it"), {"it": tenant})).one()
            found[table.name] = (counted, digest)
    return found


def parameters(theirs: list[str]) -> dict[str, tuple[str, ...]]:
    """What is sent for each parameter of an address, by its name."""
    later = (datetime.now(UTC) + timedelta(days=2)).isoformat()
    return {
        "tenant": (THEIRS, "default", "*"),
        "evaluation_id": (theirs[0], theirs[3]),
        "version": ("1", "2"),
        "quick": ("true",),
        "incident_id": (str(incident_id(MARK)),),
        "before_id": (theirs[0],),
        "now_id": (theirs[1],),
        "against": ("1", f"{MARK}-1"),
        "slice_kind": ("table", "version"),
        "slice_value": (f"{MARK}_ovens",),
        "current": ("true", "false"),
        "explanation": ("a new prompt",),
        "run": (str(incident_id(MARK)),),
        "against_run": (str(incident_id(MARK)),),
        "run_id": (str(incident_id(MARK)),),
        "against_id": (str(incident_id(MARK)),),
        "case": (MARK,),
        "view_id": (str(incident_id(MARK)),),
        "agent": ("crumb",),
        "agent_version": ("1",),
        "since": ("2020-01-01T00:00:00Z",),
        "until": (later,),
        "range": ("all", "today"),
        "from_day": ("2020-01-01",),
        "to_day": (later[:10],),
        "tier": ("incorrect", "good"),
        "verdict": ("Correct", "Incorrect"),
        "filter_status": ("pass", "fail"),
        "reason": ("FILTER_MISSING", "SQL_UNPARSEABLE"),
        "reference": ("different",),
        "unscored": ("true", "false"),
        "min_score": ("0",),
        "max_score": ("100",),
        "order": ("worst", "newest"),
        "sort": ("name", "answers"),
        "name": ("crumb", "agent"),
        "page": ("1", "2"),
        "limit": ("1", "200"),
        "cursor": ("broken",),
        "judge": ("local",),
        "reviewed": ("true", "false"),
        "search": ("ovens", "kind"),
        "by": ("tenant", "agent", "agent_version", "judge", "day"),
        "every": ("hour", "day", "week"),
        "format": ("training",),
        "label": ("right", "wrong"),
        "error_type": ("filter",),
        "reviewer": (REVIEWER,),
        "event_id": ("1", "2"),
        "trace_id": ("shared-trace",),
        "satisfied": ("true", "false"),
        "feedback": ("satisfied", "dissatisfied", "any"),
        "blind": ("true", "false"),
        "between": ("reviewers", "judge"),
        "notice": ("saved",),
        "view": ("worst", "changes"),
        "kind": ("table", "column", "reason"),
        "labels": ("all", "drawn"),
        "days": ("7", "366"),
        "done": ("fitted", "promoted", "rolled_back"),
        "stored": ("1", "2"),
        "next": ("/console/evaluations",),
        "without": ("kafka",),
        "action": ("rules_stored", "label_stored", "acknowledged", "explained", "closed"),
        "actor": ("bakers",),
        "via": ("api", "console"),
        "before": ("1", "1000000"),
    }
