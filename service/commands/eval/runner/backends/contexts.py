"""What a model is told about the database of a case."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

from evals.runner.cases import BenchmarkCase
from service.commands.eval.runner.backends.model import ContextProvider
from service.commands.gold.case_schemas import CaseSchema, CaseSchemas, Sources
from service.commands.gold.targets import load_target

CONTEXTS = ("full", "names", "none")
"""DDL; the names of tables and columns; nothing."""


def context_provider(name: str, sources: Sources) -> ContextProvider:
    """The provider of a name, or an async callable `module:function`. Raises `UnusableTargetError`."""
    schemas = CaseSchemas(sources)

    async def of_schema(case: BenchmarkCase) -> str:
        named = case.metadata.get("dialect")
        dialect = named if isinstance(named, str) else None
        schema = await asyncio.to_thread(schemas.found, case.db_id, dialect)
        if not isinstance(schema, CaseSchema):
            return ""
        return schema.ddl if name == "full" else _names(schema)

    async def nothing(case: BenchmarkCase) -> str:
        return ""

    if name == "none":
        return nothing
    if name in CONTEXTS:
        return of_schema
    target = load_target(name)

    async def called(case: BenchmarkCase) -> str:
        returned: Any = target(case)
        return str(await returned if inspect.isawaitable(returned) else returned)

    return called


def _names(schema: CaseSchema) -> str:
    return "\n".join(
        f"{table.name}({', '.join(each.name for each in table.columns or ())})" for table in schema.document.tables
    )
