"""A year of healthy agents pages seldom, and bad agents are found: small slices of `sqlassay bench year`."""

from pathlib import Path

import numpy as np
import pytest
import yaml

from evals.alarms import unusable_answers
from evals.alarms import year_figures as simulated
from evals.alarms.judged_bins import development_bins
from evals.alarms.new_agents import BOUNDS, WAYS, page_delays, ticket_delays
from evals.alarms.year_figures import AN_HOUR, year_figures
from scoring.rules import TierBounds
from service.storage.scores.estimated_reports import SURE_LEVEL

DEPLOY = Path(__file__).parents[2] / "deploy/helm/sqlassay"


def test_labels_and_canaries_page_in_the_simulation_as_they_do_in_the_rules():
    conditions = yaml.safe_load((DEPLOY / "values.yaml").read_text())["alerts"]["conditions"]
    assert conditions["leastRight"] == simulated.LEAST_RIGHT
    assert (conditions["leastRight"], conditions["sure"]) == (unusable_answers.LEAST_USABLE, unusable_answers.SURE)
    assert ("1h", "[3d]" in (DEPLOY / "files/rules.yaml").read_text()) == (conditions["long"], True)
    assert unusable_answers.HOURS == (1, 72)
    assert simulated.SURE_LEVEL == SURE_LEVEL
    assert TierBounds().marginal == simulated.BOUND
    square = simulated.DEVIATIONS**2
    rules = (DEPLOY / "files/rules.yaml").read_text()
    for number in (simulated.DEVIATIONS, square / 2, square / 4, square):
        assert f"{number:.2f}" in rules, number


@pytest.mark.slow  # simulates hundreds of agents
def test_a_slice_of_the_year_has_no_page_of_a_healthy_agent_and_finds_the_bad_ones():
    figures = year_figures(seed=4, scale=0.05, an_hour=(1.0,), healthy=(0.8,), bad=(0.0,))
    assert [(row.an_hour, row.right, row.pages) for row in figures.healthy] == [(1.0, 0.8, 0)]
    assert sum(row.unusable_pages for row in figures.healthy) == 0
    assert sum(row.label_pages + row.canary_pages for row in figures.labelled) == 0
    found = {(row.before, row.after, row.alarm): row.median for row in figures.found}
    assert (found[None, 0.0, "wrong"] or 1e9) < 200
    assert (found[0.8, 0.4, "fall"] or 1e9) < 300
    assert (found[None, 0.0, "unusable"] or 1e9) <= 50, "a new agent that is bad from its first answer on"


@pytest.mark.parametrize("an_hour", AN_HOUR)
@pytest.mark.parametrize("unusable", [0.8, 0.9, 1.0])
def test_a_new_agent_of_which_most_answers_are_of_no_use_pages_within_its_first_fifty(an_hour, unusable):
    random = np.random.default_rng(6)
    found = unusable_answers.unusable_pages(random, unusable=unusable, an_hour=an_hour, agents=100, answers=300)
    assert np.median(found.first) <= 50


@pytest.mark.parametrize("an_hour", AN_HOUR)
@pytest.mark.parametrize("right", [0.6, 0.8, 0.98])
def test_a_healthy_agent_does_not_page_for_answers_of_no_use_though_all_its_wrong_ones_are(an_hour, right):
    random = np.random.default_rng(6)
    hours = min(8_766.0, 40_000 / an_hour)
    agents, answers = 20, int(an_hour * hours)
    found = unusable_answers.unusable_pages(random, unusable=1 - right, an_hour=an_hour, agents=agents, answers=answers)
    assert found.pages <= agents * hours / 8_766 / 20


@pytest.mark.slow  # simulates hundreds of agents
@pytest.mark.parametrize("way", WAYS, ids=lambda way: f"{way.knows} at {way.bound:g}")
def test_a_new_agent_of_wrong_answers_is_a_ticket_within_its_first_hundreds_where_the_judge_finds_them(way):
    late = {right: ticket_delays(np.random.default_rng(8), way, right, 50) for right in (0.0, 0.9)}
    assert np.isinf(late[0.9]).mean() >= 0.95, "a healthy agent"
    finds = way.judged_wrong(0.0) > way.bound
    assert (np.median(late[0.0]) <= 250) == finds
    assert np.isinf(late[0.0]).all() == (not finds)


@pytest.mark.slow  # simulates hundreds of agents
def test_a_bound_above_what_wrong_answers_reach_pages_a_new_agent_and_no_healthy_one():
    random, bins = np.random.default_rng(8), development_bins()
    by_default, raised = BOUNDS
    assert np.isinf(page_delays(random, bins, by_default, 0.0, 50)).all(), "the pages say so"
    assert np.median(page_delays(random, bins, raised, 0.0, 50)) <= 250
    assert np.isinf(page_delays(random, bins, raised, 0.6, 50)).all()


@pytest.mark.slow  # simulates hundreds of agents
@pytest.mark.parametrize("an_hour", [AN_HOUR[0], pytest.param(AN_HOUR[1], marks=pytest.mark.nightly)])
def test_healthy_agents_page_at_most_once_in_twenty_years(an_hour):
    figures = year_figures(seed=5, scale=0.5, an_hour=(an_hour,), healthy=(0.6, 0.9), bad=())
    years = sum(row.agent_years for row in figures.healthy)
    allowed = years / 20
    assert sum(row.pages for row in figures.healthy) <= allowed
    assert sum(row.window_tickets_a_year for row in figures.healthy) == 0
