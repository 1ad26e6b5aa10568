"""The field `history` of an event: the earlier turns of the conversation, oldest first."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from scoring.query import Turn

MOST_TURNS = 50
"""Most earlier turns of an event."""
MAX_TURN = 100_000
"""Longest question or SQL of a turn, in characters."""
MAX_HISTORY = 400_000
"""Most characters of all turns together."""


class TurnDocument(BaseModel):
    """One earlier turn. Other keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    question: Annotated[str, Field(strict=True, max_length=MAX_TURN)] = Field(description="What the person asked then.")
    sql: Annotated[str, Field(strict=True, max_length=MAX_TURN)] | None = Field(
        default=None, description="The agent's SQL then; null where it gave none."
    )

    def turn(self) -> Turn:
        """What scoring reads of it."""
        return Turn(question=self.question, sql=self.sql)


def _bounded(turns: tuple[TurnDocument, ...]) -> tuple[TurnDocument, ...]:
    letters = sum(len(each.question) + len(each.sql or "") for each in turns)
    if letters > MAX_HISTORY:
        raise ValueError(f"it has {letters} characters, at most {MAX_HISTORY} are accepted: send the latest turns")
    return turns


History: TypeAlias = Annotated[tuple[TurnDocument, ...], Field(max_length=MOST_TURNS), AfterValidator(_bounded)]
"""Earlier turns, oldest first."""


def needs(path: str) -> str:
    """What an event needs whose field at a path is absent."""
    return "a turn needs its question" if path.startswith("history.") else "an event needs question and sql"
