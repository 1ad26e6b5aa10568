"""Reads a benchmark. Every fault is named with its line, and nothing runs until there is none."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import orjson
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from consumers.wire.texts import bad_character, json_type, shorten
from evals.runner.cases import BenchmarkCase
from references.comparison.alternatives import MalformedReferenceError, expand
from scoring.query import Unscored
from scoring.sql.bounds import screen
from scoring.sql.dialects import canonical_dialect
from scoring.sql.parsing import parse_query
from service.commands.gold.case_schemas import schema_file
from service.commands.jsonl import InputLine, open_input, read_lines

MOST_SHOWN = 20
"""The most faults that a message names."""
MOST_GOLDS = 16
"""Queries of one case that are parsed; gold SQL may stand for several."""
_Text = Annotated[str, Field(strict=True)]
_Required = Annotated[str, Field(strict=True, min_length=1)]


def _text_id(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


CaseId = Annotated[str, BeforeValidator(_text_id), Field(strict=True, min_length=1)]
"""A name; a number stands for its digits."""


class CaseLine(BaseModel):
    """A line of a benchmark. Other keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    case_id: CaseId
    question: _Required
    gold_sql: _Required
    golds: list[_Required] = Field(default_factory=list[str], max_length=MOST_GOLDS - 1)
    schema_: _Text = Field(alias="schema")
    complexity: _Text
    category: _Text
    metadata: dict[str, Any] = Field(default_factory=dict[str, Any])


class InvalidBenchmarkError(ValueError):
    """The benchmark cannot be used; the message names each fault with its line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which cases of a benchmark are asked."""

    schema: str | None = None
    complexity: str | None = None
    category: str | None = None
    limit: int | None = None

    def of(self, cases: Sequence[BenchmarkCase]) -> list[BenchmarkCase]:
        """The selected cases, in the order of the file."""
        chosen = [each for each in cases if self._takes(each)]
        return chosen if self.limit is None else chosen[: self.limit]

    def _takes(self, case: BenchmarkCase) -> bool:
        wanted = ((self.schema, case.schema), (self.complexity, case.complexity), (self.category, case.category))
        return all(named is None or named == found for named, found in wanted)


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The cases of a file, and the hash of its bytes."""

    cases: list[BenchmarkCase]
    sha256: str


def read_benchmark(
    source: str, *, dialect: str | None = None, databases: str | None = None, schemas: str | None = None
) -> Benchmark:
    """Reads the cases of a file. Raises `InvalidBenchmarkError`.

    Gold SQL must parse. Where `databases` or `schemas` is a folder or has `{db_id}`, each case must name one there.
    """
    digest = hashlib.sha256()
    faults: list[str] = []
    cases: list[BenchmarkCase] = []
    lines: dict[str, int] = {}
    checks = [partial(_gold_fault, dialect=dialect), *_place_checks(databases, schemas)]
    with open_input(source) as stream:
        for line in read_lines(stream):
            digest.update((line.raw or b"") + b"\n")
            if line.raw is not None and not line.raw.strip():
                continue
            case = _case(line)
            if isinstance(case, str):
                faults.append(f"line {line.number}: {case}")
                continue
            first = lines.setdefault(case.case_id, line.number)
            if first != line.number:
                faults.append(f"line {line.number}: case_id {shorten(case.case_id)!r} is that of line {first} too")
            faults.extend(f"line {line.number}: {fault}" for fault in _faults(case, checks))
            cases.append(case)
    if faults:
        raise InvalidBenchmarkError(listed(source, faults))
    if not cases:
        raise InvalidBenchmarkError(f"{source} holds no case")
    return Benchmark(cases, digest.hexdigest())


def listed(source: str, faults: Sequence[str]) -> str:
    """The faults of a file as one message."""
    more = f"\n  and {len(faults) - MOST_SHOWN} more" if len(faults) > MOST_SHOWN else ""
    count = f"{len(faults)} fault{'s' if len(faults) > 1 else ''}"
    return f"{source} has {count}:\n" + "\n".join(f"  {fault}" for fault in faults[:MOST_SHOWN]) + more


def _case(line: InputLine) -> BenchmarkCase | str:
    found = parsed_line(line, CaseLine)
    if isinstance(found, str):
        return found
    texts = [("case_id", found.case_id), ("question", found.question), ("gold_sql", found.gold_sql)]
    texts += [(f"golds.{place}", gold) for place, gold in enumerate(found.golds)]
    for name, text in texts:
        if not text.strip():
            return f"{name} is blank"
        if (place := bad_character(text)) is not None:
            return f"{name} holds U+{ord(text[place]):04X} at character {place}: remove it"
    return BenchmarkCase(
        case_id=found.case_id,
        question=found.question,
        # a line break ends a comment at the end of a query
        gold_sql="\n;\n".join([found.gold_sql, *found.golds]),
        schema=found.schema_,
        complexity=found.complexity,
        category=found.category,
        metadata=found.metadata,
    )


def parsed_line(line: InputLine, model: type[Any]) -> Any:
    """The line as a model, or what is wrong with it."""
    if line.raw is None:
        return "the line is too long"
    try:
        parsed: object = orjson.loads(line.raw)
    except orjson.JSONDecodeError as error:
        return f"it is not JSON ({shorten(str(error))}): write one object a line"
    if not isinstance(parsed, dict):
        return f"it is {json_type(parsed)}: write one object a line"
    try:
        return model.model_validate(parsed)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in fault["loc"][:4])
        return f"{name} is missing" if fault["type"] == "missing" else f"{name}: {shorten(fault['msg'])}"


def _faults(case: BenchmarkCase, checks: Iterable[Callable[[BenchmarkCase], str | None]]) -> list[str]:
    return [fault for check in checks if (fault := check(case)) is not None]


def _gold_fault(case: BenchmarkCase, *, dialect: str | None) -> str | None:
    named = case.metadata.get("dialect")
    if named is not None and (not isinstance(named, str) or canonical_dialect(named) is None):
        return f"metadata.dialect {shorten(repr(named))} is not known"
    try:
        expansion = expand(case.gold_sql, MOST_GOLDS, written_out=True)
    except MalformedReferenceError as error:
        return f"gold_sql does not parse: {error}"
    if not expansion.alternatives:
        return "gold_sql does not parse: it contains no query"
    for each in expansion.alternatives:
        text = screen(each.sql)
        read = text if isinstance(text, Unscored) else parse_query(text, dialect or named)
        if isinstance(read, Unscored):
            return f"gold_sql does not parse: {shorten(read.detail or read.reason.value, 160)}"
    return None


def _place_checks(databases: str | None, schemas: str | None) -> list[Callable[[BenchmarkCase], str | None]]:
    checks: list[Callable[[BenchmarkCase], str | None]] = []
    if databases is not None:
        checks.append(partial(_database_fault, databases=databases))
    if schemas is not None and Path(schemas).is_dir():
        checks.append(partial(_schema_fault, schemas=Path(schemas)))
    return checks


def _database_fault(case: BenchmarkCase, *, databases: str) -> str | None:
    if case.db_id is None:
        return "metadata.db_id is missing: --databases needs the name of the database"
    if case.db_id != Path(case.db_id).name or "\\" in case.db_id:
        return f"metadata.db_id {shorten(case.db_id)!r} is no name of a database: leave out folders"
    if "://" not in databases and not (Path(databases) / f"{case.db_id}.sqlite").is_file():
        return f"metadata.db_id {shorten(case.db_id)!r}: {databases} holds no {shorten(case.db_id)}.sqlite"
    return None


def _schema_fault(case: BenchmarkCase, *, schemas: Path) -> str | None:
    found = schema_file(schemas, case.db_id)
    return f"metadata.db_id: {found}" if isinstance(found, str) else None
