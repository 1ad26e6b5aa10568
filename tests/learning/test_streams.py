"""What the default tier alert sees: right answers alone do not trip it, an even mix with wrong ones does."""

from __future__ import annotations

import numpy as np
import pytest

from learning.calibration import calibrate
from scoring.quality import below_good
from service.commands.learn import balanced, read_labels
from tests.development import labels_path

SETS = ("dev_bugs", "dev_spider_ex")


@pytest.mark.development_data("judge")
@pytest.mark.parametrize("name", SETS)
def test_right_answers_alone_do_not_trip_the_alert_and_an_even_mix_does(name: str) -> None:
    """By weights that have not seen the question judged: each row is predicted with its question held out."""
    rows = balanced(list(read_labels(str(labels_path(name)), group="question", weight=1.0)))
    wrong = calibrate(rows).held_out < 0.5
    right_answers = np.array([row.correct for row in rows])
    of_right, of_wrong = float(wrong[right_answers].mean()), float(wrong[~right_answers].mean())
    assert not below_good(scored=len(rows), judged_wrong=of_right)
    assert below_good(scored=len(rows), judged_wrong=(of_right + of_wrong) / 2)


def test_too_few_answers_say_nothing() -> None:
    assert not below_good(scored=29, judged_wrong=1.0)
    assert below_good(scored=30, judged_wrong=1.0)
    assert not below_good(scored=30, judged_wrong=None)
