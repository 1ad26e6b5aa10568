"""Every setting there is: read once at start, from `SQLASSAY_…` variables, and validated with an answer for a typo."""

from __future__ import annotations

import difflib
import ipaddress
import os
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Literal, Self

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from consumers.spans import SpanTable

PREFIX = "SQLASSAY_"
TEST_PREFIX = "SQLASSAY_TEST_"
"""Variables that only the test suite reads."""
TOKENS_PREFIX = "SQLASSAY_HTTP__TOKENS__"
"""One tenant's token may be its own variable."""
ALL_TENANTS = "*"
"""The key of `http.tokens` whose token reads and writes for every tenant."""


class SettingsError(Exception):
    """A setting is wrong; the message names it and the fix, never a secret."""


class _Group(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class DatabaseSettings(_Group):
    """Where rows live."""

    url: SecretStr | None = Field(
        default=None,
        description="postgresql:// or postgresql+asyncpg:// URL; unset starts the embedded PostgreSQL.",
    )
    pool_size: int = Field(default=5, ge=1, le=100, description="Connections kept open by one process.")
    timeout: float = Field(default=30.0, gt=0, le=600, description="Seconds until a statement counts as failed.")


class RetentionSettings(_Group):
    """How long rows are kept."""

    days: int | None = Field(
        default=None,
        ge=1,
        le=36_500,
        description="Days that rows are kept, by event time, where a tenant's rules say nothing; unset keeps them.",
    )


class RedisSettings(_Group):
    """The shared cache; without one each process keeps its own."""

    url: SecretStr | None = Field(default=None, description="redis:// or rediss:// URL; unset does without Redis.")
    prefix: str = Field(
        default="sqlassay", min_length=1, max_length=64, pattern=r"^[\w.-]+$", description="First part of every key."
    )
    timeout: float = Field(default=0.5, gt=0, le=30, description="Seconds until Redis counts as down.")


class HttpSettings(_Group):
    """The API."""

    host: str = Field(default="127.0.0.1", description="Address to listen on; any but loopback needs tokens.")
    port: int = Field(default=8321, ge=0, le=65535, description="Port to listen on; 0 picks a free one.")
    tokens: Mapping[str, SecretStr] = Field(
        default_factory=dict[str, SecretStr],
        description='Bearer token of each tenant, as JSON: {"acme": "…"}; the key "*" is for all tenants.',
    )
    public_metrics: bool = Field(default=False, description="Serve /metrics without a token although tokens are set.")


class LimitSettings(_Group):
    """Bounds that keep memory and latency in hand."""

    max_event_bytes: int = Field(default=1024 * 1024, ge=1024, le=16 * 1024 * 1024, description="Largest event.")
    max_body_bytes: int = Field(
        default=16 * 1024 * 1024, ge=1024, le=256 * 1024 * 1024, description="Largest HTTP body."
    )
    max_pending_bytes: int = Field(
        default=64 * 1024 * 1024, ge=1024, description="Bodies handled at once, in bytes; more are told to wait."
    )
    max_events: int = Field(default=10_000, ge=1, description="Most events in one HTTP body.")
    batch_size: int = Field(default=200, ge=1, le=5000, description="Most events scored and stored in one transaction.")
    linger_ms: int = Field(default=5, ge=0, le=1000, description="How long a batch waits for more events.")
    shutdown_seconds: int = Field(default=20, ge=1, description="How long shutdown waits for requests in flight.")


class KafkaSettings(_Group):
    """The stream; unset, events come by HTTP alone."""

    bootstrap_servers: str | None = Field(
        default=None, description="host:port of brokers, joined by commas; unset does without Kafka."
    )
    group: str = Field(default="sqlassay", min_length=1, description="Consumer group of the workers.")
    topic_events: str = Field(default="query-events", min_length=1, description="Where agents publish.")
    topic_dead: str = Field(default="query-events.dead", min_length=1, description="Where dead letters go.")
    topic_scores: str = Field(default="query-scores", description="Where results go; empty publishes none.")
    topic_labels: str = Field(default="query-labels", description="Where labels come from; empty reads none.")
    topic_spans: str = Field(
        default="query-spans", description="Where OpenTelemetry spans go and come from; empty reads none."
    )
    max_records: int = Field(default=500, ge=1, le=10_000, description="Most records of one fetch.")
    timeout: float = Field(default=10.0, gt=0, le=300, description="Seconds until Kafka counts as down.")
    session_timeout: float = Field(
        default=30.0, ge=1, le=1800, description="Seconds without a heartbeat until a worker counts as dead."
    )
    drain: float = Field(
        default=5.0, ge=0, le=60, description="Seconds events under way get to end when partitions move or it stops."
    )
    stalled: float = Field(
        default=120.0, gt=0, description="Seconds without progress, while records wait, that fail /healthz."
    )
    dead_in_a_row: int = Field(
        default=500, ge=0, description="Dead letters in a row after which reading stops; 0 is no limit."
    )
    dead_ratio: float = Field(
        default=0.5, gt=0, le=1, description="Share of dead letters of the last 1000 records; 1 is no limit."
    )
    tls: bool = Field(default=False, description="Encrypt the connection.")
    ca_file: Path | None = Field(default=None, description="Certificates to trust; unset trusts the system's.")
    sasl_mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] | None = Field(
        default=None, description="How to log in; unset does not."
    )
    sasl_username: str | None = Field(default=None, description="Who logs in.")
    sasl_password: SecretStr | None = Field(default=None, description="The password.")


class PoolSettings(_Group):
    """What is in flight at once."""

    in_flight: int = Field(default=2000, ge=1, description="Records in memory before senders are held back.")
    bytes: int = Field(default=64 * 1024 * 1024, ge=1024, description="The same in bytes of those records.")
    tenant_in_flight: int = Field(
        default=200, ge=1, description="Events of one tenant that are at a model, or next to be, at once."
    )
    event_deadline: float = Field(
        default=60.0, gt=0, le=3600, description="Seconds an event waits for a model before it is put off."
    )
    patience: float = Field(
        default=2.0, ge=0, le=60, description="Seconds an HTTP request waits for a database that is down."
    )
    attempts: int = Field(default=10, ge=1, le=100, description="Tries of an event that is put off again and again.")
    processes: int | None = Field(
        default=None,
        ge=0,
        le=64,
        description="Processes that score, beside the one that reads and writes; 0 scores in a thread of that one; "
        "unset is 2 with Kafka and two cores or more, else 0.",
    )


class PriceSettings(_Group):
    """Money for a million tokens."""

    sent: float = Field(ge=0, allow_inf_nan=False, description="For tokens sent.")
    received: float = Field(ge=0, allow_inf_nan=False, description="For tokens received.")


class JudgeSettings(_Group):
    """The judges."""

    weights: Path | None = Field(
        default=None, description="Weights file of `sqlassay learn calibrate`; unset is the packaged one."
    )
    base_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s/]+(/\S*)?$",
        description="OpenAI-compatible server, such as https://models.example/v1; unset asks no model.",
    )
    api_key: SecretStr | None = Field(default=None, description="Key of the model server.")
    model: str | None = Field(default=None, min_length=1, max_length=200, description="Model as its server names it.")
    prices: Mapping[str, PriceSettings] = Field(
        default_factory=dict[str, PriceSettings],
        description='Money for a million tokens, as JSON: {"model": {"sent": 0.15, "received": 0.6}}; '
        "the model must have one.",
    )
    budget: float | None = Field(
        default=None, ge=0, allow_inf_nan=False, description="Money per tenant and day (UTC), unless its rules say."
    )
    tokens: int | None = Field(default=None, ge=0, description="Tokens per tenant and day (UTC), unless its rules say.")
    workers: int = Field(
        default=1, ge=1, le=10_000, description="Processes that judge: without Redis each holds that part of a budget."
    )
    timeout: float = Field(default=20.0, gt=0, le=600, description="Seconds for one call of the model.")
    deadline: float = Field(
        default=45.0, gt=0, le=3600, description="Seconds for a verdict, waits and retries included."
    )
    tries: int = Field(default=4, ge=1, le=20, description="Most calls for one verdict.")
    max_tokens: int = Field(default=700, ge=50, le=100_000, description="Most tokens a model may write.")
    in_flight: int = Field(default=64, ge=1, le=10_000, description="Calls at once.")
    tenant_in_flight: int = Field(default=16, ge=1, le=10_000, description="Calls at once for one tenant.")
    per_minute: float | None = Field(default=None, gt=0, description="Calls per minute of one process.")
    mask: bool = Field(default=True, description="Replace names, literals and numbers before a text is sent.")
    cache_seconds: int = Field(default=604_800, ge=0, description="How long Redis remembers a reply; 0 remembers none.")
    breaker_failures: int = Field(default=5, ge=1, description="Failures in a row after which the model is left alone.")
    breaker_rest: float = Field(
        default=5.0, gt=0, le=600, description="Seconds it is left alone at first; doubled up to a minute."
    )


class SpanSettings(_Group):
    """Answers that come as OpenTelemetry spans."""

    window: float = Field(
        default=60.0, gt=0, le=3600, description="Seconds a trace waits for the rest of its spans after the first."
    )
    most: int = Field(default=100_000, ge=1, description="Spans held at once; past it the oldest trace closes early.")
    bytes: int = Field(default=64 * 1024 * 1024, ge=1024, description="The same in bytes of their texts.")
    attributes: Mapping[str, tuple[str, ...]] = Field(
        default_factory=dict[str, tuple[str, ...]],
        description='Attribute names to read, as JSON: {"question": ["my.question"]}; see the events page.',
    )

    @model_validator(mode="after")
    def _only_fields_of_the_table(self) -> Self:
        known = [each.name for each in fields(SpanTable)]
        strangers = sorted(set(self.attributes) - set(known))
        if strangers:
            raise ValueError(f"attributes: {strangers[0]} is none of {', '.join(known)}")
        return self

    @property
    def table(self) -> SpanTable:
        """Which attribute says what."""
        return SpanTable(**self.attributes)


class ReferenceSettings(_Group):
    """Answers that come with a reference, judged by it beside the score."""

    enabled: bool = Field(default=True, description="Judge them; off writes `not_judged`.")
    processes: int = Field(default=1, ge=1, le=64, description="Processes of a worker that judge, of low priority.")
    deadline: float = Field(default=5.0, gt=0, le=300, description="Seconds of CPU for one answer.")
    megabytes: int = Field(default=512, ge=128, description="Memory of one process; one that wants more is ended.")
    bound: int = Field(default=2, ge=0, le=5, description="Rows a table up to which equality is proved.")
    semantics: Literal["reference", "bag", "set", "list"] = Field(
        default="reference", description="When two results are the same: as bags, in order where the reference has one."
    )
    patience: float = Field(
        default=86_400.0, gt=0, description="Seconds after which an answer that waited is no longer judged."
    )


class LogSettings(_Group):
    """The log, on stderr."""

    level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="Least level written.")
    format: Literal["json", "console"] = Field(default="json", description="JSON lines, or lines for people.")


class MetricSettings(_Group):
    """Bounds of metric labels."""

    tenants: int = Field(default=50, ge=1, le=10_000, description="Tenants with a label of their own; the rest: other.")
    agents: int = Field(default=200, ge=1, le=10_000, description="Agents with a label of their own; the rest: other.")


class TelemetrySettings(_Group):
    """OpenTelemetry; unset, and without OTEL_EXPORTER_OTLP_ENDPOINT, nothing is exported."""

    endpoint: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s/]+(/\S*)?$",
        description="Base URL of an OTLP/HTTP receiver; unset leaves it to OTEL_EXPORTER_OTLP_ENDPOINT.",
    )
    queue: int = Field(
        default=20_000, ge=512, description="Spans, and results, that wait for it at most; more are dropped."
    )


class Settings(BaseSettings):
    """All settings; groups are joined to their fields by two underscores."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", frozen=True, extra="forbid", hide_input_in_errors=True
    )

    database: DatabaseSettings = Field(default_factory=DatabaseSettings, description="Where rows live.")
    retention: RetentionSettings = Field(default_factory=RetentionSettings, description="How long rows are kept.")
    redis: RedisSettings = Field(default_factory=RedisSettings, description="The shared cache.")
    http: HttpSettings = Field(default_factory=HttpSettings, description="The API.")
    limits: LimitSettings = Field(default_factory=LimitSettings, description="Bounds on memory and latency.")
    kafka: KafkaSettings = Field(default_factory=KafkaSettings, description="The stream.")
    pool: PoolSettings = Field(default_factory=PoolSettings, description="What is in flight at once.")
    judge: JudgeSettings = Field(default_factory=JudgeSettings, description="The judges.")
    spans: SpanSettings = Field(default_factory=SpanSettings, description="Answers that come as OpenTelemetry spans.")
    references: ReferenceSettings = Field(
        default_factory=ReferenceSettings, description="Answers that come with a reference."
    )
    log: LogSettings = Field(default_factory=LogSettings, description="The log.")
    metrics: MetricSettings = Field(default_factory=MetricSettings, description="Bounds of metric labels.")
    telemetry: TelemetrySettings = Field(default_factory=TelemetrySettings, description="OpenTelemetry.")
    state_dir: Path | None = Field(
        default=None, description="Where the embedded PostgreSQL keeps its files; default is the user's state folder."
    )

    @model_validator(mode="after")
    def _strangers_need_tokens(self) -> Self:
        if not self.http.tokens and not _is_loopback(self.http.host):
            raise ValueError(
                f"http.host {self.http.host} can be reached by others and no tokens are set: set SQLASSAY_HTTP__TOKENS"
                ' to {"tenant": "secret"}, or listen on 127.0.0.1'
            )
        if any(not secret.get_secret_value().strip() for secret in self.http.tokens.values()):
            raise ValueError("http.tokens holds an empty token: give every tenant a secret")
        return self

    @model_validator(mode="after")
    def _a_model_has_a_name_and_a_price(self) -> Self:
        judge = self.judge
        if judge.base_url is None:
            return self
        if judge.model is None:
            raise ValueError("judge.base_url is set and judge.model is not: set SQLASSAY_JUDGE__MODEL")
        if judge.model not in judge.prices:
            raise ValueError(
                f"model {judge.model!r} has no price, so no budget could hold it: set SQLASSAY_JUDGE__PRICES to"
                f' {{"{judge.model}": {{"sent": …, "received": …}}}}, money for a million tokens (0 where it is free)'
            )
        return self

    @property
    def state_path(self) -> Path:
        """The folder of the embedded PostgreSQL."""
        return (self.state_dir or _default_state_path()).expanduser().absolute()


def _default_state_path() -> Path:
    user = platformdirs.user_state_path("sqlassay")
    # PostgreSQL refuses to run as root, and the account it runs as then cannot enter root's own home
    return platformdirs.site_state_path("sqlassay") if os.geteuid() == 0 and not enterable(user) else user


def enterable(path: Path) -> bool:
    """Whether every account may go into `path`; of folders not made yet, those above count."""
    return all(each.stat().st_mode & 0o001 for each in (path, *path.parents) if each.exists())


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def load_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings of the process's environment; raises `SettingsError` naming a wrong or misspelt one."""
    unknown = misspelt(os.environ if environment is None else environment)
    if unknown:
        raise SettingsError("; ".join(unknown))
    try:
        return Settings()
    except ValidationError as error:
        raise SettingsError("; ".join(_told(fault["loc"], fault["msg"]) for fault in error.errors())) from None
    except ValueError as error:
        raise SettingsError(f"{error}: is a value that must be JSON not JSON?") from None


def _told(loc: tuple[int | str, ...], message: str) -> str:
    return f"{variable_name(*map(str, loc))}: {message}" if loc else message.removeprefix("Value error, ")


def variable_name(*path: str) -> str:
    """The environment variable of a setting.

    >>> variable_name("http", "port")
    'SQLASSAY_HTTP__PORT'
    """
    return PREFIX + "__".join(path).upper()


def setting_paths(group: type[BaseModel] = Settings) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every setting's path and description."""
    for name, each in group.model_fields.items():
        kind = each.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from (((name, *path), text) for path, text in setting_paths(kind))
        else:
            yield (name,), each.description or ""


def misspelt(environment: Mapping[str, str]) -> list[str]:
    """A line for each `SQLASSAY_…` variable that is no setting, with the nearest one that is."""
    known = {variable_name(*path) for path, _ in setting_paths()}
    groups = {variable_name(path[0]) for path, _ in setting_paths() if len(path) > 1}
    lines: list[str] = []
    for name in sorted(environment):
        upper = name.upper()
        if not upper.startswith(PREFIX) or upper.startswith((TEST_PREFIX, TOKENS_PREFIX)) or upper in known | groups:
            continue
        near = difflib.get_close_matches(upper, known, n=1, cutoff=0.0)
        lines.append(f"{name} is no setting: did you mean {near[0]}?")
    return lines
