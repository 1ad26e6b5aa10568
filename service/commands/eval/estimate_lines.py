"""Reads what `sqlassay eval estimate` needs: scored answers, and labels of some of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import orjson
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from consumers.wire.texts import shorten
from service.commands.exits import refuse
from service.commands.jsonl import open_input, read_lines

_Probability = Annotated[float, Field(ge=0, le=1)]


def _text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


class ScoredLine(BaseModel):
    """A line out of `sqlassay score`. Other keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    event_id: Annotated[str | None, BeforeValidator(_text)] = None
    tenant: Annotated[str, BeforeValidator(lambda value: "default" if value is None else value)] = "default"
    agent: str | None = None
    """None in files of earlier releases."""
    judge: str | None = None
    p_alone: _Probability | None = None
    p_correct: _Probability | None
    line: int | None = None
    """Where the line was not an event: its number in the file that was scored."""

    @property
    def alone(self) -> float | None:
        """`p_alone`; without memory that is `p_correct`."""
        return self.p_alone if self.p_alone is not None else self.p_correct


class LabelLine(BaseModel):
    """A label of an answer. Other keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    event_id: Annotated[str, BeforeValidator(_text)]
    tenant: str = "default"
    agent: str | None = None
    """Names the answer where several agents of the tenant have one with this `event_id`."""
    label: Annotated[int, Field(ge=0, le=1)]
    probability: Annotated[float, Field(gt=0, le=1)] | None = None


class VerdictLine(BaseModel):
    """A model's verdict on an answer, as `sqlassay score --judge llm` writes it. Other keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    event_id: Annotated[str | None, BeforeValidator(_text)] = None
    tenant: Annotated[str, BeforeValidator(lambda value: "default" if value is None else value)] = "default"
    agent: str | None = None
    p_correct: _Probability | None
    model: str | None = None
    fallback: bool = False
    asked_probability: Annotated[float, Field(gt=0, le=1)] | None = None

    @property
    def of_model(self) -> bool:
        """Whether a model gave it, and not the local judge in a model's place."""
        return self.p_correct is not None and not self.fallback and self.model != "" and self.event_id is not None


class Place(NamedTuple):
    """A line of a file."""

    source: str
    number: int

    def refuse(self, message: str) -> None:
        """Ends the command with what is wrong with the line."""
        refuse(f"{self.source}, line {self.number}: {message}")


AnswerKey = tuple[str, str, str]
"""Tenant, agent and event id of an answer; an agent that is not named is ""."""


def key_of(answer: ScoredLine) -> AnswerKey:
    """Names the answer."""
    return answer.tenant, answer.agent or "", answer.event_id or ""


@dataclass(frozen=True, slots=True)
class ScoredAnswers:
    """The answers of a file of scores, each once."""

    answers: list[ScoredLine]
    named: dict[tuple[str, str], dict[str, ScoredLine]]
    """By tenant and event id, then by agent."""
    no_events: int
    """Lines that were not events."""

    def answer_of(self, line: LabelLine | VerdictLine, place: Place) -> ScoredLine | None:
        """The answer that a line is about. A line that may be about several ends the command."""
        agents = self.named.get((line.tenant, line.event_id or ""), {})
        if line.agent is not None:
            return agents.get(line.agent)
        if len(agents) > 1:
            names = ", ".join(sorted(agents))
            place.refuse(f"event_id {line.event_id!r} is that of several agents ({names}): add the key agent")
        return next(iter(agents.values()), None)


def read_scored(source: str) -> ScoredAnswers:
    """Reads the answers. An invalid line, or two lines that differ about one answer, end the command."""
    found = ScoredAnswers([], {}, 0)
    no_events = 0
    for place, row in _lines(source, ScoredLine, "as `sqlassay score` writes it"):
        if row.line is not None and row.event_id is None:
            no_events += 1
            continue
        if row.event_id is not None:
            agents = found.named.setdefault((row.tenant, row.event_id), {})
            known = agents.setdefault(row.agent or "", row)
            if known is not row:
                if known != row:
                    place.refuse(f"event_id {row.event_id!r} has another line that differs: keep one of them")
                continue
        found.answers.append(row)
    return ScoredAnswers(found.answers, found.named, no_events)


def read_labels(source: str) -> Iterator[tuple[Place, LabelLine]]:
    """Reads the labels. An invalid line ends the command."""
    yield from _lines(
        source, LabelLine, "a label is {event_id, tenant, label: 1 or 0, probability: above 0 and up to 1, or null}"
    )


def read_verdicts(source: str) -> Iterator[tuple[Place, VerdictLine]]:
    """Reads a model's verdicts. An invalid line ends the command."""
    yield from _lines(source, VerdictLine, "as `sqlassay score --judge llm` writes it")


def _lines(source: str, model: type[Any], expected: str) -> Iterator[tuple[Place, Any]]:
    with open_input(source) as stream:
        for line in read_lines(stream):
            place = Place(source, line.number)
            if line.raw is not None and not line.raw.strip():
                continue
            try:
                yield place, model.model_validate(orjson.loads(line.raw or b""))
            except orjson.JSONDecodeError:
                place.refuse(f"is not JSON: {expected}")
            except ValidationError as error:
                fault = error.errors(include_url=False)[0]
                field = ".".join(map(str, fault["loc"])) or "the line"
                place.refuse(f"{field}: {shorten(fault['msg'])}; {expected}")
