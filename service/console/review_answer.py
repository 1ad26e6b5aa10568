"""What the review page shows of one answer: before the label nothing that could sway the reviewer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.console.answer.sql_text import show_sql

_BEFORE = (
    "id tenant agent agent_version source event_id occurred_at question enriched_question sql dialect withheld".split()
)
_AFTER = (
    "score tier verdict unscored confidence p_correct p_alone context judge reference_verdict reference_level".split()
)
_RESULT = {
    "executed": "ran to its end",
    "error": "error",
    "rows": "rows",
    "columns": "columns",
    "empty": "no row came back",
    "only_null": "only NULL came back",
}


def shown_before(found: Mapping[str, Any]) -> dict[str, Any]:
    """The answer without score, verdict, reasons, memory and the labels of others."""
    answer = {name: found[name] for name in _BEFORE}
    return answer | {"laid_out": show_sql(found["sql"], found["dialect"]), "result": _result(found["result"])}


def shown_after(found: Mapping[str, Any], reviewer: str) -> dict[str, Any]:
    """What the judge and other reviewers say."""
    said = {name: found[name] for name in _AFTER}
    others = [each for each in found["labels"] if each["reviewer"] != reviewer]
    return said | {"reasons": found["record"].get("reasons") or [], "others": others}


def _result(result: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """What running the SQL gave, in words."""
    said = {True: "yes", False: "no"}
    given = ((words, (result or {}).get(name)) for name, words in _RESULT.items())
    return [
        (words, said[value] if isinstance(value, bool) else str(value)) for words, value in given if value is not None
    ]
