"""One process that does everything: opens what it needs, serves until told to stop, and finishes what it accepted."""

from __future__ import annotations

import asyncio
import signal
import socket
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime

import uvicorn
import uvloop
from fastapi import FastAPI

from consumers.judging import Panel
from consumers.memory import MemoryDeferred
from consumers.pool import Pool, PoolLimits
from consumers.ports import Unavailable
from consumers.retries import Retries
from consumers.score_events import ScoreEvents
from scoring.judge import InvalidWeightsError, LocalJudge
from service.api.application import build_app
from service.database import open_database
from service.logs import configure_logs, log
from service.metrics import Metrics
from service.service import Intake, Service
from service.settings import Settings, SettingsError
from service.spans import SpansInMemory, joining
from service.store import PostgresRules, PostgresScores
from service.weights import fitted_judge, local_judge


@asynccontextmanager
async def running(settings: Settings) -> AsyncGenerator[Service]:
    """A service with its database open, migrated, and its worker running; on leaving, what was accepted is finished.

    Raises `StoreUnavailable` and `SettingsError`.
    """
    limits, local = settings.limits, _judge(settings)
    async with open_database(settings) as engine:
        rules, metrics = PostgresRules(engine), Metrics(settings.metrics, local.name)
        score_events = ScoreEvents(
            panel=Panel(local=local.judge),
            rules=rules,
            store=PostgresScores(engine),
            outcomes=metrics,
            clock=lambda: datetime.now(UTC),
            timer=time.monotonic,
            max_event_bytes=limits.max_event_bytes,
        )
        pool = Pool(
            score_events,
            limits=_pool_limits(settings),
            deferred=MemoryDeferred(),
            retries=Retries(attempts=settings.pool.attempts),
        )
        worker = asyncio.create_task(pool.run(), name="score-events")
        try:
            async with joining(settings.spans, pool.submit, metrics, patience=limits.shutdown_seconds) as joined:
                yield Service(
                    settings=settings,
                    engine=engine,
                    rules=rules,
                    pool=pool,
                    metrics=metrics,
                    worker=worker,
                    intake=Intake(limits.max_pending_bytes),
                    spans=SpansInMemory(joined=joined),
                )
        finally:
            await _finish(pool, worker, limits.shutdown_seconds)


def _judge(settings: Settings) -> LocalJudge:
    if settings.judge.weights is None:
        return local_judge()
    try:
        return fitted_judge(settings.judge.weights)
    except InvalidWeightsError as error:
        raise SettingsError(f"judge.weights: {error}") from error


def _pool_limits(settings: Settings) -> PoolLimits:
    pool, limits = settings.pool, settings.limits
    return PoolLimits(
        records=pool.in_flight,
        size=pool.bytes,
        batch=limits.batch_size,
        linger=limits.linger_ms / 1000,
        tenant_asks=pool.tenant_in_flight,
        deadline=pool.event_deadline,
        patience=pool.patience,
    )


async def _finish(pool: Pool, worker: asyncio.Task[None], seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            pool.close()
            await worker
    except TimeoutError:
        log.warning("shutdown_cut_short", waiting=pool.depth)
        worker.cancel()


def create_app(settings: Settings, service: Service | None = None) -> FastAPI:
    """The application; without a running `service` it opens one of its own with its lifespan."""
    if service is not None:
        return build_app(service)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        async with running(settings) as opened:
            app.state.service = opened
            yield

    return build_app(lifespan=lifespan)


def run(settings: Settings) -> None:
    """Serves in the foreground until SIGINT or SIGTERM, then finishes what was accepted and returns.

    Raises `Unavailable` where the address is taken or the database is down, and `SettingsError`.
    """
    configure_logs(settings.log)
    listener = _bind(settings.http.host, settings.http.port)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_serve(settings, listener))
    except KeyboardInterrupt:
        log.info("stopped_while_starting")
    finally:
        listener.close()
        signal.signal(signal.SIGTERM, before)


class _Server(uvicorn.Server):
    """Uvicorn, but it does not raise the signal it was stopped by once more: the drain comes after it."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        caught = (signal.SIGINT, signal.SIGTERM)
        before = {each: signal.signal(each, self.handle_exit) for each in caught}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


async def _serve(settings: Settings, listener: socket.socket) -> None:
    async with running(settings) as service:
        config = uvicorn.Config(
            create_app(settings, service),
            log_config=None,
            access_log=False,
            lifespan="off",
            timeout_graceful_shutdown=settings.limits.shutdown_seconds,
            server_header=False,
        )
        host, port = listener.getsockname()[:2]
        log.info("serving", url=f"http://{host}:{port}", database="set" if settings.database.url else "embedded")
        await _Server(config).serve(sockets=[listener])
    log.info("stopped")


def _bind(host: str, port: int) -> socket.socket:
    """A socket that holds the address but does not listen yet, so that nobody waits on a service still starting."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        detail = f"cannot listen on {host}:{port} ({error.strerror}): stop what does, or set SQLASSAY_HTTP__PORT"
        raise Unavailable(detail) from error
    return listener
