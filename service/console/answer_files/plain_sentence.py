"""One plain sentence about an answer: the surest thing that is known, with what it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.reason_kinds import ReasonKind
from service.console.answer.headline import headline
from service.console.meanings import meanings

_ABOUT = ("missing: ", "not in the SQL: ", "expected → actual: ")
"""How details begin that need no such beginning after a sentence."""
_LONGEST = 200


def plain_sentence(row: Mapping[str, Any], reasons: Sequence[Mapping[str, Any]]) -> str:
    """What is wrong with a stored answer, for people who know no codes.

    The row has its `labels`; the reasons are those of its record, the heaviest first.
    """
    said = headline(row)
    faults = faults_of(reasons)
    if said.source == "unscored":
        return _meaning(str(row["unscored"]))
    first = "" if said.source == "judge" else f"{said.words}. "
    if not faults or (said.source == "people" and not said.against):
        return first.strip() or "No fault was found."
    more = f" There {'is 1 more fault' if len(faults) == 2 else f'are {len(faults) - 1} more faults'}."
    return f"{first}{_sentence(faults[0])}{more if len(faults) > 1 else ''}"


def faults_of(reasons: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The reasons that say the answer can be false, without hints, forms and favours."""
    return [each for each in reasons if each.get("kind") == ReasonKind.FAULT.value]


def _sentence(fault: Mapping[str, Any]) -> str:
    """The meaning of a fault and what it is about.

    >>> _sentence({"code": "FILTER_MISSING", "detail": "missing: May 2026"})
    'The question asks for a condition that the SQL does not apply: May 2026.'
    """
    detail = str(fault.get("detail") or "")
    for begin in _ABOUT:
        detail = detail.removeprefix(begin)
    detail = detail if len(detail) <= _LONGEST else f"{detail[: _LONGEST - 1]}…"
    meaning = _meaning(str(fault["code"]))
    return f"{meaning.removesuffix('.')}: {detail}." if detail else meaning


def _meaning(code: str) -> str:
    """The first sentence of what a code means; the code itself where nobody knows it."""
    known = meanings().get(code)
    if known is None:
        return f"{code}."
    return f"{str(known['means']).partition('. ')[0].removesuffix('.')}."
