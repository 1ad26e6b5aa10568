"""The local judge with the packaged weights, in this process."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import scoring
from scoring.evaluation import conclude, examine
from scoring.judging.local import LocalJudge, load_weights
from scoring.query import Query, Unscored, UnscoredReason
from scoring.record import score_record, unscored_record
from scoring.rules import Rules as ReadRules


def answer_record(query: Query, rules: ReadRules) -> Mapping[str, Any]:
    """The fields of the line out for an answer that the local judge scores in this process."""
    try:
        case = examine(query, rules)
        if isinstance(case, Unscored):
            return unscored_record(case, rules.version)
        return score_record(conclude(case, _judge().judge(case)))
    except Exception as error:  # one answer that trips a bug must not cost the caller the others
        why = f"the scorer failed ({type(error).__name__}): please report it"
        return unscored_record(Unscored(UnscoredReason.SCORER_FAILED, why), rules.version)


@cache
def _judge() -> LocalJudge:
    weights: dict[str, object] = json.loads(files(scoring).joinpath("weights.json").read_text(encoding="utf-8"))
    return LocalJudge.of(load_weights(weights))
