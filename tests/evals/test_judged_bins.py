"""The counts that alarms are simulated from are those of the packaged judge."""

from __future__ import annotations

import json
from itertools import islice

import numpy as np
import pytest

from evals.alarms.judged_bins import development_bins
from scoring.evaluation import conclude, examine
from scoring.query import Query, Unscored
from scoring.rules import Rules
from service.judges.weights import local_judge
from tests.development import labels_path

EVERY = 8
"""One in so many answers is scored: some three hundred."""


@pytest.mark.slow
@pytest.mark.development_data("judge/dev_agents.jsonl")
@pytest.mark.parametrize("right", [True, False])
def test_the_packaged_judge_scores_right_and_wrong_answers_as_the_counts_say(right):
    judge, bins, found = local_judge(), development_bins(), list[tuple[float, float]]()
    with labels_path("dev_agents").open(encoding="utf-8") as file:
        for row in islice(map(json.loads, file), 0, None, EVERY):
            query = Query(
                question=row["question"],
                sql=row["sql"],
                enriched_question=row["enriched_question_proxy"],
                dialect="sqlite",
            )
            case = examine(query, Rules())
            if row["label"] == int(right) and not isinstance(case, Unscored):
                score = conclude(case, judge.judge(case))
                found.append((score.composite.score, float(score.reply.p_correct or 0.0)))
    scores, probabilities = np.array(found).T
    shares = bins.shares.mixed(float(right))
    assert abs(scores.mean() - shares @ bins.scores) < 6, "count the bins again, and run `sqlassay bench year`"
    assert abs((probabilities < 0.5).mean() - shares @ bins.judged_wrong) < 0.1
