"""Liveness, readiness and metrics of the process."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import PlainTextResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel, Field
from sqlalchemy import text

from service.api.access import RunningService, caller_of
from service.api.caller import forbidden
from service.api.errors import ApiError, errors
from service.api.replies import as_json
from service.metrics.dependency_metrics import Dependency
from service.pipeline.running import Service
from service.settings.access_settings import AccessScope
from service.storage.database import translate_errors

router = APIRouter(tags=["health"])
_READY_SECONDS = 3


class Health(BaseModel):
    """The state of the process."""

    status: str = Field(examples=["ok"])
    """`degraded` where a part of the input is not read, and a restart would not help."""
    stuck: list[str] | None = Field(
        None,
        description="Kafka partitions that stand before a batch that cannot be read, each with its place and the "
        "cause. All others are read. Absent while there is none.",
    )


@router.get("/healthz", response_model=Health, responses=errors(503), summary="Liveness")
async def healthz(service: RunningService) -> Response:
    """200 while the worker makes progress. 503 means that the process should be restarted."""
    fault = service.worker.fault() if service.worker is not None else None
    if fault is not None:
        raise ApiError(503, "WORKER_STOPPED", fault, "Restart the process. Its log has the cause.")
    return as_json({"status": "ok"})


@router.get("/readyz", response_model=Health, responses=errors(400, 503), summary="Readiness")
async def readyz(
    service: RunningService,
    without: Annotated[
        list[Dependency] | None, Query(description="Dependencies that this check leaves out, such as `kafka`.")
    ] = None,
) -> Response:
    """200 while all that this process needs answers and the worker makes progress. 503 names what is missing.

    A Kafka partition with a batch that cannot be read leaves it at 200, because the others are read: the status is then
    `degraded`, and `stuck` names the partition.
    """
    await healthz(service)
    missing = service.watch.missing(without or ())
    if missing:
        names = ", ".join(each.dependency.value for each in missing)
        raise ApiError(
            503, "NOT_READY", f"{names}: {missing[0].fault}", f"Restore {names}. The process goes on by itself."
        )
    if Dependency.POSTGRESQL not in (without or ()):
        await _ask_database(service)
    stuck = service.worker.stuck if service.worker is not None else []
    return as_json({"status": "degraded", "stuck": stuck} if stuck else {"status": "ok"})


async def _ask_database(service: Service) -> None:
    with translate_errors(service.engine.url):
        async with asyncio.timeout(_READY_SECONDS), service.engine.connect() as connection:
            await connection.execute(text("SELECT 1"))


@router.get("/metrics", responses=errors(401, 403), response_class=PlainTextResponse, summary="Metrics")
async def metrics(request: Request, service: RunningService) -> Response:
    """Metrics for Prometheus. Requires the token for all tenants, unless no tokens are set or metrics are public."""
    if not service.settings.http.public_metrics and caller_of(request, AccessScope.READ).tenant is not None:
        raise forbidden("metrics show all tenants, and this token gives access to one")
    if service.worker is not None:
        service.metrics.queue.set(service.worker.pool.depth)
    return Response(service.metrics.exposition(), media_type=CONTENT_TYPE_LATEST)
