"""Predictions that were recorded earlier, as a backend."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
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
    method: str | None = Field(default=None, min_length=1, max_length=200)
    """What gave the answer, in a file with the answers of several methods."""
    ex_test: bool | None = None
    """Whether the answer gave the gold SQL's rows where it was tested before; counts before a test of the run."""
    metadata: dict[str, Any] = Field(default_factory=dict[str, Any])
    trace: list[TraceLine] = Field(default_factory=list[TraceLine])


@dataclass(frozen=True, slots=True)
class RecordedPredictions:
    """The predictions of a file, by case and number of the sample; of several methods, the n-th gave sample n."""

    by_sample: dict[tuple[str, int], PredictionLine]
    methods: tuple[str, ...]
    sha256: str

    def tested(self) -> dict[tuple[str, int], bool]:
        """The EX-TEST of the answers that have one."""
        return {key: line.ex_test for key, line in self.by_sample.items() if line.ex_test is not None}

    async def generate(self, case: BenchmarkCase, sample: int) -> GenerationResult | GenerationFailure:
        """The prediction for a case."""
        line = self.by_sample.get((case.case_id, sample))
        if line is None:
            held = sum((case.case_id, number) in self.by_sample for number in range(1, sample))
            missing = "no prediction" if not held else f"only {held} predictions"
            return GenerationFailure("no_prediction", f"{missing} for {shorten(case.case_id)!r}: add a line")
        if line.sql is None:
            return GenerationFailure("no_prediction", "the prediction has no SQL")
        return GenerationResult(line.sql, line.metadata, tuple(each.step() for each in line.trace))


def read_predictions(source: str, samples: int) -> RecordedPredictions:
    """Reads the predictions of a file. Raises `InvalidBenchmarkError` with the lines that are wrong."""
    digest = hashlib.sha256()
    faults: list[str] = []
    held = _Held(samples)
    with open_input(source) as stream:
        for line in read_lines(stream):
            digest.update((line.raw or b"") + b"\n")
            if line.raw is not None and not line.raw.strip():
                continue
            found = parsed_line(line, PredictionLine)
            fault = found if isinstance(found, str) else held.add(found)
            if fault is not None:
                faults.append(f"line {line.number}: {fault}")
    if faults:
        raise InvalidBenchmarkError(listed(source, faults))
    return RecordedPredictions(held.by_sample, tuple(held.methods), digest.hexdigest())


@dataclass(slots=True)
class _Held:
    """The lines that were read."""

    samples: int
    by_sample: dict[tuple[str, int], PredictionLine] = field(default_factory=dict[tuple[str, int], PredictionLine])
    methods: dict[str, int] = field(default_factory=dict[str, int])

    def add(self, line: PredictionLine) -> str | None:
        """Takes a line; returns what is wrong with it."""
        if (line.method is None) is bool(self.methods) and self.by_sample:
            return "every line names its method, or none does"
        if line.method is None:
            numbers = (each for each in range(1, self.samples + 1) if (line.case_id, each) not in self.by_sample)
            sample = next(numbers, None)
        else:
            sample = self.methods.setdefault(line.method, len(self.methods) + 1)
            sample = None if (line.case_id, sample) in self.by_sample else sample
        if sample is None:
            return _too_many(line, self.samples)
        self.by_sample[(line.case_id, sample)] = line
        return None


def _too_many(line: PredictionLine, samples: int) -> str:
    if line.method is not None:
        return f"case_id {shorten(line.case_id)!r} has a prediction of {shorten(line.method)!r} already: name each once"
    held = "a prediction" if samples == 1 else f"{samples} predictions"
    return f"case_id {shorten(line.case_id)!r} has {held} already: name each once, or raise --samples"
