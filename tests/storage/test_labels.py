"""One behaviour of kept labels, in memory and on PostgreSQL 15 and 18."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from consumers.evaluation.outcomes import OutcomeKind
from consumers.keep_labels import KeepLabels, LabelRecord
from consumers.wire.labels import ErrorType
from service.storage.label_store import LabelFilter, PostgresLabels, label_page
from service.storage.scores.score_store import PostgresScores
from tests.memory.stores import MemoryLabels, MemoryScores
from tests.storage.conftest import NOW, POSTGRES_15, evaluation


class Reviewed:
    """The use case over a store, and what that store holds."""

    def __init__(self, store: Any, scores: Any, engine: Any = None) -> None:
        self.keep, self.store, self.scores, self.engine = KeepLabels(store=store), store, scores, engine

    async def say(self, *payloads, tenant=None, minutes: int = 0):
        sent = NOW + timedelta(minutes=minutes)
        return await self.keep([LabelRecord(payload=each, tenant=tenant, sent_at=sent) for each in payloads])

    async def said(self) -> dict[tuple[str, str], tuple[str, str | None]]:
        if self.engine is None:
            kept = self.store.kept
            return {(key.event_id, who): (each.label, each.error_type) for (key, who), each in kept.items()}
        page = await label_page(self.engine, LabelFilter(), limit=500)
        return {(row["event_id"], row["reviewer"]): (row["label"], row["error_type"]) for row in page.items}


@pytest.fixture(params=["memory", POSTGRES_15, "postgres18"])
def server(request):
    return "memory" if request.param == "memory" else request.getfixturevalue(request.param)


@pytest.fixture
def unreviewed(request, server) -> Reviewed:
    if server == "memory":
        scores = MemoryScores()
        return Reviewed(MemoryLabels(scores), scores)
    engine = request.getfixturevalue("engine")
    return Reviewed(PostgresLabels(engine), PostgresScores(engine, clock=lambda: NOW), engine)


@pytest.fixture
async def reviewed(unreviewed) -> Reviewed:
    events = [evaluation("a"), evaluation("b"), evaluation("c", tenant="bakers", agent="crumb")]
    await unreviewed.scores.record(events)
    return unreviewed


def label(id_: str, value: str = "right", reviewer: str = "ann", **fields) -> dict[str, Any]:
    return {"event_id": id_, "label": value, "reviewer": reviewer, **fields}


async def test_reviewers_have_a_label_each_and_the_latest_stands(reviewed):
    assert await reviewed.say(label("a"), label("a", "wrong", "ben", error_type="filter")) == [None, None]
    assert await reviewed.say(label("a", "unsure"), minutes=1) == [None]
    assert await reviewed.said() == {("a", "ann"): ("unsure", None), ("a", "ben"): ("wrong", ErrorType.FILTER)}


async def test_the_same_label_again_or_an_older_one_changes_nothing(reviewed):
    for minutes in (5, 5, 1):
        assert await reviewed.say(label("a", "right" if minutes == 5 else "wrong"), minutes=minutes) == [None]
    assert await reviewed.said() == {("a", "ann"): ("right", None)}


async def test_of_several_labels_at_once_the_latest_stands(reviewed):
    late, early = "2026-11-02T12:00:00Z", "2026-11-02T11:00:00+00:00"
    await reviewed.say(label("a", "right", labelled_at=late), label("a", "wrong", labelled_at=early))
    assert await reviewed.said() == {("a", "ann"): ("right", None)}


async def test_an_event_is_named_by_its_key_its_agent_or_its_evaluation(reviewed):
    by_id = {"tenant": "bakers", "label": "right", "reviewer": "cid", "evaluation_id": await id_of(reviewed, "c")}
    ended = await reviewed.say(
        label("c", tenant="bakers", agent="crumb"),
        label("c", reviewer="ben", tenant="bakers", source="/bakers/crumb"),
        by_id,
    )
    assert ended == [None, None, None]
    assert {who for _, who in await reviewed.said()} == {"ann", "ben", "cid"}


async def id_of(reviewed, event_id: str) -> str:
    key = evaluation(event_id, tenant="bakers", agent="crumb").key
    return str((await reviewed.scores.claims([key]))[key].evaluation_id)


async def test_a_label_of_an_event_that_is_not_stored_is_refused_and_costs_the_others_nothing(reviewed):
    other_tenant = {"tenant": "millers", "label": "right", "reviewer": "x", "evaluation_id": await id_of(reviewed, "c")}
    unknown = [label("z"), label("a", source="/elsewhere"), other_tenant]
    ended = await reviewed.say(*unknown, label("b"))
    assert [each and (each.kind, each.reason) for each in ended] == [
        *([(OutcomeKind.DEAD_LETTERED, "UNKNOWN_EVENT")] * 3),
        None,
    ]
    assert await reviewed.said() == {("b", "ann"): ("right", None)}


async def test_a_sender_labels_only_its_tenants_events(reviewed):
    [foreign, own] = await reviewed.say(label("a"), label("c", tenant="bakers", agent="crumb"), tenant="bakers")
    assert foreign is not None
    assert foreign.reason == "UNKNOWN_EVENT"
    assert own is None
    [named] = await reviewed.say(label("a", tenant="default"), tenant="bakers")
    assert named is not None
    assert named.reason == "TENANT_NOT_ALLOWED"


async def test_labels_from_several_places_at_once_agree(reviewed):
    batches = [[label(id_, minutes_of) for id_ in ("a", "b")] for minutes_of in ("right", "wrong", "unsure")]
    ended = await asyncio.gather(
        *(
            reviewed.say(*(batch if place % 2 else reversed(batch)), minutes=place)
            for place, batch in enumerate(batches)
        )
    )
    assert ended == [[None, None]] * 3
    assert set((await reviewed.said()).values()) == {("unsure", None)}


@pytest.mark.parametrize("text_", ["naïve — 北京 🍞", "quote ' and \\ and :name", "x" * 9_999])
async def test_any_note_and_correction_can_be_kept(reviewed, text_):
    assert await reviewed.say(label("a", note=text_, correction=text_)) == [None]


async def test_a_label_while_the_database_is_down_is_to_be_sent_again(reviewed):
    if reviewed.engine is None:
        return
    nowhere = create_async_engine(reviewed.engine.url.set(port=1))
    ended = await KeepLabels(store=PostgresLabels(nowhere))(
        [LabelRecord(payload=label("a"), sent_at=NOW), LabelRecord(payload=b"{", sent_at=NOW)]
    )
    assert [each and each.kind for each in ended] == [OutcomeKind.DEFERRED, OutcomeKind.DEAD_LETTERED]


async def test_a_list_of_labels_survives_its_events(reviewed):
    if reviewed.engine is None:
        return
    await reviewed.say(label("a", "wrong"), label("b"))
    async with reviewed.engine.begin() as connection:
        await connection.execute(text("DELETE FROM evaluations WHERE event_id = 'a'"))
    rows = {row["event_id"]: row for row in (await label_page(reviewed.engine, LabelFilter())).items}
    assert (rows["a"]["question"], rows["b"]["question"]) == (None, "q")


async def test_an_evaluation_alone_names_its_event_in_any_tenant_that_the_sender_may_label(reviewed):
    alone = {"label": "right", "reviewer": "dee", "evaluation_id": await id_of(reviewed, "c")}
    named = {**alone, "tenant": "bakers", "reviewer": "eve"}
    foreign = {**alone, "tenant": "millers", "reviewer": "fay"}
    ended = await reviewed.say(foreign, alone, named)
    assert [each and each.reason for each in ended] == ["UNKNOWN_EVENT", None, None]
    [refused] = await reviewed.say(alone | {"reviewer": "gus"}, tenant="millers")
    assert refused is not None
    assert refused.reason == "UNKNOWN_EVENT"
    assert await reviewed.said() == {("c", "dee"): ("right", None), ("c", "eve"): ("right", None)}


async def test_a_probability_stays_when_the_reviewer_changes_the_label(reviewed):
    drawn = label("a", sampling_probability=0.25)
    [refused] = await reviewed.say(drawn)
    assert refused is not None
    assert "sampling_probability" in refused.detail
    record = LabelRecord(payload=drawn, sent_at=NOW, may_state_probability=True)
    assert await reviewed.keep([record]) == [None]
    await reviewed.say(label("a", "wrong"), minutes=1)
    if reviewed.engine is None:
        [kept] = reviewed.store.kept.values()
        assert (kept.label, kept.sampling_probability) == ("wrong", 0.25)
    else:
        [row] = (await label_page(reviewed.engine, LabelFilter())).items
        assert (row["label"], row["sampling_probability"]) == ("wrong", 0.25)


@pytest.mark.parametrize("impossible", [0, -0.5, 1.5, "0.5", True])
async def test_a_probability_is_in_the_unit_interval(reviewed, impossible):
    payload = label("a", sampling_probability=impossible)
    [refused] = await reviewed.keep([LabelRecord(payload=payload, sent_at=NOW, may_state_probability=True)])
    assert refused is not None
    assert refused.reason == "INVALID_FIELD"
