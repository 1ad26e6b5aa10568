"""All settings."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from service.settings.intake_settings import HttpSettings, LimitSettings, SpanSettings
from service.settings.judge_settings import CalibrationSettings, MemorySettings, ReferenceSettings
from service.settings.learn_settings import LearnSettings
from service.settings.login_settings import LoginSettings, OidcSettings, ProxySettings
from service.settings.model_settings import ModelSettings
from service.settings.observability_settings import AlarmSettings, LogSettings, MetricSettings, TelemetrySettings
from service.settings.sink_settings import SinkSettings
from service.settings.state_folder import default_state_path
from service.settings.storage_settings import DatabaseSettings, RetentionSettings
from service.settings.stream_settings import KafkaSettings, PoolSettings


class Settings(ModelSettings):
    """All settings. Two underscores join a group to its field in a variable name."""

    database: DatabaseSettings = Field(default_factory=DatabaseSettings, description="Where rows live.")
    retention: RetentionSettings = Field(default_factory=RetentionSettings, description="How long rows are kept.")
    calibration: CalibrationSettings = Field(
        default_factory=CalibrationSettings, description="Tenants' own calibrations of the judge."
    )
    memory: MemorySettings = Field(default_factory=MemorySettings, description="The tenants' earlier answers.")
    alarms: AlarmSettings = Field(default_factory=AlarmSettings, description="The agents' alarms.")
    http: HttpSettings = Field(default_factory=HttpSettings, description="The API.")
    login: LoginSettings = Field(default_factory=LoginSettings, description="Sessions of the console.")
    oidc: OidcSettings = Field(default_factory=OidcSettings, description="Login with OpenID Connect.")
    proxy: ProxySettings = Field(default_factory=ProxySettings, description="Login by a reverse proxy.")
    limits: LimitSettings = Field(default_factory=LimitSettings, description="Bounds on memory and latency.")
    kafka: KafkaSettings = Field(default_factory=KafkaSettings, description="The stream.")
    pool: PoolSettings = Field(default_factory=PoolSettings, description="What is in flight at once.")
    learn: LearnSettings = Field(
        default_factory=LearnSettings, description="The models that `sqlassay learn rules` uses beside the judge."
    )
    spans: SpanSettings = Field(default_factory=SpanSettings, description="Answers that come as OpenTelemetry spans.")
    references: ReferenceSettings = Field(
        default_factory=ReferenceSettings, description="Answers that come with a reference."
    )
    sinks: SinkSettings = Field(default_factory=SinkSettings, description="Where scores are sent.")
    log: LogSettings = Field(default_factory=LogSettings, description="The log.")
    metrics: MetricSettings = Field(default_factory=MetricSettings, description="Bounds of metric labels.")
    telemetry: TelemetrySettings = Field(default_factory=TelemetrySettings, description="OpenTelemetry.")
    state_dir: Path | None = Field(
        default=None, description="Where the embedded PostgreSQL keeps its files; default is the user's state folder."
    )

    @model_validator(mode="after")
    def _other_hosts_need_tokens(self) -> Self:
        http = self.http
        if not http.is_loopback and not self.needs_login:
            raise ValueError(
                f"http.host {http.host} can be reached by others and no tokens are set: set SQLASSAY_HTTP__TOKENS"
                ' to {"tenant": "secret"}, or SQLASSAY_HTTP__REQUIRE_TOKENS=on and use `sqlassay tokens create`,'
                " or log people in with SQLASSAY_OIDC__ISSUER or SQLASSAY_PROXY__ADDRESSES, or listen on 127.0.0.1"
            )
        return self

    @property
    def needs_login(self) -> bool:
        """Whether the settings alone keep everybody without a token or a login out."""
        others = self.oidc.issuer is not None or bool(self.proxy.addresses)
        return bool(self.http.tokens) or self.http.require_tokens or others

    @property
    def state_path(self) -> Path:
        """The folder of the embedded PostgreSQL."""
        return (self.state_dir or default_state_path()).expanduser().absolute()
