"""The tables of a case's database: from a file of DDL or JSON, a folder of such files, or the database itself."""

from __future__ import annotations

import asyncio
import inspect
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import orjson

from consumers.wire.schema_document import InvalidSchema, SchemaDocument, decode_schema
from references.databases.access import Allowance, Database, DatabaseLimits, UnknownDatabaseError
from references.databases.opening import open_database
from references.sandbox import quoted
from scoring.schema import DatabaseSchema
from service.commands.gold.schema_tools import is_tool, schema_from_tool, schema_tool
from service.commands.gold.targets import UnusableTargetError, is_target, load_target

SUFFIXES = (".sql", ".ddl", ".json")
"""The files of a folder of schemas: `<db_id>` with one of these."""
_DATE = re.compile(r"\s*(?:DATE|TIME)", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]{0,120}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseSchema:
    """The tables of one database."""

    tables: DatabaseSchema
    ddl: str
    """`CREATE TABLE` statements."""
    document: SchemaDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where the databases and their schemas are."""

    databases: str | None = None
    """A folder of `<db_id>.sqlite` files, or a URL with `{db_id}`."""
    schemas: str | None = None
    """A file of DDL or JSON, a folder of `<db_id>.sql` and `<db_id>.json` files, `module:function`, or `mcp:…`."""
    functions: tuple[str, ...] = ()
    any_role: bool = False
    seconds: float = 10.0
    """Time limit of one query."""

    @property
    def allowance(self) -> Allowance:
        """What queries may call beyond the harmless functions."""
        return Allowance.of(self.functions, any_role=self.any_role)

    @property
    def limits(self) -> DatabaseLimits:
        """The limits of one query."""
        return DatabaseLimits(seconds=self.seconds)


@dataclass(slots=True)
class CaseSchemas:
    """Finds the schema of a database, and reads each once."""

    sources: Sources
    known: dict[str, CaseSchema | str] = field(default_factory=dict[str, "CaseSchema | str"])

    def declared(self, db_id: str | None, dialect: str | None = None) -> CaseSchema | str | None:
        """The schema that `--schemas` gives for a database; what is wrong with it; `None` without `--schemas`.

        DDL is read in the dialect first.
        """
        if self.sources.schemas is None:
            return None
        key = f"declared {dialect} {db_id}"
        if key not in self.known:
            place = self.sources.schemas
            found = self.known[key] = _declared(place, db_id, dialect)
            if isinstance(found, str) and not _is_file(place):
                print(f"sqlassay: {found}", file=sys.stderr)
        return self.known[key]

    def of_database(self, db_id: str, database: Database) -> CaseSchema | str:
        """The schema of an open database."""
        key = f"database {db_id}"
        if key not in self.known:
            try:
                self.known[key] = _from_database(database)
            except UnknownDatabaseError as error:
                self.known[key] = str(error)
        return self.known[key]

    def found(self, db_id: str | None, dialect: str | None = None) -> CaseSchema | str | None:
        """The declared schema, or that of the database; what is wrong with it; `None` where there is neither."""
        declared = self.declared(db_id, dialect)
        if declared is not None or self.sources.databases is None:
            return declared
        if db_id is None:
            return "the case names no db_id"
        try:
            with open_database(self.sources.databases, db_id, self.sources.limits, self.sources.allowance) as database:
                return self.of_database(db_id, database)
        except UnknownDatabaseError as error:
            return str(error)

    def dates(self, db_id: str | None) -> frozenset[str]:
        """Names of columns that `--schemas` declares as dates in every table that has them, in lower case."""
        schema = self.declared(db_id)
        if not isinstance(schema, CaseSchema):
            return frozenset()
        found: dict[bool, set[str]] = {True: set(), False: set()}
        for table in schema.document.tables:
            for each in table.columns or ():
                found[_DATE.match(each.type) is not None].add(each.name.lower())
        return frozenset(found[True] - found[False])


def unread_schemas(sources: Sources, wanted: Iterable[tuple[str | None, str | None]]) -> list[str]:
    """What is wrong with schemas in files, for these databases and dialects. Callables and tools are not asked."""
    place = sources.schemas
    if place is None or not _is_file(place):
        return []
    found = (_declared(place, db_id, dialect) for db_id, dialect in dict.fromkeys(wanted))
    return list(dict.fromkeys(each for each in found if isinstance(each, str)))


def _is_file(place: str) -> bool:
    return not is_tool(place) and not is_target(place)


def _declared(place: str, db_id: str | None, dialect: str | None) -> CaseSchema | str:
    if is_tool(place):
        return _from_tool(place, db_id, dialect)
    return _from_callable(place, db_id, dialect) if is_target(place) else _from_files(Path(place), db_id, dialect)


def _from_tool(place: str, db_id: str | None, dialect: str | None) -> CaseSchema | str:
    """Asks a tool of an MCP server for the DDL or the catalogue of a database."""
    try:
        return decoded(schema_from_tool(place, db_id), db_id, dialect)
    except UnusableTargetError as error:
        return str(error)
    except InvalidSchema as error:
        return f"schema of {schema_tool(place).tool}: {error}"


def _from_database(database: Database) -> CaseSchema | str:
    tables = [
        {"name": name, "columns": [{"name": column, "type": kind[:200]} for column, kind in columns]}
        for name, columns in database.tables().items()
    ]
    try:
        return case_schema(SchemaDocument.model_validate({"tables": tables}))
    except ValueError as error:
        return f"the tables of the database cannot be used: {str(error).splitlines()[0]}"


def case_schema(document: SchemaDocument, ddl: str | None = None) -> CaseSchema:
    """The schema of a catalogue. Without DDL, it is written from the catalogue."""
    return CaseSchema(tables=document.schema_of_database(), ddl=ddl or written(document), document=document)


def written(document: SchemaDocument) -> str:
    """The catalogue as `CREATE TABLE` statements."""
    statements: list[str] = []
    for table in document.tables:
        parts = [f"{quoted(each.name)} {each.type}".rstrip() for each in table.columns or ()]
        for key in table.foreign_keys:
            own, there = (", ".join(quoted(name) for name in names) for names in (key.columns, key.references))
            parts.append(f"FOREIGN KEY ({own}) REFERENCES {quoted(key.table)} ({there})")
        if parts:
            statements.append(f"CREATE TABLE {quoted(table.name)} ({', '.join(parts)});")
    return "\n".join(statements)


def schema_file(folder: Path, db_id: str | None) -> Path | str:
    """The file of a database in a folder of schemas, or what is missing."""
    if db_id is None or not _NAME.fullmatch(db_id):
        return f"db_id {str(db_id)[:80]!r} names no file of {folder}: use letters, digits, _, - and . only"
    for suffix in SUFFIXES:
        path = folder / f"{db_id}{suffix}"
        if path.is_file():
            return path
    return f"{folder} holds no {db_id}{' or '.join(SUFFIXES)}"


def _from_files(place: Path, db_id: str | None, dialect: str | None) -> CaseSchema | str:
    path = schema_file(place, db_id) if place.is_dir() else place
    if isinstance(path, str):
        return path
    try:
        return decoded(path.read_bytes(), db_id, dialect)
    except OSError as error:
        return f"cannot read {path}: {error.strerror or error}"
    except InvalidSchema as error:
        return f"schema in {path}: {error}"


def _from_callable(name: str, db_id: str | None, dialect: str | None) -> CaseSchema | str:
    """Asks a callable, async or not, for the DDL or the catalogue of a database."""
    try:
        target = load_target(name)
        returned: Any = target(db_id)
        found = asyncio.run(_awaited(returned)) if inspect.isawaitable(returned) else returned
        raw = found.encode() if isinstance(found, str) else orjson.dumps(found)
        return decoded(raw, db_id, dialect)
    except UnusableTargetError as error:
        return str(error)
    except InvalidSchema as error:
        return f"schema of {name}: {error}"
    except Exception as error:  # A resolver is anybody's code.
        return f"{name} gave no schema of {str(db_id)[:80]!r}: {type(error).__name__}: {str(error)[:200]}"


async def _awaited(returned: Any) -> Any:
    return await returned


def decoded(raw: bytes, db_id: str | None, dialect: str | None = None) -> CaseSchema:
    """Decodes DDL, a catalogue, or an object of catalogues by db_id. Raises `InvalidSchema`."""
    if raw.lstrip()[:1] not in {b"{", b"["}:
        return case_schema(decode_schema(raw, dialect=dialect), raw.decode("utf-8-sig", "replace"))
    try:
        parsed: object = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise InvalidSchema(f"it is not JSON ({error})") from None
    held = cast("dict[str, object]", parsed) if isinstance(parsed, dict) else {}
    if db_id is not None and isinstance(held.get(db_id), dict) and "tables" not in held:
        parsed = held = cast("dict[str, object]", held[db_id])
    ddl = held.get("ddl")
    return case_schema(decode_schema(orjson.dumps(parsed), as_json=True), ddl if isinstance(ddl, str) else None)
