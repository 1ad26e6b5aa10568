"""The samples show all that the scorer can say, and their agents are as good as their own labels make them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import pairwise

import pytest

from consumers.wire.events import decode_event
from consumers.wire.rules_document import decode_rules
from scoring.evaluation import conclude, examine
from scoring.query import Unscored, UnscoredReason
from scoring.reason_kinds import FROM_DATABASE, FROM_MEMORY, FROM_RULES
from scoring.reasons import ReasonCode
from scoring.rules import Tier
from scoring.signals import SECTIONS, read_signals
from scoring.verdict import EnrichmentStatus, FilterStatus, NormalizationRule, Score, Verdict
from service.judges.weights import local_judge
from service.samples import sample_events, sample_rules

EVENTS = list(sample_events())

AUC_FLOOR = 0.7
"""Share of (right, wrong) pairs that `p_correct` must order rightly: a floor, not an aim."""

IN_CASES_ALONE = {
    "CODE_OF_ANOTHER",
    "CODE_UNKNOWN",
    "CONVENTION_MISSING",
    "DEFINITION_WEAKENS",
    "DISTINCT_UNASKED",
    "EXCLUSION_WRONG_TABLE",
    "FOLLOW_UP_CONDITION_LOST",
    "FOLLOW_UP_GROUP_LOST",
    "FOLLOW_UP_IGNORED",
    "FOLLOW_UP_KEPT",
    "FOLLOW_UP_MEASURE_LOST",
    "LIMIT_LOW",
    "LOOK_ALIKE_READ",
    "QUESTION_NOT_ENGLISH",
    "TIME_ZONE_DIFFERS",
    "UNIT_LEFT",
    "WORD_FOR_CODE",
}
"""Codes that no sample gives. `tests/cases` and the examples beside their signals show them."""


@dataclass(frozen=True, slots=True)
class Assayed:
    event: dict
    result: Score | Unscored

    @property
    def answers(self) -> bool:
        return self.event["attributes"]["answers"]


def assay() -> Iterator[Assayed]:
    rules = {tenant: decode_rules(document).rules(version=1) for tenant, document in sample_rules().items()}
    judge = local_judge()
    for raw in EVENTS:
        event = decode_event(raw, require_id=True)
        case = examine(event.query(), rules[event.tenant])
        yield Assayed(raw, case if isinstance(case, Unscored) else conclude(case, judge.judge(case)))


@pytest.fixture(scope="module")
def assayed() -> list[Assayed]:
    return list(assay())


@pytest.fixture(scope="module")
def scores(assayed: list[Assayed]) -> list[Score]:
    return [each.result for each in assayed if isinstance(each.result, Score)]


def names(members: type[StrEnum]) -> set[str]:
    return {member.value for member in members}


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


def test_every_tier_occurs(scores: list[Score]):
    assert {score.tier.value for score in scores} == names(Tier)


def test_every_filter_status_occurs(scores: list[Score]):
    assert {score.case.filters.status.value for score in scores} == names(FilterStatus)


def test_every_verdict_occurs(scores: list[Score]):
    assert {score.reply.verdict.value for score in scores} == names(Verdict)


def test_every_enrichment_status_occurs(scores: list[Score]):
    assert {score.case.enrichment.status.value for score in scores} == names(EnrichmentStatus)


def test_every_normalisation_rule_excuses_something(scores: list[Score]):
    fired = {each.rule.value for score in scores for each in score.case.normalizations}
    assert fired == names(NormalizationRule)


def test_filters_end_in_every_place(scores: list[Score]):
    places = {
        place
        for score in scores
        for place in ("matched", "missing", "mismatched", "extra", "benign", "ignored")
        if getattr(score.case.filters, place)
    }
    assert places == {"matched", "missing", "mismatched", "extra", "benign", "ignored"}


def test_every_reason_code_that_the_question_and_its_sql_can_give_is_found(scores: list[Score]):
    found = {code.value for score in scores for code in read_signals(score.case)}
    rare = {signal.__name__.upper() for signal in SECTIONS["Plain mistakes"]} - found
    told = {reason.code.value for score in scores for reason in score.reply.reasons}
    others = {
        "JUDGE_CONTRADICTS_EVIDENCE",
        "RULE_EXCUSES",
        *FROM_MEMORY,
        *FROM_DATABASE,
        *FROM_RULES,
        *IN_CASES_ALONE,
        *rare,
    }
    assert found | told == names(ReasonCode) - others


def test_answers_without_a_score_say_why(assayed: list[Assayed]):
    reasons = {each.result.reason for each in assayed if isinstance(each.result, Unscored)}
    assert reasons >= {
        UnscoredReason.EMPTY_SQL,
        UnscoredReason.EMPTY_QUESTION,
        UnscoredReason.REFUSED_ANSWER,
        UnscoredReason.UNPARSEABLE_SQL,
        UnscoredReason.MULTIPLE_STATEMENTS,
        UnscoredReason.NOT_A_SELECT,
        UnscoredReason.UNKNOWN_DIALECT,
    }


def test_nearly_every_answer_has_a_score(assayed: list[Assayed], scores: list[Score]):
    assert len(scores) >= 0.93 * len(assayed)


def test_the_scorer_ranks_the_agents_as_their_labels_do(assayed: list[Assayed]):
    def mean(agent: str) -> float:
        likely = [
            each.result.reply.p_correct
            for each in assayed
            if isinstance(each.result, Score) and each.event["agent"] == agent
        ]
        return sum(likely) / len(likely)

    assert mean("atlas") > mean("beacon") > mean("comet")


def test_right_answers_are_believed_more_than_wrong_ones(assayed: list[Assayed]):
    judged = [(each.answers, each.result.reply.p_correct) for each in assayed if isinstance(each.result, Score)]
    right = [likely for answers, likely in judged if answers]
    wrong = [likely for answers, likely in judged if not answers]
    pairs = [(good > bad) + (good == bad) / 2 for good in right for bad in wrong]
    assert sum(pairs) / len(pairs) > AUC_FLOOR
