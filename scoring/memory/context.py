"""What memory knew when it judged an answer: a small value that a row stores, to explain and reproduce its score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

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


def read_context(record: Mapping[str, object]) -> MemoryContext:
    """The context of a record that `context_record` wrote; raises `ValueError` for another document.

    >>> read_context(context_record(NOTHING_KNOWN)) == NOTHING_KNOWN
    True
    """
    try:
        return MemoryContext(
            answers=_whole(record["answers"]),
            usual=_number(record["usual"]),
            voices=tuple([_voice(each) for each in _objects(record["voices"])]),
            joins=tuple([_join(each) for each in _objects(record["joins"])]),
            # contexts that were stored before conditions were counted have none
            lacking=tuple([_condition(each) for each in _objects(record.get("lacking", []))]),
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a stored context: {error}; score the answer again with memory") from error


def _voice(record: Mapping[str, object]) -> Voice:
    reviewed = record["reviewed"]
    return Voice(
        agent=str(record["agent"]),
        event_id=str(record["event_id"]),
        same=record["same"] is True,
        same_filters=record["filters"] is True,
        same_tables=record["tables"] is True,
        weight=_number(record["weight"]),
        reviewed=reviewed if isinstance(reviewed, bool) else None,
    )


def _join(record: Mapping[str, object]) -> JoinUse:
    left, right = cast("list[object]", record["columns"])
    return JoinUse(columns=(str(left), str(right)), questions=_whole(record["questions"]), of=_whole(record["of"]))


def _condition(record: Mapping[str, object]) -> ConditionUse:
    names = ("answers", "of", "questions", "agents")
    answers, of, questions, agents = (_whole(record[name]) for name in names)
    return ConditionUse(column=str(record["column"]), answers=answers, of=of, questions=questions, agents=agents)


def _objects(value: object) -> list[Mapping[str, object]]:
    if not isinstance(value, list):
        raise TypeError(f"{type(value).__name__} in place of a list")
    return cast("list[Mapping[str, object]]", value)


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is not a number")
    return float(value)


def _whole(value: object) -> int:
    return int(_number(value))
