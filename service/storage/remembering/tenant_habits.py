"""Sums over a tenant's remembered answers. A process reads them anew every few minutes, and keeps count in between."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field

from sqlalchemy import ARRAY, Text, TextClause, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

from scoring.memory.context import MOST_VOICES
from scoring.memory.copies import MOST_PAIRS
from scoring.memory.habits import Habits
from service.storage.remembering.known_answers import LATEST_LABEL

REFRESH_SECONDS = 300.0
"""Seconds after which the sums are read again, for what other processes, reviewers and deletions changed."""
MAX_ENTRIES = 400_000
"""Most counters of all tenants that a process keeps; the tenant unused for longest goes first."""

_VOICES = f"""
    WITH latest AS (
        SELECT DISTINCT ON (tenant, question_key, speaker) answers.* FROM remembered_answers AS answers
        WHERE tenant = ANY(:tenants) ORDER BY tenant, question_key, speaker, remembered_at DESC, event DESC
    ), voices AS (
        SELECT * FROM (
            SELECT latest.*, row_number() OVER (
                PARTITION BY tenant, question_key ORDER BY remembered_at DESC, event DESC
            ) AS place FROM latest
        ) AS ranked WHERE place <= {MOST_VOICES}
    )
"""  # noqa: S608 constant numbers
_JOINS = """
    CROSS JOIN LATERAL (
        SELECT joins[2 * place - 1] AS one, joins[2 * place] AS other
        FROM generate_series(1, cardinality(joins) / 2) AS place
    ) AS joined
"""


def _statement(select: str) -> TextClause:
    return text(select).bindparams(bindparam("tenants", type_=ARRAY(Text)))


_SUMS = _statement(
    f"""
    {_VOICES} SELECT tenant, count(*) AS answers, sum(raw) AS raw, sum(units) AS units FROM voices GROUP BY tenant
    """  # noqa: S608 constants
)
_JOIN_COUNTS = _statement(
    f"""
    {_VOICES} SELECT tenant, one, other, count(DISTINCT question_key) AS questions FROM voices {_JOINS}
    GROUP BY tenant, one, other
    """  # noqa: S608 constants
)
_JOINED_COUNTS = _statement(
    f"""
    {_VOICES} SELECT tenant, split_part(one, '.', 1) AS one, split_part(other, '.', 1) AS other,
        count(DISTINCT question_key) AS questions FROM voices {_JOINS} GROUP BY 1, 2, 3
    """  # noqa: S608 constants
)
_TABLES_READ = _statement(
    f"""
    {_VOICES} SELECT tenant, read, count(*) AS answers FROM voices CROSS JOIN LATERAL unnest(tables) AS read
    GROUP BY tenant, read
    """  # noqa: S608 constants
)
_CONDITIONS = _statement(
    f"""
    {_VOICES} SELECT tenant, condition, speaker, count(*) AS answers
    FROM voices CROSS JOIN LATERAL unnest(conditions) AS condition GROUP BY tenant, condition, speaker
    """  # noqa: S608 constants
)
_CONDITION_QUESTIONS = _statement(
    f"""
    {_VOICES} SELECT tenant, condition, count(DISTINCT question_key) AS questions
    FROM voices CROSS JOIN LATERAL unnest(conditions) AS condition GROUP BY tenant, condition
    """  # noqa: S608 constants
)
_PAIRS = _statement(
    f"""
    {_VOICES}
    SELECT * FROM (
        SELECT tenant, one.speaker AS one, other.speaker AS other, count(*) AS questions,
            count(*) FILTER (WHERE one.specification = other.specification) AS same,
            row_number() OVER (PARTITION BY tenant ORDER BY count(*) DESC, one.speaker, other.speaker) AS place
        FROM voices AS one JOIN voices AS other USING (tenant, question_key)
        WHERE one.speaker < other.speaker GROUP BY tenant, one.speaker, other.speaker
    ) AS pairs WHERE place <= {MOST_PAIRS} ORDER BY place DESC
    """  # noqa: S608 constant numbers
)
_LABELS = _statement(
    f"""
    SELECT tenant, speaker, label, count(*) AS labels FROM (
        SELECT tenant, speaker, ({LATEST_LABEL}) AS label FROM remembered_answers AS answers
        WHERE (tenant, source, event_id) IN (SELECT tenant, source, event_id FROM labels WHERE tenant = ANY(:tenants))
    ) AS labelled WHERE label IS NOT NULL GROUP BY tenant, speaker, label
    """  # noqa: S608 constant
)


async def read_habits(connection: AsyncConnection, tenants: Collection[str]) -> dict[str, Habits]:
    """The sums of these tenants, as their remembered answers say."""
    values = {"tenants": list(tenants)}
    habits = {tenant: Habits() for tenant in tenants}
    for row in await connection.execute(_SUMS, values):
        each = habits[row.tenant]
        each.answers, each.raw, each.units = row.answers, row.raw, row.units
    for row in await connection.execute(_JOIN_COUNTS, values):
        habits[row.tenant].joins[row.one, row.other] = row.questions
    for row in await connection.execute(_JOINED_COUNTS, values):
        habits[row.tenant].joined[row.one, row.other] = row.questions
    for row in await connection.execute(_TABLES_READ, values):
        habits[row.tenant].read[row.read] = row.answers
    for row in await connection.execute(_CONDITIONS, values):
        habits[row.tenant].add_condition(row.condition, row.speaker, answers=row.answers, questions=0)
    for row in await connection.execute(_CONDITION_QUESTIONS, values):
        habits[row.tenant].add_condition(row.condition, "", answers=0, questions=row.questions)
    for row in await connection.execute(_PAIRS, values):
        habits[row.tenant].copies.put((row.one, row.other), row.same, row.questions)
    for row in await connection.execute(_LABELS, values):
        habits[row.tenant].labels.setdefault(row.speaker, Counter[bool]())[row.label == "right"] += row.labels
    return habits


@dataclass(slots=True)
class ReadHabits:
    """A tenant's sums, when they were read, and how many answers were learnt since."""

    habits: Habits
    read_at: float
    learnt: int = 0


@dataclass(slots=True)
class KeptHabits:
    """The sums that a process has read, with what it has learnt since."""

    timer: Callable[[], float]
    """Seconds, monotonic."""
    refresh_seconds: float = REFRESH_SECONDS
    most_learnt: int = 5_000
    """Answers learnt after which the sums are read again."""
    max_entries: int = MAX_ENTRIES
    _kept: OrderedDict[str, ReadHabits] = field(default_factory=OrderedDict[str, ReadHabits])

    def stale(self, tenants: Iterable[str]) -> list[str]:
        """Those of the tenants whose sums must be read: never read, or too long ago."""
        now = self.timer()
        return [tenant for tenant in tenants if not self._is_fresh(self._kept.get(tenant), now)]

    async def of(self, connection: AsyncConnection, tenants: Collection[str]) -> dict[str, Habits]:
        """The habits of these tenants; the stale ones are read."""
        stale = self.stale(tenants)
        if stale:
            now = self.timer()
            for tenant, read in (await read_habits(connection, stale)).items():
                self._kept[tenant] = ReadHabits(read, now)
        for tenant in tenants:
            self._kept.move_to_end(tenant)
        if stale:
            self._shrink(len(tenants))
        return {tenant: self._kept[tenant].habits for tenant in tenants}

    def note(self, learnt: Mapping[str, int]) -> None:
        """Notes how many answers of each tenant were learnt."""
        for tenant, count in learnt.items():
            if tenant in self._kept:
                self._kept[tenant].learnt += count

    def drop(self, tenants: Iterable[str]) -> None:
        """Has these tenants' sums read again."""
        for tenant in tenants:
            self._kept.pop(tenant, None)

    def _is_fresh(self, read: ReadHabits | None, now: float) -> bool:
        return read is not None and now - read.read_at < self.refresh_seconds and read.learnt < self.most_learnt

    def _shrink(self, least: int) -> None:
        """Forgets the tenants unused for longest, but none of the latest `least`."""
        entries = sum(each.habits.entries for each in self._kept.values())
        while entries > self.max_entries and len(self._kept) > least:
            _, oldest = self._kept.popitem(last=False)
            entries -= oldest.habits.entries
