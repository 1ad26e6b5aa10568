"""Opens telemetry when its setting or OpenTelemetry's environment variables turn it on."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

from service.settings.loading import SettingsError
from service.settings.observability_settings import TelemetrySettings
from service.telemetry.export_counts import TelemetryCounts
from service.telemetry.tracing import Telemetry

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT")
_EXTRA = "is set, but OpenTelemetry's SDK is not installed: pip install 'sqlassay[telemetry]', or unset it"


def turned_on_by(settings: TelemetrySettings, environment: Mapping[str, str]) -> str | None:
    """The name of the variable that turns telemetry on; `None` when it is off.

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
    """Opens telemetry and flushes it on leaving; `None` when it is off. Raises `SettingsError` without the extra."""
    name = turned_on_by(settings, os.environ)
    if name is None:
        yield None
        return
    try:
        from service.telemetry.exporting import open_export  # noqa: PLC0415 the extra may not be installed
    except ImportError as error:
        raise SettingsError(f"{name} {_EXTRA}") from error
    async with open_export(settings, counts) as telemetry:
        yield telemetry
