"""Predictions that were recorded earlier, as a backend."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from consumers.wire.texts import shorten
from evals.runner.cases import BenchmarkCase, GenerationFailure, GenerationResult, TraceStep
from service.commands.eval.runner.benchmark_file import CaseId, InvalidBenchmarkError, listed, parsed_line
from service.commands.jsonl import open_input, read_lines


class TraceLine(BaseModel):
    """A step of a trace, as JSON."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    kind: str = "step"
    content: str = ""
    tool: str | None = None
    seconds: float | None = None
    ok: bool | None = None

    def step(self) -> TraceStep:
        """The step."""
        return TraceStep(kind=self.kind, content=self.content, tool=self.tool, seconds=self.seconds, ok=self.ok)


class PredictionLine(BaseModel):
    """A line of predictions. Other keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    case_id: CaseId
    sql: str | None
    """`null` when the agent gave none."""
    metadata: dict[str, Any] = Field(default_factory=dict[str, Any])
    trace: list[TraceLine] = Field(default_factory=list[TraceLine])


@dataclass(frozen=True, slots=True)
class RecordedPredictions:
    """The predictions of a file; several for a case are its samples, in order."""

    by_case: dict[str, list[PredictionLine]]
    sha256: str

    def unknown(self, cases: Sequence[BenchmarkCase]) -> int:
        """How many predictions are for no case of the benchmark."""
        known = {each.case_id for each in cases}
        return sum(len(lines) for case_id, lines in self.by_case.items() if case_id not in known)

    async def generate(self, case: BenchmarkCase, sample: int) -> GenerationResult | GenerationFailure:
        """The prediction for a case."""
        lines = self.by_case.get(case.case_id, [])
        if len(lines) < sample:
            missing = "no prediction" if not lines else f"only {len(lines)} predictions"
            return GenerationFailure("no_prediction", f"{missing} for {shorten(case.case_id)!r}: add a line")
        line = lines[sample - 1]
        if line.sql is None:
            return GenerationFailure("no_prediction", "the prediction has no SQL")
        return GenerationResult(line.sql, line.metadata, tuple(each.step() for each in line.trace))


def read_predictions(source: str, samples: int) -> RecordedPredictions:
    """Reads the predictions of a file. Raises `InvalidBenchmarkError` with the lines that are wrong."""
    digest = hashlib.sha256()
    faults: list[str] = []
    by_case: dict[str, list[PredictionLine]] = {}
    with open_input(source) as stream:
        for line in read_lines(stream):
            digest.update((line.raw or b"") + b"\n")
            if line.raw is not None and not line.raw.strip():
                continue
            found = parsed_line(line, PredictionLine)
            if isinstance(found, str):
                faults.append(f"line {line.number}: {found}")
                continue
            held = by_case.setdefault(found.case_id, [])
            held.append(found)
            if len(held) > samples:
                faults.append(f"line {line.number}: {_too_many(found.case_id, samples)}")
    if faults:
        raise InvalidBenchmarkError(listed(source, faults))
    return RecordedPredictions(by_case, digest.hexdigest())


def _too_many(case_id: str, samples: int) -> str:
    held = "a prediction" if samples == 1 else f"{samples} predictions"
    return f"case_id {shorten(case_id)!r} has {held} already: name each once, or raise --samples"
