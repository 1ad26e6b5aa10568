"""An answer beside its gold SQL, with all that a model may be shown of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Shown: TypeAlias = Mapping[str, object]
"""Plain JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Background:
    """What the operator says of a data set. It is sent as it is written."""

    domain: str = ""
    text: str = ""

    @property
    def document(self) -> Shown:
        """The parts that are not empty, by name."""
        return {name: value for name, value in (("domain", self.domain), ("background", self.text)) if value}


NO_BACKGROUND = Background()


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldEvidence:
    """What running and searching gave. All values are plain JSON; results are cut to their first rows and columns."""

    gold_result: Shown | None = None
    answer_result: Shown | None = None
    witness: Shown | None = None
    """A small database of valid data on which the two differ, with both results."""
    schema: tuple[Shown, ...] = ()
    """The declared tables that either query reads."""
    finding: str = ""
    """What the comparison found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldCase:
    """One answer to compare with its gold SQL."""

    sql: str
    gold: tuple[str, ...]
    """At least one query that is right."""
    question: str | None = None
    """`None` for a pair of queries that answer no question."""
    enriched_question: str | None = None
    dialect: str | None = None
    evidence: GoldEvidence = field(default_factory=GoldEvidence)
    background: Background = NO_BACKGROUND
