"""Asks a backend for the SQL of a case: in time, at the rate that is allowed, and whatever the backend does."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import orjson

from consumers.judging.rates import Rate
from consumers.wire.texts import shorten
from evals.runner.cases import (
    MOST_METADATA,
    MOST_SQL,
    MOST_TRACE,
    BenchmarkCase,
    GenerationFailure,
    GenerationResult,
    TraceStep,
)
from service.commands.eval.runner.journal import read_json, replace_file

Generated: TypeAlias = GenerationResult | GenerationFailure
SampleFn: TypeAlias = Callable[[BenchmarkCase, int], Awaitable[Generated]]
"""A backend inside the runner: a case and the number of the sample, from 1."""


@dataclass(frozen=True, slots=True)
class NamedBackend:
    """A backend that is ready to be asked."""

    name: str
    """`recorded`, `http`, `openai` or `module:function`, in every record."""
    generate: SampleFn
    identity: dict[str, object]
    """What decides its answers, for the cache and to tell runs apart."""
    opened: Callable[[], AbstractAsyncContextManager[object]] = nullcontext
    """Opens what it needs for a run."""
    cached: bool = True
    """Whether its answers are worth keeping."""
    ends_itself: bool = False
    """Whether it keeps the time limit itself."""
    methods: Sequence[str] = ()
    """The methods whose answers a file holds; the first is sample 1 of each case."""
    given: frozenset[tuple[str, int]] | None = None
    """The case and sample of each answer that there is; `None` when every case is asked."""
    tested: Mapping[tuple[str, int], bool] = field(default_factory=dict[tuple[str, int], bool])
    """The EX-TEST of answers that were tested elsewhere."""

    def method(self, sample: int) -> str | None:
        """The method that gave a sample."""
        return self.methods[sample - 1] if self.methods else None


_LATE = 60.0
"""Seconds beyond the limit for a backend that keeps it itself; its processes may have to start."""


@dataclass(slots=True)
class Asking:
    """Asks one backend, at most so often and for so long."""

    backend: NamedBackend
    seconds: float
    rate: Rate | None = None
    cache: GenerationCache | None = None

    async def __call__(self, case: BenchmarkCase, sample: int) -> Generated:
        """The SQL of a case, or why there is none. Never raises because of what the backend does."""
        known = self.cache.find(case, sample) if self.cache is not None else None
        if known is not None:
            return known
        if self.rate is not None:
            await asyncio.sleep(self.rate.reserve(time.monotonic()))
        found = await self._asked(case, sample)
        if self.cache is not None and isinstance(found, GenerationResult):
            self.cache.keep(case, sample, found)
        return found

    async def _asked(self, case: BenchmarkCase, sample: int) -> Generated:
        limit = self.seconds + (_LATE if self.backend.ends_itself else 0)
        try:
            async with asyncio.timeout(limit):
                return accepted(await self.backend.generate(case, sample))
        except TimeoutError:
            return GenerationFailure("timeout", f"no SQL within {self.seconds:g} s (--timeout)")
        except Exception as error:  # A backend is anybody's code: one failure must not cost the run.
            return raised(error)


def raised(error: BaseException) -> GenerationFailure:
    """The failure of a backend that raised."""
    return GenerationFailure("raised", shorten(f"{type(error).__name__}: {error}", 300))


def accepted(returned: object) -> Generated:
    """What a backend returned as a result, if it is one and not too large.

    >>> accepted("SELECT 1").sql, accepted(7).detail
    ('SELECT 1', 'it returned a value of the type int: return SQL, or a GenerationResult')
    """
    if isinstance(returned, GenerationFailure):
        return returned
    result = GenerationResult(returned) if isinstance(returned, str) else returned
    if not isinstance(result, GenerationResult) or not isinstance(result.sql, str):  # pyright: ignore[reportUnnecessaryIsInstance] anybody's code
        what = f"a value of the type {type(returned).__name__}"
        return GenerationFailure("invalid", f"it returned {what}: return SQL, or a GenerationResult")
    if len(result.sql) > MOST_SQL:
        return GenerationFailure("too_large", f"it returned {len(result.sql)} characters of SQL; at most {MOST_SQL}")
    try:
        metadata, trace = _plain(dict(result.metadata)), _plain([_step(each) for each in result.trace])
    except (TypeError, ValueError, AttributeError, RecursionError) as error:
        return GenerationFailure("invalid", shorten(f"its metadata or trace cannot be written as JSON: {error}", 200))
    if len(metadata) > MOST_METADATA or len(trace) > MOST_TRACE:
        most = f"{MOST_METADATA} bytes of metadata and {MOST_TRACE} of trace"
        return GenerationFailure("too_large", f"it returned {len(metadata)} and {len(trace)} bytes; at most {most}")
    steps = tuple(TraceStep(**each) for each in orjson.loads(trace))
    return GenerationResult(readable(result.sql), orjson.loads(metadata), steps)


def _plain(value: Any) -> bytes:
    return orjson.dumps(_readable(value), default=str, option=orjson.OPT_NON_STR_KEYS)


def _step(step: TraceStep) -> dict[str, object]:
    return {
        "kind": str(step.kind),
        "content": str(step.content),
        "tool": None if step.tool is None else str(step.tool),
        "seconds": None if step.seconds is None else float(step.seconds),
        "ok": None if step.ok is None else bool(step.ok),
    }


def _readable(value: Any) -> Any:
    """The value with texts that can be written, and numbers that JSON has."""
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, dict):
        return {readable(str(key)): _readable(each) for key, each in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] anything
    if isinstance(value, list | tuple):
        return [_readable(each) for each in value]  # pyright: ignore[reportUnknownVariableType] anything
    return str(value) if isinstance(value, int) and abs(value) >= 2**63 else value


def unnamed(place: str | None) -> str | None:
    """A file as it is named; a URL as its hash, since it may hold a password.

    >>> unnamed("databases"), unnamed("https://me:secret@agent.example/ask")
    ('databases', 'sha256:813e1ae0cfc57228')
    """
    if place is None or "://" not in place:
        return place
    return f"sha256:{hashlib.sha256(place.encode()).hexdigest()[:16]}"


def readable(text: str) -> str:
    """The text with lone surrogates replaced.

    >>> readable("a" + chr(0xD800))
    'a?'
    """
    return text.encode("utf-8", "replace").decode()


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
