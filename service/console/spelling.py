"""Finds the stored names that a form means whatever their case, and suggests names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from sqlalchemy.ext.asyncio import AsyncEngine

from service.api.caller import Caller
from service.console.forms import BrowserForm
from service.console.overview.look_alikes import look_alikes
from service.storage.scores.stored_names import AnswerNames, stored_names

_MOST = 200
Form = TypeVar("Form", bound=BrowserForm)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestions:
    """Stored names, for the fields of a form."""

    tenant: list[str]
    agent: list[str]
    agent_version: list[str]
    judge: list[str]
    spellings: list[tuple[str, str]]
    """Field and name where several stored names differ from what was typed in case alone."""
    alike: Mapping[tuple[str, str], list[str]]
    """For a tenant and agent, the tenant's other agents whose names look the same."""


async def spelled(form: Form, engine: AsyncEngine, reader: Caller) -> tuple[Form, Suggestions]:
    """The form with its tenant and agent as they are stored, and names to suggest. Raises `StoreUnavailable`.

    Only names that the caller may see are read.
    """
    stored = await stored_names(engine, reader.tenant)
    tenants = {each.tenant for each in stored}
    if reader.tenant is not None:
        tenants.add(reader.tenant)
    tenant, other_tenants = _spelling(form.tenant, tenants)
    if tenant is not None:
        stored = [each for each in stored if each.tenant == tenant]
    agent, other_agents = _spelling(form.agent, {each.agent for each in stored})
    spellings = [("tenant", each) for each in other_tenants] + [("agent", each) for each in other_agents]
    suggestions = _suggestions(tenants, stored, agent, spellings)
    return form.model_copy(update={"tenant": tenant, "agent": agent}), suggestions


def _spelling(typed: str | None, names: set[str]) -> tuple[str | None, list[str]]:
    """The name that was typed, and the stored names to choose from if it fits several.

    >>> _spelling("ATLAS", {"atlas", "other"}), _spelling("atlas", {"atlas", "Atlas"})
    (('atlas', []), ('atlas', []))
    >>> _spelling("ATLAS", {"atlas", "Atlas"})
    ('ATLAS', ['Atlas', 'atlas'])
    """
    if typed is None or typed in names:
        return typed, []
    same = sorted(name for name in names if name.casefold() == typed.strip().casefold())
    return (same[0], []) if len(same) == 1 else (typed, same)


def _suggestions(
    tenants: Iterable[str], stored: Iterable[AnswerNames], agent: str | None, spellings: list[tuple[str, str]]
) -> Suggestions:
    stored = list(stored)
    of_agent = [each for each in stored if agent is None or each.agent == agent]
    return Suggestions(
        tenant=sorted(tenants)[:_MOST],
        agent=sorted({each.agent for each in stored})[:_MOST],
        agent_version=sorted({each.agent_version for each in of_agent if each.agent_version is not None})[:_MOST],
        judge=sorted({each.judge for each in stored if each.judge is not None})[:_MOST],
        spellings=spellings[:_MOST],
        alike=look_alikes((each.tenant, each.agent) for each in stored),
    )
