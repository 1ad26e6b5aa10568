"""Reads the context that is stored with an answer back, to judge the answer once more."""

from __future__ import annotations

from typing import Any

from scoring.memory.context import ConditionUse, JoinUse, MemoryContext, Voice


def read_context(record: dict[str, Any]) -> MemoryContext:
    """The context of a record that `context_record` wrote."""
    return MemoryContext(
        answers=record["answers"],
        usual=record["usual"],
        voices=tuple(_voice(**each) for each in record["voices"]),
        joins=tuple(JoinUse(**{**each, "columns": tuple(each["columns"])}) for each in record["joins"]),
        # contexts that were stored before conditions were counted have none
        lacking=tuple(ConditionUse(**each) for each in record.get("lacking", ())),
    )


def _voice(*, same: bool, filters: bool, tables: bool, **rest: Any) -> Voice:
    return Voice(same=same, same_filters=filters, same_tables=tables, **rest)
