"""Fills a database with copies of the scored samples: as many answers as a measurement needs, in full rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scoring.reasons import ReasonCode
from service.storage.partitions import make_partition
from service.storage.sums.keeping import sum_stale_hours
from service.storage.tables import EVALUATIONS

TENANT, SMALL_TENANT = "bench", "bench-small"
DAYS, AGENTS = 30, 20
RARE = 20_011
"""One answer of so many is of the rare agent, one is by the rare judge, and one has the rare reason."""
RARE_AGENT, RARE_JUDGE = "agent-rare", "model/rare"
FALLEN_AGENT = "agent-7"
"""The agent with an incident, of its last version."""
_BATCH = 50_000
_REVIEWERS = ("noor", "sam")

_MOMENT = "moments.moment"
_JITTER = "(number * 7919 % 1000 - 500) / 10000.0"
_OTHER_VALUES: Mapping[str, str] = {
    "occurred_at": _MOMENT,
    # the time is in the id, as the service writes it: one answer is found by it
    "id": "CAST(lpad(to_hex(CAST(extract(epoch FROM moments.moment) * 1000 AS bigint)), 12, '0') || '7'"
    " || substr(digest, 1, 3) || '8' || substr(digest, 4, 15) AS uuid)",
    "event": "CAST(digest AS uuid)",
    "received_at": _MOMENT,
    "tenant": f"CASE WHEN number % 500 = 3 THEN '{SMALL_TENANT}' ELSE '{TENANT}' END",
    "agent": f"CASE WHEN number % {RARE} = 5 THEN '{RARE_AGENT}' ELSE 'agent-' || number * 7919 / 7 % {AGENTS} END",
    "agent_version": "'2.' || number * 4 / CAST(:of AS bigint)",
    "source": "'/bench'",
    "event_id": "CAST(number AS text)",
    "question": "from_sample.question || ' (' || number % (CAST(:of AS bigint) / 3 + 1) || ')'",
    "sql": "from_sample.sql || ' -- ' || number",
    "p_correct": f"least(1, greatest(0, from_sample.p_correct + {_JITTER}))",
    "p_alone": f"least(1, greatest(0, from_sample.p_alone + {_JITTER}))",
    "judge": f"CASE WHEN number % {RARE} = 17 THEN '{RARE_JUDGE}' ELSE from_sample.judge END",
    "reason_codes": f"CASE WHEN number % {RARE} = 23 THEN from_sample.reason_codes || CAST(:rare AS text)"
    " ELSE from_sample.reason_codes END",
}
_NAMES = [column.name for column in EVALUATIONS.c if column.name != "slices"]
_COPY = text(
    f"""
    INSERT INTO evaluations ({", ".join(_NAMES)})
    SELECT {", ".join(_OTHER_VALUES.get(name, f"from_sample.{name}") for name in _NAMES)}
    FROM (
        SELECT number, md5('answer ' || number) AS digest, CAST(:since AS timestamptz)
            + number * CAST(:seconds AS float8) / CAST(:of AS float8) * interval '1 second' AS moment
        FROM generate_series(CAST(:first AS bigint), CAST(:last AS bigint)) AS number
    ) AS moments
    JOIN bench_samples AS from_sample ON from_sample.place = number % CAST(:samples AS bigint)
    """  # noqa: S608 built from constants
)
_KEYS = text(
    """
    INSERT INTO event_keys (tenant, source, event_id, payload_hash, evaluation_id, occurred_at)
    SELECT tenant, source, event_id, md5(event_id) || md5(event_id), id, occurred_at FROM evaluations
    """
)
_REFERENCES = text(
    """
    INSERT INTO reference_verdicts (event, tenant, occurred_at, verdict, level, judged_at)
    SELECT event, tenant, occurred_at, CASE WHEN p_correct < 0.3 THEN 'different' ELSE 'equivalent' END, 'S0',
        occurred_at FROM evaluations WHERE CAST(event_id AS bigint) % 20 = 0
    """
)
_LABELS = text(
    """
    INSERT INTO labels (tenant, source, event_id, reviewer, label, labelled_at, blind)
    SELECT tenant, source, event_id, reviewer,
        CASE WHEN (p_correct < 0.5) = (CAST(event_id AS bigint) % 7 <> place) THEN 'wrong' ELSE 'right' END,
        occurred_at + interval '1 hour', true
    FROM evaluations, unnest(CAST(:reviewers AS text[])) WITH ORDINALITY AS given (reviewer, place)
    WHERE CAST(event_id AS bigint) % (400 * place) = 1
    """
)
_FEEDBACK = text(
    """
    INSERT INTO feedback
        (tenant, feedback_id, kind, source, event_id, thumb, satisfied, user_id, comment, given_at, received_at)
    SELECT tenant, event_id, 'user', source, event_id, CASE WHEN p_correct < 0.5 THEN 'down' ELSE 'up' END,
        p_correct >= 0.5, 'user-' || CAST(event_id AS bigint) % 300, 'It counts too many.', occurred_at, occurred_at
    FROM evaluations WHERE CAST(event_id AS bigint) % 100 = 11
    """
)
_INCIDENT = text(
    f"""
    INSERT INTO agent_incidents (id, tenant, agent, judge, evaluator_version, fall, below, agent_version,
        version_before, before_since, since, until, answers_before, wrong_before, answers_after, wrong_after,
        opened_at, history)
    SELECT gen_random_uuid(), tenant, agent, min(judge), min(evaluator_version), true, true, '2.3', '2.2',
        min(occurred_at) FILTER (WHERE agent_version = '2.2'), min(occurred_at) FILTER (WHERE agent_version = '2.3'),
        max(occurred_at), count(*) FILTER (WHERE agent_version = '2.2'), 0,
        count(*) FILTER (WHERE agent_version = '2.3'), count(*) FILTER (WHERE agent_version = '2.3') / 2,
        max(occurred_at), '[]'
    FROM evaluations WHERE tenant = '{TENANT}' AND agent = '{FALLEN_AGENT}' AND score IS NOT NULL
    GROUP BY tenant, agent
    """  # noqa: S608 built from constants
)
_EMPTIED = (
    "evaluations event_keys reference_verdicts remembered_answers answer_sums stale_hours labels watched_answers"
    " agent_alarms agent_incidents review_items review_draws"
).split()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnswers:
    """What is stored."""

    answers: int
    common_reason: str
    """A reason that many answers have."""
    rare_reason: str
    """One that one answer of `RARE` has."""
    no_reason: str
    """One that no answer has."""


async def fill(engine: AsyncEngine, now: datetime, answers: int) -> StoredAnswers:
    """Replaces the scored samples by copies of them, spread evenly over the days before `now`. Makes all sums."""
    for day in range(DAYS + 2):
        await make_partition(engine, (now - timedelta(days=DAYS - day)).date())
    async with engine.begin() as connection:
        samples, stored = await _take_samples(connection, answers)
    span = {"since": now - timedelta(days=DAYS), "seconds": DAYS * 86_400.0, "of": answers, "samples": samples}
    for first in range(0, answers, _BATCH):
        async with engine.begin() as connection:
            numbers = {"first": first, "last": min(first + _BATCH, answers) - 1}
            await connection.execute(_COPY, {**span, **numbers, "rare": stored.rare_reason})
    async with engine.begin() as connection:
        await connection.execute(_KEYS)
        await connection.execute(_REFERENCES)
        await connection.execute(_LABELS, {"reviewers": list(_REVIEWERS)})
        await connection.execute(_FEEDBACK)
        await connection.execute(_INCIDENT)
        await connection.execute(text("DROP TABLE bench_samples"))
    await sum_stale_hours(engine, now.astimezone(UTC))
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        await connection.execute(text("VACUUM (ANALYZE)"))
    return stored


async def _take_samples(connection: AsyncConnection, answers: int) -> tuple[int, StoredAnswers]:
    """Puts the stored samples aside and empties the tables."""
    await connection.execute(
        text(
            "CREATE TABLE bench_samples AS SELECT row_number() OVER (ORDER BY id) - 1 AS place, * FROM evaluations"
            " WHERE current"
        )
    )
    await connection.execute(text("CREATE INDEX ON bench_samples (place)"))
    counted = "SELECT code, count(*) FROM bench_samples, unnest(reason_codes) AS code GROUP BY code ORDER BY 2 DESC, 1"
    codes: list[str] = [row.code for row in await connection.execute(text(counted))]
    samples: Any = await connection.scalar(text("SELECT count(*) FROM bench_samples"))
    rare, none = _unused(codes)
    await connection.execute(text(f"TRUNCATE {', '.join(_EMPTIED)}"))
    return int(samples), StoredAnswers(answers=answers, common_reason=codes[0], rare_reason=rare, no_reason=none)


def _unused(codes: Collection[str]) -> tuple[str, str]:
    """Two reason codes that no sample has."""
    unused = [each.value for each in ReasonCode if each.value not in codes]
    return unused[0], unused[1]
