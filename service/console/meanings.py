"""What reason codes, statuses and rules mean in words, and the page that lists the codes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Query
from fastapi.responses import Response

from references.equivalence.pair import ASSUMPTIONS
from references.reference_verdict import ReferenceVerdict
from scoring.verdict import FilterStatus, NormalizationRule, Verdict
from service import console
from service.api.access import ConsoleReader
from service.console.forms import ListForm
from service.console.rendering import page

router = APIRouter(include_in_schema=False)
NORMALIZATIONS: Mapping[str, str] = {
    NormalizationRule.REQUIRED_GROUP_BY.value: "SQL needs this GROUP BY beside an aggregate",
    NormalizationRule.BENIGN_GROUP_BY.value: "a condition allows one value only, so grouping by it changes nothing",
    NormalizationRule.DEFAULT_ORDER_BY.value: "the question asks for no order, and this one is a sensible default",
    NormalizationRule.SAFETY_LIMIT.value: "the question asks for no top rows, and this limit only guards the database",
}
FILTER_STATUSES: Mapping[str, str] = {
    FilterStatus.FULLY_APPLIED.value: "every condition asked for is applied, and no other",
    FilterStatus.FULLY_APPLIED_WITH_EXTRAS.value: "every condition asked for is applied, and others are too",
    FilterStatus.PARTIALLY_APPLIED.value: "some conditions asked for are missing or applied otherwise",
    FilterStatus.NOT_APPLIED.value: "no condition asked for is applied",
}
VERDICTS: Mapping[str, str] = {
    Verdict.CORRECT.value: "judged right",
    Verdict.LIKELY_CORRECT.value: "judged likely right",
    Verdict.POTENTIALLY_INCORRECT.value: "judged perhaps wrong",
    Verdict.INCORRECT.value: "judged wrong",
}
REFERENCES: Mapping[str, str] = {
    ReferenceVerdict.PENDING.value: "not compared with its reference yet",
    ReferenceVerdict.EQUIVALENT.value: "proved to mean the same as its reference",
    ReferenceVerdict.NOT_REFUTED.value: "no difference from its reference was found",
    ReferenceVerdict.DIFFERENT.value: "proved to give another result than its reference",
    ReferenceVerdict.UNSUPPORTED.value: "cannot be compared with its reference",
    ReferenceVerdict.ERROR.value: "cannot be run",
    ReferenceVerdict.UNFIT_REFERENCE.value: "its reference cannot be run",
    ReferenceVerdict.NOT_JUDGED.value: "was not compared with its reference",
}
LEVELS: Mapping[str, str] = {level.value: words for level, words in ASSUMPTIONS.items()}


@cache
def meanings() -> Mapping[str, Mapping[str, Any]]:
    """Each reason code with what it means."""
    return orjson.loads(files(console).joinpath("reason_meanings.json").read_bytes())


@router.get("/console/reasons")
async def show_reasons(query: Annotated[ListForm, Query()], reader: ConsoleReader) -> Response:
    """Lists what each reason code means."""
    sections: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    for code, meaning in meanings().items():
        sections.setdefault(str(meaning["section"]), []).append((code, meaning))
    given = query.given()
    shown = {"title": "Reasons", "sections": sections, "given": given}
    return page("reasons.html", shown, carried=query.carried())
