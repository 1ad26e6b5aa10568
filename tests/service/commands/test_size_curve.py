"""`sqlassay learn rules --curve`: what is gained from more and more labels, over one set of held-out labels."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from learning.rules.splitting import smaller_split, split_labels
from tests.learning.rule_habits import drawn_labels, write_labels
from tests.learning.test_rule_learning import EXAMPLES
from tests.servers.model_server import ModelServer, model_process_server, model_server
from tests.service.commands.command_line import sqlassay

__all__ = ["model_process_server", "model_server"]


@pytest.mark.parametrize("seed", range(3))
def test_fewer_labels_are_among_more_and_hold_out_the_same(seed: int) -> None:
    whole = split_labels(EXAMPLES, learn_from=None, seed=seed)
    parts = [*(smaller_split(whole, number) for number in (12, 24, 48)), whole]
    assert all(each.held_out == whole.held_out for each in parts)
    for fewer, more in pairwise(parts):
        assert set(fewer.train) < set(more.train)
        assert set(fewer.chosen_by) < set(more.chosen_by)
        assert not {each.group for each in fewer.train} & {each.group for each in fewer.chosen_by}


@pytest.mark.parametrize("number", [0, 84, 500])
def test_a_number_that_is_not_fewer_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match="are not fewer than"):
        smaller_split(split_labels(EXAMPLES, learn_from=None, seed=0), number)


@pytest.mark.slow  # a thousand calls of a model
def test_the_curve_rises_with_the_labels_and_is_in_the_document(model_server: ModelServer, tmp_path: Path) -> None:
    model_server.script({"do": "learner"})
    labels, out = write_labels(tmp_path / "labels.jsonl", drawn_labels(1)), tmp_path / "rules.json"
    settings = {
        "SQLASSAY_JUDGE__BASE_URL": model_server.url,
        "SQLASSAY_JUDGE__MODEL": "weak",
        "SQLASSAY_JUDGE__PRICES": '{"weak": {"sent": 0, "received": 0}}',
        "SQLASSAY_LEARN__MODEL": "strong",
    }
    options = ("--out", str(out), "--cluster-size", "12", "--curve", "16,40")
    done = sqlassay("learn", "rules", labels, *options, **settings)
    assert done.returncode == 0, done.stderr
    document = json.loads(out.read_text())
    curve = document["made"]["curve"]
    assert [each["labels"] for each in curve] == sorted(each["labels"] for each in curve)
    assert curve[0]["accuracy"] < curve[-1]["accuracy"] == document["held_out"]["after"]["accuracy"]
    assert curve[-1]["rules"] == len(document["rules"])
    model_server.script({"do": "learner"})
    again = sqlassay("learn", "rules", labels, *options, **settings)
    assert (again.returncode, model_server.seen()) == (0, [])
    assert json.loads(out.read_text()) == document


def test_numbers_of_labels_are_checked_before_a_model_is_asked(model_server: ModelServer, tmp_path: Path) -> None:
    labels = write_labels(tmp_path / "labels.jsonl", drawn_labels(1))
    for wrong in ("many", "100000"):
        done = sqlassay("learn", "rules", labels, "--out", str(tmp_path / "rules.json"), "--curve", wrong)
        assert (done.returncode, "--curve is numbers of labels" in done.stderr) == (2, True), done.stderr
