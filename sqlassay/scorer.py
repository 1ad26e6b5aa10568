"""The local judge for a Python program. The same answer always gets the same score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from scoring.query import Query, Unscored, UnscoredReason
from scoring.record import unscored_record
from scoring.rules import Rules as ReadRules
from sqlassay.answers import ScoredAnswer
from sqlassay.limited import LimitedProcess
from sqlassay.local import answer_record

if TYPE_CHECKING:
    from sqlassay.rules import Rules

ANSWER_FIELDS = ("question", "sql", "enriched_question", "history", "dialect", "occurred_at")
"""What is read of an answer."""


class Scorer:
    """Scores answers with one set of rules.

    `rules` is a `Rules`, or a mapping with the keys of a rules document; an invalid one raises `InvalidRules`. With
    `cpu_seconds`, answers are scored in a process of their own, and one that takes more CPU is unscored with
    `TOO_COSTLY`: use it for texts of strangers, and close the scorer, or use it in a `with` statement.
    """

    def __init__(self, rules: Rules | Mapping[str, object] | None = None, *, cpu_seconds: float | None = None) -> None:
        if rules is None:
            self._rules = ReadRules()
        else:
            from sqlassay.rules import read_rules  # noqa: PLC0415 Pydantic is loaded when first used

            self._rules = read_rules(rules)
        self._process = None if cpu_seconds is None else LimitedProcess(self._rules, cpu_seconds)

    def score(
        self,
        *,
        question: str,
        sql: str | None,
        enriched_question: str | None = None,
        history: Sequence[Mapping[str, str | None]] | None = None,
        dialect: str | None = None,
        occurred_at: datetime | None = None,
    ) -> ScoredAnswer:
        """Scores one answer. Bad texts raise nothing: they give an answer with `unscored`.

        `history` holds the earlier turns, oldest first, as mappings with `question` and `sql`; a follow-up is read with
        them. `occurred_at` is when the agent answered; relative dates refer to it.
        """
        return self._scored(
            {
                "question": question,
                "sql": sql,
                "enriched_question": enriched_question,
                "history": history,
                "dialect": dialect,
                "occurred_at": occurred_at,
            }
        )

    def score_many(self, answers: Iterable[Mapping[str, object]]) -> Iterator[ScoredAnswer]:
        """Scores one answer after another, in order, as they are asked for.

        An answer is a mapping with `question` and `sql`, and, if known, `enriched_question`, `history`, `dialect` and
        `occurred_at` (a datetime, or ISO 8601); other keys are ignored. A field of another type gives `INVALID_EVENT`.
        """
        return (self._scored(each) for each in answers)

    def _scored(self, answer: Mapping[str, object]) -> ScoredAnswer:
        query = read_answer(answer)
        if isinstance(query, Unscored):
            return ScoredAnswer.of(unscored_record(query, self._rules.version))
        if self._process is not None:
            return ScoredAnswer.of(self._process.record(query))
        return ScoredAnswer.of(answer_record(query, self._rules))

    def close(self) -> None:
        """Ends the process that a scorer with `cpu_seconds` has. It starts again when it is needed."""
        if self._process is not None:
            self._process.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def score(
    *,
    question: str,
    sql: str | None,
    enriched_question: str | None = None,
    history: Sequence[Mapping[str, str | None]] | None = None,
    dialect: str | None = None,
    occurred_at: datetime | None = None,
    rules: Rules | Mapping[str, object] | None = None,
) -> ScoredAnswer:
    """Scores one answer; see `Scorer.score`. For many answers with rules, a `Scorer` reads the rules once.

    >>> score(question="How many hens?", sql="SELECT COUNT(*) FROM hens").tier
    'good'
    """
    return Scorer(rules).score(
        question=question,
        sql=sql,
        enriched_question=enriched_question,
        history=history,
        dialect=dialect,
        occurred_at=occurred_at,
    )


def score_many(
    answers: Iterable[Mapping[str, object]],
    *,
    rules: Rules | Mapping[str, object] | None = None,
    cpu_seconds: float | None = None,
) -> Iterator[ScoredAnswer]:
    """Scores one answer after another, in order, as they are asked for; see `Scorer` and `Scorer.score_many`.

    >>> [each.score for each in score_many([{"question": "How many hens?", "sql": "SELECT COUNT(*) FROM hens"}])]
    [80.0]
    """
    with Scorer(rules, cpu_seconds=cpu_seconds) as scorer:
        yield from scorer.score_many(answers)


def read_answer(answer: Mapping[str, object]) -> Query | Unscored:
    """The answer to score, or which of its fields cannot be read."""
    fields: dict[str, Any] = {name: answer.get(name) for name in ANSWER_FIELDS}
    fields["sql"] = "" if fields["sql"] is None else fields["sql"]
    history = fields.pop("history")
    try:
        if isinstance(fields["occurred_at"], str):
            fields["occurred_at"] = datetime.fromisoformat(fields["occurred_at"])
    except ValueError:
        return _invalid("occurred_at", fields["occurred_at"], _TIME)
    for name, value in fields.items():
        kind, wanted = (datetime, _TIME) if name == "occurred_at" else (str, "a text")
        if not isinstance(value, kind) and (name in {"question", "sql"} or value is not None):
            return _invalid(name, value, wanted)
    return Query(**fields) if history is None else _with_turns(Query(**fields), history)


_TIME = "a datetime, or ISO 8601"


def _with_turns(query: Query, history: object) -> Query | Unscored:
    from sqlassay.turns import InvalidTurnsError, read_turns  # noqa: PLC0415 Pydantic is loaded when first used

    try:
        return replace(query, history=read_turns(history))
    except InvalidTurnsError as error:
        return Unscored(UnscoredReason.INVALID_EVENT, str(error))


def _invalid(name: str, value: object, wanted: str) -> Unscored:
    shown = repr(value)[:60] if isinstance(value, str | int | float | None) else type(value).__name__
    return Unscored(UnscoredReason.INVALID_EVENT, f"field {name} is {shown}: give {wanted}")
