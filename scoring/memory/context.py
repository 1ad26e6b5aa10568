"""What memory knew when it judged an answer: a small value that a row stores, to explain and reproduce its score."""

from __future__ import annotations

from scoring.immutable import immutable

MOST_VOICES = 32
"""Most other agents that are compared with."""
MOST_LACKING = 8
"""Most usual conditions that an answer may lack in its context."""
MOST_CONTEXT_JOINS = 16
"""Most joins of the answer that are looked up."""


@immutable()
class Voice:
    """Another agent's answer to the same question, or an answer that a person has reviewed."""

    agent: str
    event_id: str
    same: bool
    """It has the same specification."""
    same_filters: bool
    same_tables: bool
    weight: float = 1.0
    """How far it counts, in [0, 1.5]: less for a rewording, for a copy of this agent, for an unreliable agent."""
    reviewed: bool | None = None
    """What a person said about it: right, wrong, or nothing."""


@immutable()
class JoinUse:
    """How usual a join of the answer is in this tenant's traffic."""

    columns: tuple[str, str]
    """`table.column` on both sides."""
    questions: int
    """Other questions whose answers join these columns."""
    of: int
    """Other questions whose answers join these two tables in any way."""


@immutable()
class ConditionUse:
    """A condition that most answers of this tenant have on a table that the answer reads, and that it lacks."""

    column: str
    """`table.column`."""
    answers: int
    """Other answers, to other questions, that have it."""
    of: int
    """Other answers, to other questions, that read the table."""
    questions: int
    """Other questions with an answer that has it."""
    agents: int
    """Agents that have it."""


@immutable()
class MemoryContext:
    """What the tenant's earlier answers say about one answer."""

    answers: int = 0
    """Answers remembered when this one was judged."""
    usual: float = 0.0
    """How far answers of this tenant usually agree: what is subtracted for each of `Agreement.units`."""
    voices: tuple[Voice, ...] = ()
    joins: tuple[JoinUse, ...] = ()
    lacking: tuple[ConditionUse, ...] = ()


NOTHING_KNOWN = MemoryContext()
"""The context of a first answer: it changes nothing."""


def context_record(context: MemoryContext) -> dict[str, object]:
    """The context as plain JSON."""
    return {
        "answers": context.answers,
        "usual": context.usual,
        "voices": [
            {
                "agent": each.agent,
                "event_id": each.event_id,
                "same": each.same,
                "filters": each.same_filters,
                "tables": each.same_tables,
                "weight": each.weight,
                "reviewed": each.reviewed,
            }
            for each in context.voices
        ],
        "joins": [
            {"columns": list(each.columns), "questions": each.questions, "of": each.of} for each in context.joins
        ],
        "lacking": [
            {
                "column": each.column,
                "answers": each.answers,
                "of": each.of,
                "questions": each.questions,
                "agents": each.agents,
            }
            for each in context.lacking
        ],
    }
