"""`sqlassay bench alarms`: its figures, and the alerts on windows that it simulates."""

from pathlib import Path

import numpy as np
import pytest
import yaml

from evals.alarms.bench_figures import measured
from evals.alarms.judged_bins import development_bins
from evals.alarms.window_alerts import BUCKETS_A_DAY, WindowConditions, draw_counts, firing, joined
from scoring.rules import TierBounds

VALUES = Path(__file__).parents[2] / "deploy/helm/sqlassay/values.yaml"
_MINUTES = {"m": 1, "h": 60, "d": 1440}


def buckets(duration: str) -> int:
    return max(int(duration[:-1]) * _MINUTES[duration[-1]] // 10, 1)


def test_the_simulated_windows_have_the_conditions_of_the_chart():
    set_in_chart = yaml.safe_load(VALUES.read_text(encoding="utf-8"))["alerts"]["conditions"]
    period, budget = buckets(set_in_chart["period"]), 1 - set_in_chart["objective"]
    assert WindowConditions() == WindowConditions(
        long=buckets(set_in_chart["long"]),
        short=buckets(set_in_chart["short"]),
        min_count=set_in_chart["minCount"],
        min_short_count=set_in_chart["minShortCount"],
        tier=getattr(TierBounds(), set_in_chart["tier"]),
        judged_wrong=set_in_chart["judgedWrong"],
        drop=set_in_chart["drop"],
        drop_window=buckets(set_in_chart["dropWindow"]),
        baseline=buckets(set_in_chart["baseline"]),
        fast=(buckets(set_in_chart["fastWindow"]), buckets(set_in_chart["fastShort"])),
        slow=(buckets(set_in_chart["slowWindow"]), buckets(set_in_chart["slowShort"])),
        fast_bound=round(set_in_chart["fastShare"] * period / buckets(set_in_chart["fastWindow"]) * budget, 4),
        slow_bound=round(set_in_chart["slowShare"] * period / buckets(set_in_chart["slowWindow"]) * budget, 4),
    )


def test_window_alerts_fire_for_a_collapse_and_never_at_twenty_answers_a_day():
    random, bins = np.random.default_rng(1), development_bins()
    good, bad = bins.shares.mixed(1.0), bins.shares.mixed(0.0)
    for a_day, fires in ((5_000.0, True), (20.0, False)):
        before = draw_counts(random, bins, good, a_day, 8 * BUCKETS_A_DAY)
        after = draw_counts(random, bins, bad, a_day, BUCKETS_A_DAY)
        found = firing(joined(before, after), WindowConditions())
        assert found["SQLAssaySuddenDrop"].any() is np.bool_(fires)
        assert found["SQLAssayMeanBelowTier"].any() is np.bool_(fires)
        assert not found["SQLAssaySuddenDrop"][: 8 * BUCKETS_A_DAY].any()


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
