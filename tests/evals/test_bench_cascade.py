"""`sqlassay bench cascade`: what a share of calls brings, by which answers a model is asked about first."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from evals.cascade_orders import AskedFigures, AskOrder, JudgedTwice, Rounds, asked_figures
from service.commands.cli import app

RUNNER = CliRunner()
FARMGATE = Path(__file__).parents[2] / "benchmarks/everyday/choose/farmgate"


def answers(count: int = 400) -> list[JudgedTwice]:
    """Two agents: the local judge is sure of both, and wrong about half of the answers of one; its code shows which."""
    dice, found = np.random.default_rng(4), []
    for place in range(count):
        bad = place % 2 == 0
        right = bool(dice.random() < (0.5 if bad else 0.95))
        local = float(0.75 + 0.2 * dice.random())
        codes = frozenset({"HOUSE_FILTER"} if bad and not right and dice.random() < 0.8 else ())
        model = 0.9 if right == bool(dice.random() < 0.96) else 0.1
        found.append(JudgedTwice(agent="ash" if bad else "elm", right=right, local=local, model=model, codes=codes))
    return found


def by_order(shares: list[float], made: list[JudgedTwice]) -> dict[tuple[AskOrder, float], AskedFigures]:
    rows = asked_figures(made, shares, tuple(AskOrder), Rounds(rounds=4))
    return {(row.order, share): row for row, share in zip(rows, shares * len(AskOrder), strict=True)}


def test_all_calls_give_the_models_agreement_and_none_the_local_judges() -> None:
    made = answers()
    rows = by_order([0.0, 1.0], made)
    local = np.mean([each.right == (each.local >= 0.5) for each in made])
    model = np.mean([each.right == (each.model >= 0.5) for each in made])
    for order in AskOrder:
        none, every = rows[order, 0.0], rows[order, 1.0]
        assert (none.asked, every.asked) == (0.0, 1.0)
        assert (none.agreement, every.agreement) == pytest.approx((local, model))
        assert every.width < none.width
        assert every.held >= 0.8


def test_calls_by_value_learn_where_the_model_differs() -> None:
    rows = by_order([0.3], answers())
    assert rows[AskOrder.VALUE, 0.3].agreement > rows[AskOrder.CONFIDENCE, 0.3].agreement + 0.03
    assert rows[AskOrder.VALUE, 0.3].agreement > rows[AskOrder.RANDOM, 0.3].agreement + 0.03


def test_no_call_by_value_goes_to_a_proved_fault() -> None:
    proved = [replace(each, proved=True, local=0.1, model=0.9) for each in answers(100)]
    made = [*answers(100), *proved]
    assert by_order([1.0], made)[AskOrder.VALUE, 1.0].asked == 0.5


def test_agents_with_few_answers_have_no_interval() -> None:
    [row] = asked_figures(answers(20), [0.5], [AskOrder.RANDOM], Rounds(rounds=2))
    assert np.isnan(row.width)


def test_the_command_prints_a_row_for_each_order_and_share(tmp_path: Path) -> None:
    done = RUNNER.invoke(app, ["bench", "cascade", str(FARMGATE), "--rounds", "1", "--mistaken", "0", "--labels", "10"])
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {row["order"] for row in rows} == {"random", "confidence", "value"}
    every = next(row for row in rows if row["order"] == "random" and row["asked"] == 1.0)
    assert every["agreement"] == 1.0
    assert every["cost"] == pytest.approx(every["answers"] * 0.002)
    assert every["width"] is None  # an agent of one company has 44 answers
    replies = tmp_path / "replies.jsonl"
    replies.write_text('{"event_id": "farmgate-01-aspen", "p_correct": 0.2}\n')
    recorded = RUNNER.invoke(app, ["bench", "cascade", str(FARMGATE), "--rounds", "1", "--replies", str(replies)])
    assert json.loads(recorded.stdout.splitlines()[0])["answers"] == 1
    replies.write_text('{"event_id": "unknown", "p_correct": 0.2}\n')
    refused = RUNNER.invoke(app, ["bench", "cascade", str(FARMGATE), "--replies", str(replies)])
    assert (refused.exit_code, "no answer has a label" in refused.stderr) == (2, True)
