"""One answer of an agent, as `scoring` reads it, and the reasons why an answer may have no score."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from scoring.patterns import lazy


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """What running the SQL gave, as far as the deployment says. Nothing here is a value of a row."""

    executed: bool | None = None
    """Whether the database ran the SQL to its end."""
    error: str = ""
    """The database's message, with words of the SQL and of error messages alone; blank where it gave none."""
    rows: int | None = None
    columns: int | None = None
    """How many columns came back."""
    empty: bool | None = None
    """No row came back."""
    only_null: bool | None = None
    """Rows came back, and every value is NULL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """An earlier turn of the conversation."""

    question: str
    """What the person asked then."""
    sql: str | None = None
    """The agent's answer then; `None` where it gave none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One answer: the inputs Qu, Qe and S (STEF, section 3.1), and the time that anchors relative dates."""

    question: str
    sql: str
    enriched_question: str | None = None
    dialect: str | None = None
    """A sqlglot dialect name; `None` is guessed from the text."""
    occurred_at: datetime | None = None
    """Anchor of relative dates (`last month`), naive local or aware; `None` leaves them relative."""
    question_found: bool = True
    """False: the spans of the trace hold no question, or the prompt asks none; `question` is blank."""
    result: RunResult | None = None
    """What running the SQL gave, if the event says so."""
    history: tuple[Turn, ...] = ()
    """The earlier turns of the conversation, oldest first. Only a question that needs them is read with them."""
    watched: bool = False
    """Whether its agent may have become worse, or its version is new: a cascade asks its model up to a second bar."""


_UNREADABLE = lazy("[\0\ud800-\udfff]")


def unreadable(text: str) -> re.Match[str] | None:
    """The first NUL or lone surrogate of a text, if it holds one."""
    return None if text.isascii() and "\0" not in text else _UNREADABLE.search(text)


class UnscoredReason(StrEnum):
    """Why an evaluation has no score. A closed list: each member is documented in `docs/reasons.md`."""

    EMPTY_SQL = "EMPTY_SQL"
    """The SQL is blank or only comments."""
    REFUSED_ANSWER = "REFUSED_ANSWER"
    """The agent answered with prose, not SQL."""
    EMPTY_QUESTION = "EMPTY_QUESTION"
    """The question is blank."""
    NO_QUESTION = "NO_QUESTION"
    """No span of the trace held the question in time, or the text is a prompt in which no question is found."""
    FOLLOW_UP_UNRESOLVED = "FOLLOW_UP_UNRESOLVED"
    """The question has a meaning only after another one, and neither `history` nor an enriched question gives it."""
    UNPARSEABLE_SQL = "UNPARSEABLE_SQL"
    """The SQL does not parse in its dialect."""
    MULTIPLE_STATEMENTS = "MULTIPLE_STATEMENTS"
    """The text holds more than one statement."""
    NOT_AN_ANSWER = "NOT_AN_ANSWER"
    """The SQL only looks at the database: its catalogue, its session, a plan, or whether it answers."""
    NOT_A_SELECT = "NOT_A_SELECT"
    """The statement changes data or schema, or does something else than read."""
    SQL_TOO_LONG = "SQL_TOO_LONG"
    """The SQL is longer than the bound."""
    SQL_TOO_DEEP = "SQL_TOO_DEEP"
    """The SQL nests deeper than the bound."""
    SQL_TOO_LARGE = "SQL_TOO_LARGE"
    """The SQL has more tokens, or more conditions, columns, joins or other parts, than the bound."""
    QUESTION_TOO_LONG = "QUESTION_TOO_LONG"
    """The question or the enriched question is longer, or states more conditions or other parts, than the bound."""
    UNKNOWN_DIALECT = "UNKNOWN_DIALECT"
    """The dialect named is not one that is known."""
    INVALID_TEXT = "INVALID_TEXT"
    """A text holds NUL characters or lone surrogates."""
    INVALID_EVENT = "INVALID_EVENT"
    """The line is not an event: not JSON, not an object, or a field of the wrong shape."""
    JUDGE_UNAVAILABLE = "JUDGE_UNAVAILABLE"
    """The judge could not be reached within its deadline."""
    JUDGE_REPLY_INVALID = "JUDGE_REPLY_INVALID"
    """The model's reply holds no verdict that was offered: no JSON, cut short, too large, or another word."""
    JUDGE_REFUSED = "JUDGE_REFUSED"
    """The model declined to judge."""
    JUDGE_NOT_ASKED = "JUDGE_NOT_ASKED"
    """The answer was not sent to the model: a text cannot be masked, or the prompt is longer than the bound."""
    BUDGET_SPENT = "BUDGET_SPENT"
    """The tenant's budget for model calls is spent for today."""
    NOT_SAMPLED = "NOT_SAMPLED"
    """The tenant's sample rate left the event out; coverage does not count it."""
    CANARY = "CANARY"
    """The event is a canary, which is compared with its reference and counted apart."""
    TOO_COSTLY = "TOO_COSTLY"
    """Scoring took more CPU or memory than one event may have."""
    SCORER_FAILED = "SCORER_FAILED"
    """The scorer failed on this answer: a bug, logged with the event's identity."""


@dataclass(frozen=True, slots=True)
class Unscored:
    """Why an answer has no score."""

    reason: UnscoredReason
    detail: str = ""
    """One line for a person: the thing, the value (shortened) and the fix."""


@dataclass(frozen=True, slots=True)
class ModelUnscored(Unscored):
    """Why an answer has no score although a model was asked, and what that cost."""

    model: str = ""
    prompt_hash: str = ""
    """SHA-256 of the prompt that was sent."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    """Money for all calls, in the currency of the price list."""
    cached: bool = False
    fallback: bool = False
    rationale: str = ""
    asked_probability: float | None = None
