"""Answers of a backend that are kept between runs, so that a model is paid once."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from evals.runner.cases import BenchmarkCase, GenerationResult, TraceStep
from service.commands.eval.runner.generating import NamedBackend
from service.commands.eval.runner.journal import read_json, replace_file


@dataclass(frozen=True, slots=True)
class GenerationCache:
    """A folder with a file for each answer, named by the hash of what decides it. Failures are not kept."""

    folder: Path
    backend: NamedBackend

    def find(self, case: BenchmarkCase, sample: int) -> GenerationResult | None:
        """The answer that was given before."""
        found: Any = read_json(self._path(case, sample))
        try:
            steps = tuple(TraceStep(**each) for each in found["trace"])
            return GenerationResult(str(found["sql"]), dict(found["metadata"]), steps)
        except (TypeError, KeyError, ValueError):
            return None

    def keep(self, case: BenchmarkCase, sample: int, result: GenerationResult) -> None:
        """Keeps an answer."""
        path = self._path(case, sample)
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {
            "sql": result.sql,
            "metadata": dict(result.metadata),
            "trace": [asdict(step) for step in result.trace],
        }
        replace_file(path, orjson.dumps(content))

    def _path(self, case: BenchmarkCase, sample: int) -> Path:
        asked = {**asdict(case), "gold_sql": None, "metadata": dict(case.metadata)}
        key = orjson.dumps([self.backend.name, self.backend.identity, asked, sample], option=orjson.OPT_SORT_KEYS)
        name = hashlib.sha256(key).hexdigest()
        return self.folder / name[:2] / f"{name}.json"
