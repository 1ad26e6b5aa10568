"""Runs the service: opens what it needs, serves until it is stopped, then finishes accepted events."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import AsyncGenerator, Generator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager, nullcontext
from typing import NamedTuple

import uvicorn
import uvloop
from fastapi import FastAPI
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.errors import Unavailable
from scoring.judging.local import InvalidWeightsError, LocalJudge
from service.access.access_tokens import open_tokens
from service.access.console_login import open_login
from service.access.open_access import refuse_open_access
from service.api.connections import impatient_protocol
from service.application import build_app
from service.judges.configured_panel import open_panel
from service.judges.weights import fitted_judge, local_judge
from service.kafka.client import KafkaPublisher, open_publisher
from service.kafka.library.adapter import adapt_library
from service.logs import configure_logs, log
from service.metrics import Metrics
from service.pipeline.body_budget import BodyBudget
from service.pipeline.dependency_probes import open_watch
from service.pipeline.dependency_watch import WatchPolicy
from service.pipeline.event_intake import event_intake, open_span_intake
from service.pipeline.process_parts import ProcessParts
from service.pipeline.running import ProcessRole, Service
from service.pipeline.worker import Worker, running_worker
from service.processes.apart import reading_apart
from service.processes.effect_process import EffectProcess
from service.processes.forking import start_server
from service.processes.interpreter import tune_interpreter
from service.processes.rules_processes import rules_processes
from service.processes.sql_reading import sql_reading
from service.redis.link import RedisLink, open_redis
from service.redis.rule_cache import RedisRules
from service.settings import Settings
from service.settings.loading import SettingsError
from service.settings.variables import variable_name
from service.storage.database import open_database
from service.storage.retention import housekeeping
from service.storage.rule_store import PostgresRules
from service.storage.scores.search_index import make_search_index
from service.storage.sums.keeping import summing
from service.telemetry import open_telemetry

_WATCH = WatchPolicy()


class _Opened(NamedTuple):
    """What a process has open for its parts, under their own types."""

    parts: ProcessParts
    rules: PostgresRules | RedisRules
    redis: RedisLink | None
    publisher: KafkaPublisher | None


@asynccontextmanager
async def running(
    settings: Settings, role: ProcessRole = ProcessRole.ALL, policy: WatchPolicy = _WATCH
) -> AsyncGenerator[Service]:
    """A running service with a migrated database. On leaving, accepted events are finished.

    Raises `StoreUnavailable`, `KafkaUnavailable` and `SettingsError`.
    """
    _check_role(settings, role)
    local = _judge(settings)
    start_server()
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        metrics = _metrics(settings, local, role)
        parts, rules, redis, publisher = await _open_parts(stack, settings, role, metrics)
        worker = None if role is ProcessRole.API else await _open_worker(stack, parts, rules, local, redis)
        events = event_intake(parts, worker)
        yield Service(
            settings=settings,
            role=role,
            engine=parts.engine,
            rules=rules,
            sql=await enter(sql_reading(settings.pool.cpu_seconds)),
            reading=parts.reading,
            metrics=metrics,
            worker=worker,
            events=events,
            bodies=BodyBudget(most=settings.limits.max_pending_bytes),
            tokens=await enter(open_tokens(settings, parts.engine)),
            login=await open_login(settings, parts.engine),
            spans=await enter(open_span_intake(parts, worker, events)),
            effects=EffectProcess(weights=settings.judge.weights, cpu_seconds=settings.pool.cpu_seconds),
            watch=await enter(open_watch(parts, publisher, redis, policy, reads=worker is not None)),
        )


async def _open_parts(stack: AsyncExitStack, settings: Settings, role: ProcessRole, metrics: Metrics) -> _Opened:
    enter = stack.enter_async_context
    telemetry = await enter(open_telemetry(settings.telemetry, metrics))
    engine = await _open_database(stack, settings)
    redis = await enter(open_redis(settings.redis, metrics.storage.redis_failed))
    rules = await _open_rules(stack, settings, engine, redis, metrics)
    publisher = await _open_publisher(stack, settings, role)
    parts = ProcessParts(
        settings=settings,
        engine=engine,
        rules=rules,
        metrics=metrics,
        reading=await enter(reading_apart()),
        publisher=publisher,
        telemetry=telemetry,
    )
    return _Opened(parts, rules, redis, publisher)


async def _open_database(stack: AsyncExitStack, settings: Settings) -> AsyncEngine:
    engine = await stack.enter_async_context(open_database(settings))
    if settings.database.url is None and settings.database.search_index:
        # a configured database may hold millions of answers: there `migrate` makes it
        await make_search_index(engine.url, settings.database)
    return engine


async def _open_publisher(stack: AsyncExitStack, settings: Settings, role: ProcessRole) -> KafkaPublisher | None:
    if not settings.kafka.bootstrap_servers:
        return None
    # without Kafka an api still serves results, reports and rules; a worker has nothing to do
    opened = open_publisher(settings.kafka, wait=role is not ProcessRole.API)
    return await stack.enter_async_context(opened)


def _metrics(settings: Settings, local: LocalJudge, role: ProcessRole) -> Metrics:
    metrics = Metrics(settings.metrics, local.name, settings.judge.currency)
    metrics.dependencies.started_as(role.value)
    return metrics


def _check_role(settings: Settings, role: ProcessRole) -> None:
    if role is ProcessRole.ALL:
        return
    if not settings.kafka.bootstrap_servers:
        missing = variable_name("kafka", "bootstrap_servers")
    elif settings.database.url is None:
        missing = variable_name("database", "url")
    else:
        return
    raise SettingsError(f"--role {role.value} needs Kafka and a shared database: set {missing}, or use --role all")


def _calibrating(
    engine: AsyncEngine, rules: PostgresRules | RedisRules, judge: str
) -> AbstractAsyncContextManager[object]:
    try:
        # numpy and scipy come with the extra alone, and take a second to load
        from service.pipeline.automatic_calibrations import calibrating  # noqa: PLC0415 for the reason above
    except ImportError as error:
        needed = f"{variable_name('calibration', 'automatic')} needs the extra learn ({error.name} is missing)"
        raise SettingsError(f"{needed}: pip install 'sqlassay[learn]'") from error
    return calibrating(engine, rules, judge)


async def _open_worker(
    stack: AsyncExitStack,
    parts: ProcessParts,
    rules: PostgresRules | RedisRules,
    local: LocalJudge,
    redis: RedisLink | None,
) -> Worker:
    settings, metrics = parts.settings, parts.metrics
    kept = settings.retention
    await stack.enter_async_context(housekeeping(parts.engine, kept.days, metrics.storage, audit_days=kept.audit_log()))
    await stack.enter_async_context(summing(parts.engine))
    panel = open_panel(settings.judge, local, metrics.models, redis, metrics.failed)
    worker = await stack.enter_async_context(running_worker(parts, await stack.enter_async_context(panel)))
    if settings.calibration.automatic:
        await stack.enter_async_context(_calibrating(parts.engine, rules, local.name))
    return worker


async def _open_rules(
    stack: AsyncExitStack, settings: Settings, engine: AsyncEngine, redis: RedisLink | None, metrics: Metrics
) -> PostgresRules | RedisRules:
    stored = PostgresRules(engine, await stack.enter_async_context(rules_processes(settings.pool.cpu_seconds)))
    if redis is None:
        return stored
    rules = RedisRules(link=redis, stored=stored, aged=metrics.storage.rules_aged)
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
    """The application. Without a running `service` it opens its own with its lifespan."""
    if service is not None:
        return build_app(service)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        async with running(settings) as opened:
            app.state.service = opened
            yield

    return build_app(lifespan=lifespan)


def run(settings: Settings, role: ProcessRole = ProcessRole.ALL) -> None:
    """Serves until SIGINT or SIGTERM, then finishes accepted events and returns.

    Raises `SettingsError`, and `Unavailable` if the address is taken or the database is down.
    """
    configure_logs(settings.log)
    listener = _bind(settings.http.host, settings.http.port)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        adapt_library()
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_serve(settings, listener, role))
    except KeyboardInterrupt:
        log.info("start_interrupted")
    finally:
        listener.close()
        # after a SIGTERM, further ones are ignored, so that the process exits with 0
        if signal.getsignal(signal.SIGTERM) is not signal.SIG_IGN:
            signal.signal(signal.SIGTERM, before)


class _Server(uvicorn.Server):
    """Uvicorn without raising the stop signal again on exit, because the drain comes after it.

    Another SIGTERM does not end the drain. SIGINT does: a person in a hurry presses Ctrl-C twice.
    """

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        caught = (signal.SIGINT, signal.SIGTERM)
        before = {each: signal.signal(each, self.handle_exit) for each in caught}
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before[signal.SIGINT])
            signal.signal(signal.SIGTERM, signal.SIG_IGN if self.should_exit else before[signal.SIGTERM])


async def _serve(settings: Settings, listener: socket.socket, role: ProcessRole) -> None:
    _check_role(settings, role)
    # a worker has no page and no API
    if role is not ProcessRole.WORKER:
        await refuse_open_access(settings)
    async with running(settings, role) as service:
        tune_interpreter()
        config = uvicorn.Config(
            create_app(settings, service),
            http=impatient_protocol(settings.limits.stall_seconds),
            log_config=None,
            access_log=False,
            lifespan="off",
            timeout_graceful_shutdown=settings.limits.shutdown_seconds,
            server_header=False,
            # a client must not choose the address that it is known by; listed proxies are read in service/access
            proxy_headers=False,
        )
        host, port = listener.getsockname()[:2]
        async with _grpc(service):
            log.info("serving", url=f"http://{host}:{port}", database="set" if settings.database.url else "embedded")
            await _Server(config).serve(sockets=[listener])
    log.info("stopped")


def _grpc(service: Service) -> AbstractAsyncContextManager[None]:
    if service.settings.spans.grpc_port is None or service.role is ProcessRole.WORKER:
        return nullcontext()
    # gRPC starts threads and takes memory, which a process without it does not pay for
    from service.trace_receiver import receiving_traces  # noqa: PLC0415 for the reason above

    return receiving_traces(service, service.settings.spans.grpc_port)


def _bind(host: str, port: int) -> socket.socket:
    """A socket that is bound but does not listen yet, so that clients are refused while the service starts."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        detail = f"cannot listen on {host}:{port} ({error.strerror}): free the port, or set SQLASSAY_HTTP__PORT"
        raise Unavailable(detail) from error
    return listener
