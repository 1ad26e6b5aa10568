"""Every setting, read once at start from `SQLASSAY_…` environment variables.

Change this here when it concerns:

- a setting: the class of its group in `service/settings/` (`__init__.py` lists the groups). The chart takes any
  variable in its value `settings`; a secret needs a line in `deploy/helm/sqlassay/templates/_secrets.tpl`; then
  `docs/settings.md`
"""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import Field, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from service.settings.intake_settings import HttpSettings, LimitSettings, SpanSettings
from service.settings.judge_settings import CalibrationSettings, JudgeSettings, MemorySettings, ReferenceSettings
from service.settings.learn_settings import LearnSettings
from service.settings.login_settings import LoginSettings, OidcSettings, ProxySettings
from service.settings.observability_settings import AlarmSettings, LogSettings, MetricSettings, TelemetrySettings
from service.settings.sink_settings import SinkSettings
from service.settings.state_folder import default_state_path
from service.settings.storage_settings import DatabaseSettings, RedisSettings, RetentionSettings
from service.settings.stream_settings import KafkaSettings, PoolSettings
from service.settings.variables import PREFIX


class Settings(BaseSettings):
    """All settings. Two underscores join a group to its field in a variable name."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", frozen=True, extra="forbid", hide_input_in_errors=True
    )

    database: DatabaseSettings = Field(default_factory=DatabaseSettings, description="Where rows live.")
    retention: RetentionSettings = Field(default_factory=RetentionSettings, description="How long rows are kept.")
    calibration: CalibrationSettings = Field(
        default_factory=CalibrationSettings, description="Tenants' own calibrations of the judge."
    )
    memory: MemorySettings = Field(default_factory=MemorySettings, description="The tenants' earlier answers.")
    alarms: AlarmSettings = Field(default_factory=AlarmSettings, description="The agents' alarms.")
    redis: RedisSettings = Field(default_factory=RedisSettings, description="The shared cache.")
    http: HttpSettings = Field(default_factory=HttpSettings, description="The API.")
    login: LoginSettings = Field(default_factory=LoginSettings, description="Sessions of the console.")
    oidc: OidcSettings = Field(default_factory=OidcSettings, description="Login with OpenID Connect.")
    proxy: ProxySettings = Field(default_factory=ProxySettings, description="Login by a reverse proxy.")
    limits: LimitSettings = Field(default_factory=LimitSettings, description="Bounds on memory and latency.")
    kafka: KafkaSettings = Field(default_factory=KafkaSettings, description="The stream.")
    pool: PoolSettings = Field(default_factory=PoolSettings, description="What is in flight at once.")
    judge: JudgeSettings = Field(default_factory=JudgeSettings, description="The judges.")
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

    @model_validator(mode="after")
    def _a_model_has_a_name_and_a_price(self) -> Self:
        judge = self.judge
        if judge.base_url is None:
            return self
        if judge.model is None:
            raise ValueError("judge.base_url is set and judge.model is not: set SQLASSAY_JUDGE__MODEL")
        if judge.model not in judge.prices:
            raise ValueError(
                f"model {judge.model!r} has no price, so no budget can limit it: set SQLASSAY_JUDGE__PRICES to"
                f' {{"{judge.model}": {{"sent": …, "received": …}}}}, money for a million tokens (0 where it is free)'
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
