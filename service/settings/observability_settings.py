"""Settings of logs, metrics, telemetry and the agents' alarms."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from evals.alarms.agent_alarm import JUDGED_WRONG
from service.settings.group import SettingsGroup


class LogSettings(SettingsGroup):
    """The log, written to stderr."""

    level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Lowest level that is written."
    )
    format: Literal["json", "console"] = Field(
        default="json", description="`json` for JSON lines, `console` for people."
    )


class MetricSettings(SettingsGroup):
    """Bounds of metric labels."""

    tenants: int = Field(
        default=50, ge=1, le=10_000, description="Tenants with a label of their own; the others share `other`."
    )
    agents: int = Field(
        default=200, ge=1, le=10_000, description="Agents with a label of their own; the others share `other`."
    )


class TelemetrySettings(SettingsGroup):
    """OpenTelemetry. Nothing is exported unless `endpoint` or OTEL_EXPORTER_OTLP_ENDPOINT is set."""

    endpoint: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s/]+(/\S*)?$",
        description="Base URL of an OTLP/HTTP receiver; unset reads OTEL_EXPORTER_OTLP_ENDPOINT.",
    )
    trace_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s{}]+\{trace_id\}[^\s{}]*$",
        description="Address of one trace, with {trace_id} in it, which the console links to.",
    )
    details: bool = Field(
        default=True,
        description="Results say of each reason what it found, which may quote the question and the SQL; off exports "
        "the codes alone, as always for tenants whose texts are not stored.",
    )
    queue: int = Field(
        default=20_000, ge=512, description="Most spans, and most results, that wait for export; more are dropped."
    )


class AlarmSettings(SettingsGroup):
    """The agents' alarms."""

    enabled: bool = Field(default=True, description="Watch after every answer whether an agent has become worse.")
    tier: Literal["excellent", "good", "marginal"] = Field(
        default="marginal", description="Tier below whose lowest score an agent's mean raises an alarm."
    )
    judged_wrong: float = Field(
        default=JUDGED_WRONG,
        gt=0,
        lt=1,
        description="Highest share of an agent's answers judged wrong. Surely more than that opens a ticket.",
    )
    every: float = Field(default=15.0, ge=0.1, le=3600, description="Seconds between two looks at new answers.")
    settle: float = Field(
        default=60.0, ge=0, le=3600, description="Seconds that answers wait so that earlier ones come first."
    )
