"""Scores answers of text-to-SQL agents 0-100, with reasons, without a schema and without a reference query.

>>> from sqlassay import score
>>> answer = score(question="How many members joined in 2025?", sql="SELECT COUNT(*) FROM members")
>>> answer.score, answer.verdict, [reason.code for reason in answer.reasons if reason.kind == "fault"]
(10.0, 'Potentially Incorrect', ['VALUE_UNUSED', 'FILTER_MISSING'])

The names in `__all__` are stable: a release that changes one says so in the changelog, and its number shows it. All
other modules of the package are its inside.

Change this here when it concerns:

- the library: `sqlassay/`; how the rooms get into the wheel: `hatch_build.py`; then `docs/library.md`,
  `tests/library/`, `tests/supply/test_wheel.py`
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlassay.answers import AnswerReason, ScoredAnswer
    from sqlassay.rules import InvalidRules, Rules
    from sqlassay.scorer import Scorer, score, score_many

__all__ = ["AnswerReason", "InvalidRules", "Rules", "ScoredAnswer", "Scorer", "score", "score_many"]

_HOMES = {
    "answers": ("AnswerReason", "ScoredAnswer"),
    "rules": ("InvalidRules", "Rules"),
    "scorer": ("Scorer", "score", "score_many"),
}


def __getattr__(name: str) -> object:
    # each module is loaded when first used: the commands are in this package too, and most need no scorer; rules are
    # checked by Pydantic, which takes as long to load as half of the scorer
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
