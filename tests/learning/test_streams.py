"""What the default tier alert sees: right answers alone do not trip it, an even mix with wrong ones does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

from learning.calibration import calibrate
from service.commands.learn.calibrate import read_labels
from tests.development import labels_path

SETS = ("dev_bugs", "dev_agents")
VALUES = Path(__file__).parents[2] / "deploy/helm/sqlassay/values.yaml"


@pytest.fixture(scope="module")
def bound() -> float:
    """The share judged wrong above which the alert fires."""
    return yaml.safe_load(VALUES.read_text(encoding="utf-8"))["alerts"]["conditions"]["judgedWrong"]


@pytest.mark.slow  # fits the weights anew
@pytest.mark.development_data("judge")
@pytest.mark.parametrize("name", SETS)
def test_right_answers_alone_do_not_trip_the_alert_and_an_even_mix_does(name: str, bound: float) -> None:
    """By weights that have not seen the question judged: each row is predicted with its question held out."""
    rows = list(read_labels(str(labels_path(name)), groups=["question"], weight=1.0))
    wrong = calibrate(rows).held_out < 0.5
    right_answers = np.array([row.correct for row in rows])
    of_right, of_wrong = float(wrong[right_answers].mean()), float(wrong[~right_answers].mean())
    assert of_right <= bound < (of_right + of_wrong) / 2
