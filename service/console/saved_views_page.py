"""Saved views: named filters of the console's lists, with an address to share."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl
from uuid import UUID

from fastapi import APIRouter
from fastapi.responses import RedirectResponse, Response
from pydantic import ValidationError

from service.api.access import ConsoleReader, ConsoleReviewer, RunningService
from service.api.errors import ApiError
from service.api.forms.form_fields import FormFields
from service.console.forms import BrowserForm, ListForm
from service.console.rendering import link, page
from service.console.slices_page import SlicesForm
from service.storage.console.saved_views import delete_view, find_view, list_views, save_view

router = APIRouter(include_in_schema=False)
VIEWS = "/console/views"
LISTS: Mapping[str, type[BrowserForm]] = {"evaluations": ListForm, "slices": SlicesForm}
"""The lists that have views, by the end of their address."""
_LONGEST_NAME = 80


@router.get(VIEWS)
async def show_views(service: RunningService, reader: ConsoleReader) -> Response:
    """Lists the saved views that the reader may use."""
    return page("saved_views.html", {"title": "Saved views", "views": await list_views(service.engine, reader.tenant)})


@router.post(VIEWS)
async def save_this_view(
    fields: FormFields, service: RunningService, reader: ConsoleReader, reviewer: ConsoleReviewer
) -> Response:
    """Saves the filter of a list under a name."""
    name, shows = fields.get("name", "").replace("\0", "").strip(), fields.get("shows", "")
    if not 0 < len(name) <= _LONGEST_NAME:
        raise _invalid(f"name: it has no letter, or more than {_LONGEST_NAME}")
    if shows not in LISTS:
        raise _invalid(f"shows: {shows[:40]!r} has no views")
    given = _filters(shows, fields.get("filters", ""))
    await save_view(
        service.engine,
        tenant=reader.only(given.get("tenant")),
        name=name,
        shows=shows,
        filters=given,
        saved_by=reviewer.name,
        now=datetime.now(UTC),
    )
    return RedirectResponse(VIEWS, status_code=303)


def _filters(shows: str, text: str) -> dict[str, Any]:
    """The parameters of the list, as its form reads them; a page of the list is no filter."""
    try:
        given = LISTS[shows].model_validate(dict(parse_qsl(text, max_num_fields=100))).given()
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        raise _invalid(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}") from None
    except ValueError as error:
        raise _invalid(f"filters: {error}") from None
    given.pop("cursor", None)
    return given


@router.get(VIEWS + "/{view_id}")
async def open_view(view_id: UUID, service: RunningService, reader: ConsoleReader) -> Response:
    """Leads to the list that a view shows."""
    view = await find_view(service.engine, view_id, reader.tenant)
    if view is None:
        raise _absent(view_id)
    return RedirectResponse(link(f"/console/{view['shows']}", view["filters"]), status_code=303)


@router.post(VIEWS + "/{view_id}/delete")
async def delete_this_view(view_id: UUID, service: RunningService, reviewer: ConsoleReviewer) -> Response:
    """Deletes a view."""
    if not await delete_view(service.engine, view_id, reviewer.tenant):
        raise _absent(view_id)
    return RedirectResponse(VIEWS, status_code=303)


def _invalid(message: str) -> ApiError:
    return ApiError(400, "INVALID_PARAMETER", message, "Open the list, choose its filters and save it there.")


def _absent(id_: UUID) -> ApiError:
    return ApiError(404, "NOT_FOUND", f"there is no saved view {id_}", f"Choose one from {VIEWS}.")
