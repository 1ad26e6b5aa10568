"""`sqlassay bench cascade`: what a share of a model's calls brings, by which answers it is asked about."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from math import isnan

import numpy as np
from rich.table import Table

from evals.cascade_orders import AskedFigures, AskOrder, JudgedTwice, Rounds, asked_figures
from scoring.evaluation import examine
from scoring.judging.combination import RIGHT
from scoring.reason_kinds import PROOFS
from scoring.rules import Rules
from scoring.verdict import Case
from service.commands.bench.cascade_options import CascadeOptions
from service.commands.eval.judge_options import JudgeOptions
from service.commands.eval.labelled_answers import LabelledAnswer, read_labelled_answers
from service.commands.eval.stored_verdicts import stored_verdicts
from service.commands.exits import refuse
from service.commands.rendering.terminal import print_to_terminal
from service.judges.weights import local_judge

SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 1.0)
SURE = 0.9
"""The confidence of a simulated model."""


def bench_cascade(options: CascadeOptions) -> None:
    """Prints a row for each order and share of calls: a table on a terminal, JSON lines elsewhere."""
    labels = [each for source in options.sources for each in read_labelled_answers(source, with_enriched=True)]
    answers = _recorded(labels, options) if options.replies is not None else _simulated(labels, options)
    if not answers:
        refuse(f"{', '.join(options.sources)}: no answer has a label, a local verdict and a model's verdict")
    rounds = Rounds(labels=options.labels, rounds=options.rounds, seed=options.seed)
    found = asked_figures(answers, SHARES, tuple(AskOrder), rounds)
    rows = [(each, each.asked * len(answers) * options.call_cost) for each in found]
    if options.as_json or not sys.stdout.isatty():
        for row, cost in rows:
            figures = {
                name: None if isinstance(value, float) and isnan(value) else value
                for name, value in asdict(row).items()
            }
            print(json.dumps({"answers": len(answers), **figures, "cost": round(cost, 4)}))
    else:
        print_to_terminal(_table(rows, len(answers), options))


def _recorded(labels: Sequence[LabelledAnswer], options: CascadeOptions) -> list[JudgedTwice]:
    replies = options.replies or ""
    found = stored_verdicts(labels, replies, JudgeOptions(labels=options.sources, replies=replies), local_judge())
    said = {each.id: each.p_correct for each in found}
    return [made for each in labels if each.id in said and (made := _judged(each, said[each.id])) is not None]


def _simulated(labels: Sequence[LabelledAnswer], options: CascadeOptions) -> list[JudgedTwice]:
    """A model that is wrong about so many of the answers, whichever they are."""
    dice = np.random.default_rng(options.seed)
    wrong = dice.random(len(labels)) < options.mistaken
    said = [SURE if each.correct != bool(flip) else 1 - SURE for each, flip in zip(labels, wrong, strict=True)]
    return [made for each, model in zip(labels, said, strict=True) if (made := _judged(each, model)) is not None]


def _judged(label: LabelledAnswer, model: float) -> JudgedTwice | None:
    case = examine(label.query, Rules())
    if not isinstance(case, Case):
        return None
    reply = local_judge().judge(case)
    return JudgedTwice(
        agent=str(label.row.get("agent") or ""),
        right=label.correct,
        local=reply.p_correct,
        model=model,
        proved=case.ran_nothing
        or (reply.verdict not in RIGHT and any(reason.code in PROOFS for reason in reply.reasons)),
        codes=frozenset(reason.code.value for reason in reply.reasons),
    )


def _table(rows: Sequence[tuple[AskedFigures, float]], answers: int, options: CascadeOptions) -> Table:
    simulated = f"a simulated model, wrong about {options.mistaken:.0%}"
    model = simulated if options.replies is None else f"replies of {options.replies}"
    table = Table(title=f"{answers:,} answers, {model}")
    table.add_column("asked first")
    for head in ("calls", "cost", "agreement", "interval's width", "held"):
        table.add_column(head, justify="right")
    for row, cost in rows:
        figures = (f"{row.asked:.0%}", f"{cost:.2f}", f"{row.agreement:.3f}", f"{row.width:.3f}", f"{row.held:.2f}")
        table.add_row(row.order.value, *figures)
    return table
