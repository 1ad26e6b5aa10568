"""`sqlassay bench alarms`: its figures, and the alert on windows beside which the year is simulated."""

from pathlib import Path

import numpy as np
import pytest
import yaml

from evals.alarms.bench_figures import measured
from evals.alarms.judged_bins import development_bins
from evals.alarms.window_alerts import BUCKETS_A_DAY, WindowConditions, draw_counts, firing

VALUES = Path(__file__).parents[2] / "deploy/helm/sqlassay/values.yaml"
_MINUTES = {"m": 1, "h": 60, "d": 1440}


def buckets(duration: str) -> int:
    return max(int(duration[:-1]) * _MINUTES[duration[-1]] // 10, 1)


def test_the_simulated_windows_have_the_conditions_of_the_chart():
    set_in_chart = yaml.safe_load(VALUES.read_text(encoding="utf-8"))["alerts"]["conditions"]
    period, budget = buckets(set_in_chart["period"]), 1 - set_in_chart["objective"]
    assert WindowConditions() == WindowConditions(
        min_count=set_in_chart["minCount"],
        min_short_count=set_in_chart["minShortCount"],
        sure=set_in_chart["sure"],
        budget=(buckets(set_in_chart["budgetWindow"]), buckets(set_in_chart["budgetShort"])),
        budget_bound=round(set_in_chart["budgetShare"] * period / buckets(set_in_chart["budgetWindow"]) * budget, 4),
    )


def test_the_window_alert_fires_for_a_collapse_and_not_for_a_healthy_agent_or_a_quiet_one():
    random, bins = np.random.default_rng(1), development_bins()
    for a_day, right, fires in ((5_000.0, 0.0, True), (5_000.0, 0.6, False), (20.0, 0.0, False)):
        counted = draw_counts(random, bins, bins.shares.mixed(right), a_day, 8 * BUCKETS_A_DAY)
        assert firing(counted, WindowConditions()).any() is np.bool_(fires)


@pytest.mark.slow  # simulates hundreds of agents
def test_the_figures_of_the_bench_keep_the_promise():
    figures = measured(right=0.8, pasts=(20_000,), seed=3, scale=0.1)
    rare = [row for row in figures.false_alarms if row.answers_a_day == 1]
    assert rare[0].per_agent_year <= 1 / 20
    assert [row.per_agent_year <= 1 / 20 for row in figures.sessions if row.answers_a_day == 1 and row.past] == [True]
    large = [row for row in figures.delays if row.fall == 0.4]
    assert len(large) == 4
    assert all(row.ratio is not None and row.ratio <= 1.5 for row in large)
    assert all(row.theory_with_past is not None and row.theory_with_past >= row.theory for row in large)
