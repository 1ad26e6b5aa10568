"""The page of trust: how far people and the judge agree, and a tenant's own calibration of the judge."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import RedirectResponse, Response

from consumers.wire.tenants import TENANT_RULE, is_tenant
from evals.trust.agreement_table import LabelAgreement
from evals.trust.feedback_agreement import feedback_agreement
from evals.trust.kappa_words import kappa_verdict, kappa_word
from evals.trust.label_agreement import TrustReport, trust_report
from scoring import EVALUATOR_VERSION
from service.api.access import ConsoleAdministrator, ConsoleReader, RunningService
from service.api.caller import Caller
from service.api.errors import ApiError
from service.api.forms.form_fields import FormFields
from service.console.forms import RANGES, BrowserForm
from service.console.learned_rules import learned_view, promote_learned, roll_back_learned
from service.console.rendering import SAFE_HEADERS, link, page
from service.console.spelling import Suggestions, spelled
from service.judges.weights import fitted_judge, local_judge
from service.pipeline.running import Service
from service.settings.access_settings import AccessScope
from service.storage.feedback.heard_answers import MOST_HEARD, heard_answers
from service.storage.reviewing.calibration_store import (
    StoredCalibration,
    calibrations,
    versions_in_force,
)
from service.storage.reviewing.reviewer_labels import MOST_LABELS, reviewer_labels
from service.storage.reviewing.rollback import version_before

router = APIRouter(include_in_schema=False)
PATH = "/console/trust"
_MOST_ROWS = 30
_WEAK = frozenset({"poor", "fair"})
"""Words for κ below which a page says so."""
_NOT_FITTED = {
    "few_labels": "there are too few labelled answers: at least 20 are needed",
    "one_sided": "at least 3 labelled answers must be right and 3 wrong",
    "no_gain": "on answers that it was not fitted to, the line is no better than the judge as it is",
}


class TrustNotice(StrEnum):
    """What the last step did; the page says it."""

    FITTED = "fitted"
    PROMOTED = "promoted"
    ROLLED_BACK = "rolled_back"
    RULES_PROMOTED = "rules_promoted"
    RULES_ROLLED_BACK = "rules_rolled_back"


_NOTICES: Mapping[TrustNotice, str] = {
    TrustNotice.FITTED: "A calibration was fitted and stored. Put it in force below.",
    TrustNotice.PROMOTED: "The calibration is in force. The next event is scored with it.",
    TrustNotice.ROLLED_BACK: "The calibration is out of force again.",
    TrustNotice.RULES_PROMOTED: "The learned rules are in force. The next event that a model judges is judged by them.",
    TrustNotice.RULES_ROLLED_BACK: "The learned rules are out of force again.",
}


class TrustForm(BrowserForm):
    """The form above the figures."""

    labels: Literal["all", "drawn"] = "all"
    """All labels, or those of answers that were drawn, weighted."""
    done: TrustNotice | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustView:
    """What the page shows beside the figures."""

    form: TrustForm
    suggestions: Suggestions
    tenant: str | None
    """The tenant whose calibrations are shown."""
    fault: str | None = None


@router.get(PATH)
async def show_trust(query: Annotated[TrustForm, Query()], service: RunningService, reader: ConsoleReader) -> Response:
    """Shows agreement, reliability and calibrations."""
    form, suggestions = await spelled(query, service.engine, reader)
    tenant = reader.only(form.tenant)
    return await _page(service, reader, TrustView(form=form, suggestions=suggestions, tenant=tenant))


@router.post(PATH)
async def change_calibration(
    query: Annotated[TrustForm, Query()], sent: FormFields, service: RunningService, caller: ConsoleAdministrator
) -> Response:
    """Fits a calibration; puts one, or learned rules, in force, or goes back to what was before."""
    form, suggestions = await spelled(query, service.engine, caller)
    tenant = caller.only(form.tenant) or ""
    if not is_tenant(tenant):
        raise ApiError(400, "INVALID_PARAMETER", f"{tenant!r} cannot be a tenant: {TENANT_RULE}", "Choose another.")
    done, fault = await _act(service, tenant, sent, caller)
    if fault is not None:
        view = TrustView(form=form, suggestions=suggestions, tenant=tenant, fault=fault)
        return await _page(service, caller, view, 422)
    return RedirectResponse(link(PATH, form.carried(), tenant=tenant, done=done.value), 303, headers=SAFE_HEADERS)


async def _act(
    service: Service, tenant: str, sent: Mapping[str, str], caller: Caller
) -> tuple[TrustNotice, str | None]:
    """Does what the form asks for; returns what the page says then, and why it was not done."""
    version = sent.get("version", "")
    match sent.get("action"):
        case "fit":
            return TrustNotice.FITTED, await _fit(service, tenant)
        case "promote":
            return TrustNotice.PROMOTED, await _promote(service, tenant, version, caller)
        case "roll_back":
            return TrustNotice.ROLLED_BACK, await _roll_back(service, tenant, caller)
        case "promote_rules":
            return TrustNotice.RULES_PROMOTED, await promote_learned(service, tenant, version, caller)
        case "roll_back_rules":
            return TrustNotice.RULES_ROLLED_BACK, await roll_back_learned(service, tenant, caller)
        case other:
            known = "fit, promote, roll_back, promote_rules and roll_back_rules"
            message = f"action: {str(other)[:40]!r} is none of {known}"
            raise ApiError(400, "INVALID_FORM", message, "Reload the page and send the form again.")


async def _page(service: Service, caller: Caller, view: TrustView, status: int = 200) -> Response:
    form = view.form
    wanted = form.at(datetime.now(UTC)).wanted(caller)
    labels, heard = await asyncio.gather(reviewer_labels(service.engine, wanted), heard_answers(service.engine, wanted))
    report = trust_report(labels, drawn=form.labels == "drawn")
    stored = await calibrations(service.engine, view.tenant) if view.tenant is not None else []
    shown = {
        "title": "Trust",
        "report": report,
        "kappa_verdict": kappa_verdict,
        "kappa_word": kappa_word,
        "tables": {
            "judged": judged_rows(report),
            "weak": weak_agents(report),
            "reviewers": [(f"{one} and {other}", each) for (one, other), each in report.by_pair[:_MOST_ROWS]],
        },
        "heard": feedback_agreement(heard)[:_MOST_ROWS],
        "most_heard": MOST_HEARD,
        "drawn": sum(each.probability is not None for each in labels),
        "most": MOST_LABELS if len(labels) == MOST_LABELS else None,
        "calibrations": stored,
        "learned": await learned_view(service, view.tenant) if view.tenant is not None else None,
        "done": _NOTICES[form.done] if form.done else None,
        "evaluator_in_force": EVALUATOR_VERSION,
        "tenant": view.tenant,
        "form": form,
        "fault": view.fault,
        "given": form.given(),
        "ranges": RANGES,
        "suggestions": view.suggestions,
        "may_change": AccessScope.ADMIN in caller.scopes,
    }
    return page("trust.html", shown, carried=form.carried(), status=status)


def judged_rows(report: TrustReport) -> list[tuple[str, LabelAgreement]]:
    """The rows of people against the judge: all answers, then each judge and each agent where there are several."""
    if report.overall is None:
        return []
    several = [each for each in (report.by_judge, report.by_agent) if len(each) > 1]
    only = [each[0][0] for each in (report.by_agent, report.by_judge) if len(each) == 1]
    name = f"all answers ({', '.join(only)})" if only else "all answers"
    return [(name, report.overall), *(row for rows in several for row in rows[:_MOST_ROWS])]


def weak_agents(report: TrustReport) -> list[tuple[str, LabelAgreement]]:
    """The agents on whose answers people and the judge agree poorly or fairly, where they agree better on all."""
    overall = report.overall
    if overall is None or overall.kappa is None or kappa_word(overall.kappa.value) in _WEAK:
        return []
    known = [(name, each, each.kappa.value) for name, each in report.by_agent if each.kappa is not None]
    return [(name, each) for name, each, kappa in sorted(known, key=lambda row: row[2]) if kappa_word(kappa) in _WEAK]


async def _fit(service: Service, tenant: str) -> str | None:
    try:
        # numpy and scikit-learn come with the extra alone, and take a second to load
        from learning.tenant_calibration import NotFitted  # noqa: PLC0415 for the reason above
        from service.pipeline.tenant_calibrations import learn_calibration  # noqa: PLC0415 for the reason above
    except ImportError as error:
        return f"Fitting needs the extra learn ({error.name} is missing): pip install 'sqlassay[learn]'."
    weights = service.settings.judge.weights
    judge = await asyncio.to_thread(lambda: local_judge() if weights is None else fitted_judge(weights))
    learned = await learn_calibration(service.engine, tenant, judge.name, store=True)
    if isinstance(learned.fit, NotFitted):
        others = f" {learned.of_others} more were scored by another judge or evaluator." if learned.of_others else ""
        why = _NOT_FITTED[learned.fit.value]
        return f"No calibration was fitted to {learned.labels} labelled answers: {why}.{others}"
    return None


async def _promote(service: Service, tenant: str, version: str, caller: Caller) -> str | None:
    stored = await calibrations(service.engine, tenant)
    wanted = next((each for each in stored if str(each.calibration.version) == version), None)
    why_not = _why_not(wanted)
    if wanted is None or why_not is not None:
        return why_not
    await _put(service, tenant, wanted.calibration.version, caller)
    return None


def _why_not(wanted: StoredCalibration | None) -> str | None:
    """Why a calibration cannot be put in force."""
    if wanted is None:
        return "There is no such calibration: choose one of the list."
    if wanted.in_force:
        return f"Calibration {wanted.calibration.version} is in force already."
    if wanted.calibration.evaluator != EVALUATOR_VERSION:
        return (
            f"Calibration {wanted.calibration.version} was fitted to evaluator {wanted.calibration.evaluator}, and this"
            f" is {EVALUATOR_VERSION}: run sqlassay backfill, then fit again."
        )
    return None


async def _roll_back(service: Service, tenant: str, caller: Caller) -> str | None:
    history: Sequence[int | None] = await versions_in_force(service.engine, tenant)
    if not history or history[0] is None:
        return "No calibration is in force."
    await _put(service, tenant, version_before(history), caller)
    return None


async def _put(service: Service, tenant: str, version: int | None, caller: Caller) -> None:
    await service.rules.put_calibration(tenant, version, author=caller.name)
    service.metrics.rules_in_force(await service.rules.rules([tenant]))
