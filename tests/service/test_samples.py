"""The samples show all that the scorer can say, and their agents are as good as their own labels make them."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from itertools import pairwise

from service.samples import sample_events, sample_rules

EVENTS = list(sample_events())


def share_right(agent: str, version: str | None = None) -> float:
    labels = [
        event["attributes"]["answers"]
        for event in EVENTS
        if event["agent"] == agent and version in {None, event["agent_version"]}
    ]
    return sum(labels) / len(labels)


def test_there_are_at_least_150_events_with_an_identity_each():
    assert len(EVENTS) >= 150
    assert len({(event["tenant"], event["event_id"]) for event in EVENTS}) == len(EVENTS)


def test_every_tenant_of_the_events_has_rules():
    assert {event["tenant"] for event in EVENTS} == set(sample_rules())
    assert len(sample_rules()) == 2


def test_events_come_in_the_order_they_occurred_and_span_about_three_weeks():
    moments = [datetime.fromisoformat(event["occurred_at"]) for event in EVENTS]
    assert all(earlier <= later for earlier, later in pairwise(moments))
    assert 18 <= (moments[-1] - moments[0]).days <= 22


def test_three_agents_are_of_clearly_different_quality():
    assert share_right("atlas") > share_right("beacon") + 0.15
    assert share_right("beacon") > share_right("comet") + 0.15


def test_the_later_version_of_beacon_is_the_better_one():
    assert share_right("beacon", "2.0.0") > share_right("beacon", "1.4.0") + 0.15


def test_at_least_six_dialects_are_spoken_and_some_events_name_none():
    dialects = Counter(event.get("dialect") for event in EVENTS)
    assert {"postgres", "mysql", "sqlite", "bigquery", "tsql", "snowflake"} <= set(dialects)
    assert dialects[None] > 0


def test_an_intent_says_right_exactly_where_the_label_does():
    for event in EVENTS:
        label = event["attributes"]
        assert (label["intent"] == "right") is label["answers"], event["event_id"]
