"""An agent's alarms: seldom false, soon true, and the same after a restart."""

import json
import math
import random

import numpy as np
import pytest

from evals.alarms.agent_alarm import JUDGED_WRONG, AgentAlarm, WatchedAnswer
from evals.alarms.alarm_json import from_json, to_json
from evals.alarms.below import STAKES, BelowAlarm, bet_below
from evals.alarms.detector import HEAD_START, LIMIT, YEARS_BETWEEN_FALSE_ALARMS
from evals.alarms.fall import BINS, FALLS, FallAlarm, bet_on_fall
from evals.alarms.simulation import (
    BelowStreams,
    Bins,
    Sessions,
    Traffic,
    WatchedStreams,
    delays,
    draw_p_alone,
    false_alarms,
    false_alarms_in_sessions,
)
from evals.alarms.theory import information, information_with_past, theoretical_delay, theoretical_delay_with_past

_GRID = (np.arange(20) + 0.5) / 20
AGENTS = Bins(
    right=np.exp(-((_GRID - 0.75) ** 2) / 0.08) / np.exp(-((_GRID - 0.75) ** 2) / 0.08).sum(),
    wrong=np.exp(-((_GRID - 0.5) ** 2) / 0.08) / np.exp(-((_GRID - 0.5) ** 2) / 0.08).sum(),
)
"""Right and wrong answers one and a quarter standard deviations apart."""
HOUR = 3600.0


def answers(
    numbers: random.Random, count: int, *, good: float, start: float = 0.0, every: float = HOUR, question: bool = True
) -> list[WatchedAnswer]:
    """Answers of which this share scores well."""
    made: list[WatchedAnswer] = []
    for place in range(count):
        fine = numbers.random() < good
        made.append(
            WatchedAnswer(
                moment=start + place * every,
                p_alone=min(max(numbers.gauss(0.75 if fine else 0.5, 0.2), 0.0), 1.0),
                score=numbers.uniform(60, 100) if fine else numbers.uniform(0, 60),
                question=numbers.getrandbits(62) if question else 5,
                draw=numbers.random(),
            )
        )
    return made


@pytest.mark.parametrize("fall", FALLS)
def test_a_bet_on_a_fall_is_fair_while_ranks_are_uniform(fall):
    places = (np.arange(100_000) + 0.5) / 100_000
    assert sum(bet_on_fall(rank, *fall) for rank in places) / len(places) == pytest.approx(1.0, abs=1e-6)
    assert min(bet_on_fall(rank, *fall) for rank in (0.0, 0.5, 1.0)) > 0


@pytest.mark.parametrize("bound", [50.0, 75.0, 90.0, 100.0, 0.0])
def test_a_bet_on_a_mean_below_the_bound_is_fair_at_the_bound_and_never_ruined(bound):
    for stake in STAKES:
        assert bet_below(bound, bound, stake) == 1.0
        assert bet_below(100.0, bound, stake) > 0
        mixed = bound / 100 * bet_below(100.0, bound, stake) + (1 - bound / 100) * bet_below(0.0, bound, stake)
        assert mixed == pytest.approx(1.0)


def test_many_simulated_agents_compute_what_one_agent_computes():
    numbers = np.random.default_rng(3)
    shares = AGENTS.mixed(0.8)
    watched = WatchedStreams.with_past(numbers, shares, 3, 500)
    alone = [FallAlarm() for _ in range(3)]
    for agent, alarm in enumerate(alone):
        alarm.past.counts = [float(count) for count in np.diff(watched.below[agent])]
        alarm.spread.squares = float(watched.squares[agent])
        alarm.spread.expected = float(watched.expected[agent])
    for _ in range(300):
        p_alone, draws = draw_p_alone(numbers, AGENTS.mixed(0.3), (3,)), numbers.random(3)
        watched.add(p_alone, draws, 0.001)
        for agent, alarm in enumerate(alone):
            if not alarm.on:
                alarm.add(float(p_alone[agent]), float(draws[agent]), 0.001, 1.0)
                if not alarm.on:
                    assert alarm.detector.evidence == pytest.approx(watched.evidence[agent].tolist())
    assert all(alarm.on for alarm in alone)
    assert watched.alarmed.all()


@pytest.mark.parametrize(("a_day", "fall", "past"), [(1.0, 0.4, 1_000), (5000.0, 0.4, 3_000), (20.0, 0.15, 20_000)])
def test_a_fall_is_found_within_what_theory_allows(a_day, fall, past):
    before, after = AGENTS.mixed(0.8), AGENTS.mixed(0.8 - fall)
    best = theoretical_delay(before, after, YEARS_BETWEEN_FALSE_ALARMS * 365.25 * a_day)
    traffic = Traffic(a_day=a_day, before=before, after=after, past=past)
    late = delays(np.random.default_rng(11), traffic, streams=40, most=int(3 * best))
    assert np.median(late) <= 1.5 * best


@pytest.mark.slow  # a simulation
@pytest.mark.parametrize(("a_day", "past"), [(1.0, 0), (200.0, 50)])
def test_false_alarms_are_at_most_one_in_twenty_agent_years_from_the_first_answer_on(a_day, past):
    shares = AGENTS.mixed(0.8)
    traffic = Traffic(a_day=a_day, before=shares, after=shares, past=past)
    streams = 250
    count, years = false_alarms(np.random.default_rng(5), traffic, streams=streams, answers=2_000)
    allowed = years / LIMIT
    assert count <= allowed + 3 * math.sqrt(allowed) + 1


def test_an_agent_of_one_answer_an_hour_that_answers_all_wrong_is_found_within_two_days():
    numbers = random.Random(2)
    alarm = AgentAlarm()
    alarm.add_all(answers(numbers, 24 * 30, good=0.85), 50.0)
    assert not alarm.on
    bad = answers(numbers, 48, good=0.0, start=24 * 30 * HOUR)
    alarm.add_all(bad, 50.0)
    assert alarm.fall.on
    assert alarm.below.on


def test_one_question_asked_again_and_again_raises_no_alarm():
    numbers = random.Random(4)
    alarm = AgentAlarm()
    alarm.add_all(answers(numbers, 2_000, good=0.85), 50.0)
    alarm.add_all(answers(numbers, 1_000, good=0.0, start=2_000 * HOUR, every=1.0, question=False), 50.0)
    assert not alarm.on
    alarm.add_all(answers(numbers, 200, good=0.0, start=2_000 * HOUR + 1_000, every=1.0), 50.0)
    assert alarm.fall.on


def test_an_alarm_stays_on_until_the_answers_are_as_before_and_is_not_learned():
    numbers = random.Random(6)
    alarm = AgentAlarm()
    alarm.add_all(answers(numbers, 3_000, good=0.9), 50.0)
    learned = alarm.fall.past.answers
    alarm.add_all(answers(numbers, 3_000, good=0.4, start=3_000 * HOUR), 50.0)
    assert alarm.fall.on
    assert alarm.fall.past.answers < learned + 400
    alarm.add_all(answers(numbers, 400, good=0.9, start=6_000 * HOUR), 50.0)
    assert not alarm.on
    alarm.add_all(answers(numbers, 400, good=0.4, start=6_400 * HOUR), 50.0)
    assert alarm.fall.on


def test_a_slow_decline_is_found_and_not_learned_away():
    numbers = random.Random(7)
    alarm = AgentAlarm()
    alarm.add_all(answers(numbers, 2_000, good=0.9), 0.0)
    for step in range(40):
        if alarm.on:
            break
        alarm.add_all(answers(numbers, 200, good=0.9 - 0.01 * step, start=(2_000 + 200 * step) * HOUR), 0.0)
    assert alarm.fall.on


def test_a_judge_that_is_not_calibrated_changes_nothing():
    numbers = random.Random(8)
    plain, bent = AgentAlarm(), AgentAlarm()
    stream = answers(numbers, 1_500, good=0.8) + answers(numbers, 300, good=0.2, start=1_500 * HOUR)
    for answer in stream:
        plain.add(answer, 0.0)
        # halves every number, so that ten of the bins stay empty and the others hold more
        half = WatchedAnswer(
            moment=answer.moment,
            p_alone=answer.p_alone / 2,
            score=answer.score,
            question=answer.question,
            draw=answer.draw,
        )
        bent.add(half, 0.0)
    assert plain.on
    assert bent.on


def test_answers_in_sessions_count_less_than_independent_ones():
    numbers = random.Random(14)
    alone, together = AgentAlarm(), AgentAlarm()
    shares = [numbers.uniform(0.3, 1.0) for _ in range(150)]
    for place in range(150 * 20):
        good = shares[place // 20]
        for alarm, share in ((together, good), (alone, numbers.uniform(0.3, 1.0))):
            alarm.add_all(answers(numbers, 1, good=share, start=float(place)), 0.0)
    assert alone.fall.spread.effect < 1.5
    assert together.fall.spread.effect > 1.5 * alone.fall.spread.effect
    for alarm in (together, alone):
        alarm.add_all(answers(random.Random(15), 20, good=0.0, start=HOUR), 50.0)
    assert together.fall.detector.total < alone.fall.detector.total
    assert together.below.detector.total < alone.below.detector.total


def test_sessions_are_known_while_evidence_grows_and_a_fall_is_not_taken_for_sessions():
    numbers = random.Random(16)
    fallen, sessions = FallAlarm(), FallAlarm()
    for alarm in (fallen, sessions):
        for _ in range(3_000):
            alarm.add(numbers.random(), numbers.random(), 0.0, 1.0)
    steady = fallen.spread.effect
    for place in range(600):
        fallen.add(numbers.uniform(0.0, 0.6), numbers.random(), 0.0, 1.0)
        sessions.add(numbers.uniform(0.0, 0.9 if place % 40 < 20 else 0.3), numbers.random(), 0.0, 1.0)
    assert fallen.growth > 0
    assert fallen.spread.new_blocks >= 15
    assert fallen.spread.effect < 1.1 * steady
    assert sessions.growth > 0
    assert sessions.spread.effect > 1.1 * steady


@pytest.mark.slow  # a simulation
@pytest.mark.parametrize("a_day", [1.0, 20.0])
def test_false_alarms_in_sessions_keep_to_the_limit_from_the_first_answer_on(a_day):
    sessions = Sessions(right=0.8, apart=0.2, past=0)
    random_numbers = np.random.default_rng(17)
    count, years = false_alarms_in_sessions(random_numbers, AGENTS, sessions, a_day=a_day, streams=800, answers=4_000)
    allowed = years / YEARS_BETWEEN_FALSE_ALARMS
    assert count <= allowed + math.sqrt(allowed)


@pytest.mark.parametrize("past", [1_000, 20_000])
def test_theory_with_a_past_is_where_the_information_is_enough(past):
    before, after = AGENTS.mixed(0.8), AGENTS.mixed(0.4)
    best = theoretical_delay_with_past(before, after, 1e5, past)
    assert information_with_past(before, after, past, best) == pytest.approx(math.log(1e5), rel=1e-3)
    assert best > theoretical_delay(before, after, 1e5)


def test_theory_with_an_endless_past_is_that_with_a_known_one():
    before, after = AGENTS.mixed(0.8), AGENTS.mixed(0.65)
    known = theoretical_delay(before, after, 1e5)
    assert theoretical_delay_with_past(before, after, 1e5, 10**8) == pytest.approx(known, rel=1e-3)


def test_theory_with_a_past_as_long_as_the_delay_is_that_of_two_equal_samples():
    before, after = AGENTS.mixed(0.8), AGENTS.mixed(0.4)
    middle = (before + after) / 2
    divergence = (information(middle, before) + information(middle, after)) / 2  # of Jensen and Shannon
    assert theoretical_delay_with_past(before, after, math.exp(2 * 300 * divergence), 300) == pytest.approx(
        300, abs=0.1
    )


def test_no_number_of_answers_is_enough_after_too_short_a_past():
    before, after = AGENTS.mixed(0.8), AGENTS.mixed(0.65)
    shortest = math.log(1e5) / information(after, before)
    assert theoretical_delay_with_past(before, after, 1e5, math.floor(shortest)) == math.inf
    assert theoretical_delay_with_past(before, after, 1e5, math.ceil(1.05 * shortest)) < math.inf


def test_a_wrong_clock_is_no_evidence():
    numbers = random.Random(9)
    alarm = AgentAlarm()
    alarm.add_all(answers(numbers, 500, good=0.8), 50.0)
    late = answers(numbers, 60, good=0.8, start=80 * 365 * 24 * HOUR, every=-365 * 24 * HOUR)
    alarm.add_all(late, 50.0)
    assert not alarm.on


def test_another_bound_begins_anew():
    numbers = random.Random(10)
    alarm = AgentAlarm()
    alarm.add_all(answers(numbers, 600, good=0.6), 90.0)
    assert alarm.below.on
    alarm.add_all(answers(numbers, 1, good=0.6, start=600 * HOUR), 50.0)
    assert not alarm.below.on


def test_stored_state_goes_on_as_if_nothing_had_stopped():
    numbers = random.Random(12)
    stream = answers(numbers, 700, good=0.85) + answers(numbers, 500, good=0.3, start=700 * HOUR)
    whole, stopped = AgentAlarm(), AgentAlarm()
    whole.add_all(stream, 50.0)
    for place, answer in enumerate(stream):
        if place % 37 == 0:
            stopped = from_json(to_json(stopped))
        stopped.add(answer, 50.0)
    assert stopped == whole
    assert whole.fall.on


def test_state_of_another_form_begins_anew():
    alarm = AgentAlarm()
    alarm.add_all(answers(random.Random(1), 10, good=0.5), 50.0)
    assert from_json({**to_json(alarm), "form": f"0/{BINS}"}) == AgentAlarm()


def test_what_was_stored_does_not_change_with_later_answers():
    numbers = random.Random(13)
    alarm = AgentAlarm()
    alarm.add_all(answers(numbers, 100, good=0.5), 50.0)
    stored = to_json(alarm)
    before = json.dumps(stored)
    alarm.add_all(answers(numbers, 100, good=0.1, start=100 * HOUR), 50.0)
    assert json.dumps(stored) == before


def test_many_simulated_agents_bet_on_a_low_mean_as_one_agent_does():
    numbers = np.random.default_rng(21)
    watched, alone = BelowStreams.without_past(3), [BelowAlarm() for _ in range(3)]
    for _ in range(60):
        scores, weights = numbers.uniform(0, 80, 3), numbers.uniform(0.5, 1.0, 3)
        watched.add(scores, 50.0, 0.001, weights)
        for agent, alarm in enumerate(alone):
            if not alarm.on:
                alarm.add(float(scores[agent]), 50.0, 0.001, float(weights[agent]))
                if not alarm.on:
                    assert alarm.detector.evidence == pytest.approx(watched.evidence[agent].tolist())
    assert [alarm.on for alarm in alone] == [bool(each) for each in watched.alarmed]
    assert any(alarm.on for alarm in alone)


def test_an_agent_that_is_bad_from_its_first_answer_is_found_sooner_than_one_that_becomes_so():
    numbers = random.Random(22)
    bad = answers(numbers, 400, good=0.0)
    new, used = AgentAlarm(), AgentAlarm()
    used.below.detector.clear()
    used.below.bound = used.wrong.bound = 50.0
    late = {}
    for place, answer in enumerate(bad):
        for name, alarm in (("new", new), ("used", used)):
            alarm.add(answer, 50.0)
            if alarm.below.on:
                late.setdefault(name, place)
    assert late["new"] < 0.7 * late["used"]
    assert HEAD_START / LIMIT <= 0.01


def test_too_many_answers_judged_wrong_are_seen_at_any_level_of_scores_and_do_not_page():
    numbers = random.Random(23)
    alarm = AgentAlarm()
    alarm.add_all(answers(numbers, 600, good=0.2), 0.0)
    assert alarm.wrong.on
    assert not alarm.on
    lenient = AgentAlarm()
    lenient.add_all(answers(numbers, 600, good=0.2), 0.0, judged_wrong=0.6)
    assert not lenient.wrong.on


def test_state_without_the_alarm_on_answers_judged_wrong_keeps_its_past():
    alarm = AgentAlarm()
    alarm.add_all(answers(random.Random(24), 50, good=0.5), 50.0)
    stored = to_json(alarm)
    del stored["wrong"]
    assert from_json(stored).fall == alarm.fall
    assert from_json(stored).wrong == BelowAlarm()


def test_an_agent_with_fewer_answers_judged_wrong_than_may_be_has_seldom_a_ticket():
    numbers, agents = np.random.default_rng(25), 300
    wrong, weights = BelowStreams.without_past(agents), np.full(agents, 0.8, dtype=np.float64)
    for _ in range(4_000):
        judged_right = numbers.random(agents) > JUDGED_WRONG - 0.02
        wrong.add((100.0 * judged_right).astype(np.float64), 100 * (1 - JUDGED_WRONG), 1 / 8_766, weights)
    years = agents * 4_000 / 8_766
    assert (wrong.alarmed > 0).sum() <= years / LIMIT + agents * HEAD_START / LIMIT
