"""Reads rules and schemas in processes: they hold SQL that a tenant wrote, which may be costly to parse."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import NamedTuple, TypeVar

from consumers.wire.rules_document import InvalidRules, RulesDocument, decode_rules
from consumers.wire.schema_document import InvalidSchema, SchemaDocument, decode_schema
from scoring.rules import Rules
from service.processes.child import limit_cpu, note_step
from service.processes.endable import CallFailed, EndableProcess, ProcessEnded
from service.storage.rule_rows import stored_rules

Read = TypeVar("Read")


class _Kind(NamedTuple):
    """A kind of document, and what is said of one that cannot be read."""

    invalid: type[Exception]
    name: str
    too_costly: str
    """How to make it cheaper to read."""
    broken: str
    """What to do where reading ended in another way."""

    def why(self, ended: ProcessEnded, cpu_seconds: float) -> str:
        """Why reading a document ended, and the fix."""
        if ended.over_limit:
            budget = f"{cpu_seconds:g} s of CPU (SQLASSAY_POOL__CPU_SECONDS)"
            return f"{self.name}: reading took more than {budget}: {self.too_costly}"
        return f"{self.name} could not be read ({ended}): {self.broken}"


_RULES = _Kind(
    InvalidRules,
    "the rules",
    "remove or shorten predicates of benign_filters",
    "send them again; if that fails, remove predicates",
)
_SCHEMA = _Kind(
    InvalidSchema,
    "the schema",
    "send a catalogue in JSON, or fewer tables",
    "send it again; if that fails, send a catalogue in JSON",
)


class RulesProcesses:
    """A `RulesReading` whose work is ended at a budget of CPU. What is sent waits for nothing that is stored."""

    def __init__(self, cpu_seconds: float) -> None:
        self._cpu_seconds = cpu_seconds
        self._of_sent, self._of_stored = EndableProcess(_prepare), EndableProcess(_prepare)

    async def decode(self, raw: bytes) -> RulesDocument:
        """The document in a request's body; raises `InvalidRules`."""
        return await self._read(_RULES, self._of_sent, _decode, raw)

    async def rules(
        self, document: Mapping[str, object], version: int, schema: Mapping[str, object] | None = None
    ) -> Rules:
        """The rules of a stored document with the schema of a stored one, ready to apply; raises `InvalidRules`."""
        return await self._read(_RULES, self._of_stored, _parse, document, version, schema)

    async def decode_schema(self, raw: bytes, *, as_json: bool) -> SchemaDocument:
        """The schema in a request's body; raises `InvalidSchema`."""
        return await self._read(_SCHEMA, self._of_sent, _decode_schema, raw, as_json)

    async def _read(
        self,
        kind: _Kind,
        process: EndableProcess,
        function: Callable[..., Read | InvalidDocument],
        *arguments: object,
    ) -> Read:
        try:
            read = await process.call(function, self._cpu_seconds, *arguments)
        except ProcessEnded as ended:
            raise kind.invalid(kind.why(ended, self._cpu_seconds)) from ended
        except CallFailed as error:
            raise kind.invalid(f"{kind.name} cannot be read ({error.kind}): please report it") from error
        if isinstance(read, InvalidDocument):
            raise kind.invalid(str(read))
        return read

    def close(self) -> None:
        """Ends the processes, with their current work."""
        self._of_sent.kill()
        self._of_stored.kill()


class InvalidDocument(str):
    """Why a document is not valid."""

    __slots__ = ()


@asynccontextmanager
async def rules_processes(cpu_seconds: float) -> AsyncGenerator[RulesProcesses]:
    """Opens the processes; they start with the first document and end on leaving."""
    processes = RulesProcesses(cpu_seconds)
    try:
        yield processes
    finally:
        processes.close()


def _prepare() -> None:
    """All modules are loaded already."""


def _decode(cpu_seconds: float, raw: bytes) -> RulesDocument | InvalidDocument:
    return _limited(cpu_seconds, lambda: decode_rules(raw))


def _parse(
    cpu_seconds: float, document: Mapping[str, object], version: int, schema: Mapping[str, object] | None
) -> Rules | InvalidDocument:
    return _limited(cpu_seconds, lambda: stored_rules(document, version, schema))


def _decode_schema(cpu_seconds: float, raw: bytes, as_json: bool) -> SchemaDocument | InvalidDocument:
    return _limited(cpu_seconds, lambda: decode_schema(raw, as_json=as_json))


def _limited(cpu_seconds: float, read: Callable[[], Read]) -> Read | InvalidDocument:
    note_step()
    limit_cpu(cpu_seconds)
    try:
        return read()
    except (InvalidRules, InvalidSchema, ValueError, MemoryError, RecursionError) as error:
        return InvalidDocument(str(error) or type(error).__name__)
    finally:
        limit_cpu(0)
