"""One process that does everything: opens what it needs, serves until told to stop, and finishes what it accepted."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager

import uvicorn
import uvloop
from fastapi import FastAPI
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.errors import Unavailable
from scoring.judging.local import InvalidWeightsError, LocalJudge
from service.application import build_app
from service.judges.configured_panel import open_panel
from service.judges.weights import fitted_judge, local_judge
from service.kafka.client import open_publisher
from service.logs import configure_logs, log
from service.metrics import Metrics
from service.pipeline.event_intake import event_intake, opened_spans
from service.pipeline.running import Intake, Role, Service
from service.pipeline.worker import Parts, Worker, working
from service.processes.interpreter import tune_interpreter
from service.redis.link import RedisLink, open_redis
from service.redis.rule_cache import RedisRules
from service.settings import Settings
from service.settings.loading import SettingsError
from service.settings.variables import variable_name
from service.storage.database import open_database
from service.storage.retention import housekeeping
from service.storage.rule_store import PostgresRules
from service.telemetry import open_telemetry


@asynccontextmanager
async def running(settings: Settings, role: Role = Role.ALL) -> AsyncGenerator[Service]:
    """A service with its database open and migrated, doing its role; on leaving, what was accepted is finished.

    Raises `StoreUnavailable`, `KafkaUnavailable` and `SettingsError`.
    """
    _check_role(settings, role)
    local = _judge(settings)
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        metrics = Metrics(settings.metrics, local.name)
        telemetry = await enter(open_telemetry(settings.telemetry, metrics))
        engine = await enter(open_database(settings))
        redis = await enter(open_redis(settings.redis, metrics.storage.redis_failed))
        rules = await _open_rules(stack, engine, redis, metrics)
        publisher = await enter(open_publisher(settings.kafka)) if settings.kafka.bootstrap_servers else None
        worker: Worker | None = None
        if role is not Role.API:
            await enter(housekeeping(engine, settings.retention.days, metrics.storage.housekeeping_done))
            panel = await enter(open_panel(settings.judge, local, metrics.models, redis, metrics.failed))
            parts = Parts(
                settings=settings,
                engine=engine,
                rules=rules,
                panel=panel,
                metrics=metrics,
                publisher=publisher,
                telemetry=telemetry,
            )
            worker = await enter(working(parts))
        events = event_intake(settings, metrics, publisher, worker, telemetry)
        yield Service(
            settings=settings,
            role=role,
            engine=engine,
            rules=rules,
            metrics=metrics,
            worker=worker,
            events=events,
            intake=Intake(settings.limits.max_pending_bytes),
            spans=await enter(opened_spans(settings, metrics, publisher, worker, events)),
        )


def _check_role(settings: Settings, role: Role) -> None:
    if role is Role.ALL:
        return
    lacking = "kafka.bootstrap_servers" if not settings.kafka.bootstrap_servers else ""
    lacking = lacking or ("" if settings.database.url is not None else "database.url")
    if lacking:
        name = variable_name(*lacking.split("."))
        raise SettingsError(
            f"--role {role.value} shares its work through Kafka and a database: set {name}, or --role all"
        )


async def _open_rules(
    stack: AsyncExitStack, engine: AsyncEngine, redis: RedisLink | None, metrics: Metrics
) -> PostgresRules | RedisRules:
    truth = PostgresRules(engine)
    if redis is None:
        return truth
    rules = RedisRules(link=redis, stored=truth, aged=metrics.storage.rules_aged)
    await stack.enter_async_context(rules.listening())
    return rules


def _judge(settings: Settings) -> LocalJudge:
    if settings.judge.weights is None:
        return local_judge()
    try:
        return fitted_judge(settings.judge.weights)
    except InvalidWeightsError as error:
        raise SettingsError(f"judge.weights: {error}") from error


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


def run(settings: Settings, role: Role = Role.ALL) -> None:
    """Serves in the foreground until SIGINT or SIGTERM, then finishes what was accepted and returns.

    Raises `Unavailable` where the address is taken or the database is down, and `SettingsError`.
    """
    configure_logs(settings.log)
    listener = _bind(settings.http.host, settings.http.port)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_serve(settings, listener, role))
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


async def _serve(settings: Settings, listener: socket.socket, role: Role) -> None:
    async with running(settings, role) as service:
        tune_interpreter()
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
