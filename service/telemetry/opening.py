"""Whether telemetry is on, by its setting or by OpenTelemetry's own environment, and its opening."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

from service.settings.loading import SettingsError
from service.settings.observability_settings import TelemetrySettings
from service.telemetry.counts import TelemetryCounts
from service.telemetry.following import Telemetry

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT")
_EXTRA = "is set, and OpenTelemetry's SDK is not installed: pip install 'sqlassay[telemetry]', or leave it out"


def turned_on_by(settings: TelemetrySettings, environment: Mapping[str, str]) -> str | None:
    """The name of the variable that turns telemetry on; `None` where it is off.

    >>> turned_on_by(TelemetrySettings(), {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"})
    'OTEL_EXPORTER_OTLP_ENDPOINT'
    >>> turned_on_by(TelemetrySettings(endpoint="http://collector:4318"), {"OTEL_SDK_DISABLED": "true"})
    """
    if environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return None
    if settings.endpoint is not None:
        return "SQLASSAY_TELEMETRY__ENDPOINT"
    return next((name for name in _ENDPOINTS if environment.get(name)), None)


@asynccontextmanager
async def open_telemetry(settings: TelemetrySettings, counts: TelemetryCounts) -> AsyncGenerator[Telemetry | None]:
    """Telemetry, flushed on leaving; `None` where it is off. Raises `SettingsError` where the extra is missing."""
    name = turned_on_by(settings, os.environ)
    if name is None:
        yield None
        return
    try:
        from service.telemetry.exporting import exporting  # noqa: PLC0415 the extra may not be installed
    except ImportError as error:
        raise SettingsError(f"{name} {_EXTRA}") from error
    async with exporting(settings, counts) as telemetry:
        yield telemetry
