from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from consumers.memory import MemoryOutcomes, MemoryRules, MemoryScores
from consumers.ports import Judge, RuleSource, ScoreStore
from consumers.score_events import ScoreEvents
from scoring.rules import JudgePolicy
from service.judges import InProcessJudge
from service.weights import local_judge


@dataclass(slots=True)
class World:
    """The use case over in-memory ports, with what they hold within reach."""

    store: MemoryScores = field(default_factory=MemoryScores)
    rules: MemoryRules = field(default_factory=MemoryRules)
    outcomes: MemoryOutcomes = field(default_factory=MemoryOutcomes)

    def use_case(
        self, *, store: ScoreStore | None = None, rules: RuleSource | None = None, judge: Judge | None = None
    ) -> ScoreEvents:
        return ScoreEvents(
            judges={JudgePolicy.LOCAL: judge or InProcessJudge(local_judge())},
            rules=rules or self.rules,
            store=store or self.store,
            outcomes=self.outcomes,
            clock=lambda: datetime(2026, 11, 2, tzinfo=UTC),
            timer=time.monotonic,
        )


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def new_world() -> Callable[[], World]:
    return World
