"""The alarm on the share judged wrong: right answers alone do not trip it, an even mix with wrong ones does."""

from __future__ import annotations

import numpy as np
import pytest

from evals.alarms.agent_alarm import JUDGED_WRONG
from learning.calibration import calibrate
from service.commands.learn.calibrate import read_labels
from tests.development import labels_path

SETS = ("dev_bugs", "dev_agents")


@pytest.mark.slow  # fits the weights anew
@pytest.mark.development_data("judge")
@pytest.mark.parametrize("name", SETS)
def test_right_answers_alone_do_not_trip_the_alert_and_an_even_mix_does(name: str) -> None:
    """By weights that have not seen the question judged: each row is predicted with its question held out."""
    rows = list(read_labels(str(labels_path(name)), groups=["question"], weight=1.0))
    wrong = calibrate(rows).held_out < 0.5
    right_answers = np.array([row.correct for row in rows])
    of_right, of_wrong = float(wrong[right_answers].mean()), float(wrong[~right_answers].mean())
    assert of_right <= JUDGED_WRONG < (of_right + of_wrong) / 2
