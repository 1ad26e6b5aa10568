"""The page of a tenant's rules: a form or JSON, what they would change, and the versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Query
from fastapi.responses import RedirectResponse, Response
from pydantic import Field

from consumers.errors import RulesUnavailable
from consumers.wire.rules_document import MAX_RULES_BYTES, InvalidRules, RulesDocument
from consumers.wire.tenants import TENANT_RULE, is_tenant
from scoring.rules import Rules
from service.api.access import ConsoleAdministrator, ConsoleReader, RunningService
from service.api.caller import Caller
from service.api.errors import ApiError
from service.api.forms.form_fields import FormFields
from service.console.forms import BrowserForm
from service.console.rendering import SAFE_HEADERS, link, page
from service.console.rules_form import document_of, fits_form, rule_fields, shown_fields
from service.console.spelling import Suggestions, spelled
from service.pipeline.proposed_rules import MOST_MINED, OfferedRules, offered_rules
from service.pipeline.rules_effect import RulesEffect, draft_rules, rules_effect
from service.pipeline.running import Service
from service.settings.access_settings import AccessScope
from service.storage.rule_store import RulesConflict, StoredRules

router = APIRouter(include_in_schema=False)
PATH = "/console/rules"
_Version = Annotated[int, Field(ge=0, lt=2**31)]


class RulesForm(BrowserForm):
    """The address of the page. `version` puts an older version into the form; `stored` says what was just stored."""

    version: _Version | None = None
    stored: _Version | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesDraft:
    """Rules in the form, stored or not."""

    fields: Mapping[str, str]
    text: str
    """The same as JSON."""
    fits: bool
    """Whether the form can hold them."""


@router.get(PATH)
async def show_rules(query: Annotated[RulesForm, Query()], service: RunningService, reader: ConsoleReader) -> Response:
    """Shows a tenant's rules, or the tenants to choose from."""
    form, suggestions = await spelled(query, service.engine, reader)
    tenant = reader.only(form.tenant)
    if tenant is None:
        shown = {"title": "Rules", "tenants": suggestions.tenant, "given": form.given(), "suggestions": suggestions}
        return page("rules_of.html", shown, carried=form.carried())
    stored = await service.rules.current(_checked(tenant))
    draft = _draft(await _chosen(service, stored, form))
    view = RulesView(form=form, suggestions=suggestions, stored=stored, draft=draft, edited=stored.version)
    return await _page(service, reader, view)


@router.post(PATH)
async def change_rules(
    query: Annotated[RulesForm, Query()], sent: FormFields, service: RunningService, caller: ConsoleAdministrator
) -> Response:
    """Tries the rules of the form on stored answers, or stores them."""
    form, suggestions = await spelled(query, service.engine, caller)
    tenant = _checked(caller.only(form.tenant) or "")
    stored = await service.rules.current(tenant)
    view = RulesView(form=form, suggestions=suggestions, stored=stored, draft=_typed(sent), edited=_edited(sent))
    if sent.get("action") == "propose":
        view = replace(view, draft=_draft(stored.document), edited=stored.version, mined=True)
        return await _page(service, caller, replace(view, offered=await _offered(service, stored)))
    try:
        document = await _read(service, sent)
        view = replace(view, draft=_draft(document.model_dump(mode="json")))
        if sent.get("action") != "store":
            view = replace(view, effect=await _effect(service, tenant, document))
            return await _page(service, caller, view)
        kept = await service.rules.put(tenant, document, author=caller.name, expected=view.edited)
    except InvalidRules as error:
        return await _page(service, caller, replace(view, fault=str(error)), 422)
    except RulesConflict:
        newest = await service.rules.current(tenant)
        fault = f"Version {newest.version} was stored meanwhile. Store again to replace it with what is below."
        view = replace(view, stored=newest, edited=newest.version, fault=fault, conflict=True)
        return await _page(service, caller, view, 412)
    service.metrics.rules_in_force(await service.rules.rules([tenant]))
    address = link(PATH, form.carried(), tenant=tenant, stored=kept.version)
    return RedirectResponse(address, 303, headers=SAFE_HEADERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesView:
    """What the page shows."""

    form: RulesForm
    suggestions: Suggestions
    stored: StoredRules
    """The rules in force."""
    draft: RulesDraft
    edited: int
    """The version from which the draft was made."""
    fault: str | None = None
    conflict: bool = False
    """Whether another version was stored since the form was opened."""
    effect: RulesEffect | None = None
    mined: bool = False
    """Whether the answers were mined for rules."""
    offered: OfferedRules | None = None


async def _page(service: Service, caller: Caller, view: RulesView, status: int = 200) -> Response:
    shown = {
        "title": "Rules",
        "tenant": view.stored.tenant,
        "rules": view.stored,
        "fields": rule_fields(),
        "versions": await service.rules.versions(view.stored.tenant),
        "given": view.form.given(),
        "most_mined": MOST_MINED,
        "may_change": AccessScope.ADMIN in caller.scopes,
        # what was never tried is stored by a program, not by a slip
        "may_store": view.effect is not None or view.conflict,
        **{each.name: getattr(view, each.name) for each in fields(view)},
    }
    return page("rules.html", shown, carried=view.form.carried(), status=status)


def _checked(tenant: str) -> str:
    if not is_tenant(tenant):
        raise ApiError(400, "INVALID_PARAMETER", f"{tenant!r} cannot be a tenant: {TENANT_RULE}", "Choose another.")
    return tenant


async def _chosen(service: Service, stored: StoredRules, form: RulesForm) -> Mapping[str, Any]:
    """The document in force, or that of the version in the address."""
    if form.version is None:
        return stored.document
    found = await service.rules.version(stored.tenant, form.version)
    if found is None:
        message = f"tenant {stored.tenant!r} has no rules version {form.version}"
        raise ApiError(404, "NOT_FOUND", message, "Choose a version from the list on the page of its rules.")
    return found.document


def _draft(document: Mapping[str, Any]) -> RulesDraft:
    # a stored document of an earlier release lacks the keys that came later
    whole = {**RulesDocument().model_dump(mode="json"), **document}
    text = orjson.dumps(whole, option=orjson.OPT_INDENT_2).decode()
    return RulesDraft(fields=shown_fields(whole), text=text, fits=fits_form(whole))


def _typed(sent: Mapping[str, str]) -> RulesDraft:
    """What was typed, whether it can be read or not."""
    by_json = sent.get("way") == "json"
    typed = {each.name: sent.get(each.name, "") for each in rule_fields()}
    return RulesDraft(fields=typed, text=sent.get("json", "") if by_json else "", fits=not by_json)


async def _read(service: Service, sent: Mapping[str, str]) -> RulesDocument:
    raw = sent.get("json", "").encode() if sent.get("way") == "json" else document_of(sent)
    if len(raw) > MAX_RULES_BYTES:
        raise InvalidRules(f"rules have {len(raw)} bytes: at most {MAX_RULES_BYTES} are accepted")
    return await service.rules.decode(raw)


def _edited(sent: Mapping[str, str]) -> int:
    """The version that the form was made from."""
    said = sent.get("edited", "")
    if not (said.isascii() and said.isdigit() and len(said) <= 18):
        message = f"edited: {said[:40]!r} is not a version of the rules"
        raise ApiError(400, "INVALID_FORM", message, "Reload the page and send the form again.")
    return int(said)


async def _in_force(service: Service, tenant: str) -> Rules:
    rules = (await service.rules.rules([tenant])).get(tenant)
    if rules is None:
        raise RulesUnavailable(f"the rules of tenant {tenant!r} cannot be read: store them again")
    return rules


async def _offered(service: Service, stored: StoredRules) -> OfferedRules | None:
    rules = await _in_force(service, stored.tenant)
    return await offered_rules(service.engine, service.effects, stored.tenant, rules, stored.document)


async def _effect(service: Service, tenant: str, document: RulesDocument) -> RulesEffect:
    in_force = await _in_force(service, tenant)
    after = draft_rules(await service.rules.parse(document), in_force)
    return await rules_effect(service.engine, service.effects, tenant, before=in_force, after=after)
