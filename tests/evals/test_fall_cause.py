"""What an alarm is about: the version, or else the day, since which an agent answers worse."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

from evals.alarms.fall_cause import JudgedAnswer, fall_cause

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)


def answers(count: int, version: str | None, p: float, *, first: int = 0, every: int = 1) -> list[JudgedAnswer]:
    """One answer each so many hours, with probabilities around `p`."""
    dice = Random(first + count)
    return [
        JudgedAnswer(
            moment=BEGIN + timedelta(hours=first + every * place), version=version, p_alone=p + dice.uniform(-0.1, 0.1)
        )
        for place in range(count)
    ]


def test_the_version_that_is_worse_is_named_with_its_first_answer_and_the_version_before():
    found = fall_cause([*answers(100, "1.0", 0.8), *answers(30, "1.1", 0.4, first=100)])
    assert found is not None
    assert (found.version, found.version_before, found.since) == ("1.1", "1.0", BEGIN + timedelta(hours=100))


def test_a_version_that_runs_beside_the_old_one_is_named_though_the_old_one_goes_on():
    both = answers(60, "1.0", 0.8, first=100, every=2) + answers(60, "1.1", 0.4, first=101, every=2)
    found = fall_cause(sorted([*answers(100, "1.0", 0.8), *both], key=lambda each: each.moment))
    assert found is not None
    assert (found.version, found.since) == ("1.1", BEGIN + timedelta(hours=101))


def test_of_two_new_versions_the_worse_one_is_named():
    fine, worse = answers(40, "1.1", 0.8, first=100), answers(40, "1.2", 0.4, first=140)
    found = fall_cause([*answers(100, "1.0", 0.8), *fine, *worse])
    assert found is not None
    assert (found.version, found.version_before) == ("1.2", "1.1")


def test_without_a_new_version_it_is_the_day_since_which_answers_are_worse():
    found = fall_cause([*answers(96, "1.0", 0.8), *answers(48, "1.0", 0.4, first=96)])
    assert found is not None
    assert (found.version, found.version_before, found.since) == (None, "1.0", BEGIN + timedelta(days=4))


def test_an_agent_that_was_never_better_has_its_first_answer():
    found = fall_cause(answers(20, None, 0.3))
    assert found is not None
    assert found.version is None
    assert found.since.date() == BEGIN.date()
    assert fall_cause([]) is None


def test_an_agent_that_is_not_known_to_have_fallen_has_a_day_only_where_that_is_no_chance():
    bad = answers(200, "1.0", 0.2)
    found = fall_cause(bad, fell=False)
    assert found is not None
    assert (found.version, found.version_before, found.since) == (None, None, BEGIN)
    declined = fall_cause([*answers(96, "1.0", 0.5), *answers(96, "1.0", 0.2, first=96)], fell=False)
    assert declined is not None
    assert (declined.version_before, declined.since) == ("1.0", BEGIN + timedelta(days=4))
