"""The two weeks of answers that the demo adds to the samples."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random

import pytest

from consumers.wire.events import decode_event
from evals.alarms.agent_alarm import AgentAlarm, WatchedAnswer
from scoring.evaluation import conclude, examine
from scoring.rules import Rules
from scoring.verdict import Case
from service.judges.weights import local_judge
from service.samples.fortnight import LENGTH, QUESTIONS, RELEASE, fortnight_events

NOW = datetime(2027, 3, 31, 9, tzinfo=UTC)


def test_the_answers_are_of_the_last_two_weeks_in_their_order():
    events = list(fortnight_events(NOW))
    moments = [datetime.fromisoformat(event["occurred_at"]) for event in events]
    assert moments == sorted(moments)
    assert NOW - LENGTH <= moments[0] < moments[-1] <= NOW
    assert len({event["event_id"] for event in events}) == 2 * QUESTIONS
    assert len({event["question"] for event in events}) == QUESTIONS


@pytest.mark.slow  # two weeks of answers
def test_the_release_makes_ember_worse_and_only_its_alarm_goes_on():
    judge, alarms, since = local_judge(), {"atlas": AgentAlarm(), "ember": AgentAlarm()}, dict[str, int]()
    for number, event in enumerate(fortnight_events(NOW)):
        case = examine(decode_event(event, require_id=True).query(), Rules())
        assert isinstance(case, Case)
        reply = judge.judge(case)
        answer = WatchedAnswer(
            moment=datetime.fromisoformat(event["occurred_at"]).timestamp(),
            p_alone=reply.p_correct,
            score=conclude(case, reply).composite.score,
            question=number // 2,
            draw=Random(number).random(),
        )
        alarm = alarms[event["agent"]]
        alarm.add(answer, bound=50.0)
        if alarm.on:
            since.setdefault(event["agent"], number // 2)
    assert list(since) == ["ember"]
    assert RELEASE < since["ember"] < RELEASE + 40
