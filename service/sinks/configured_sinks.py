"""The sinks that the settings name."""

from __future__ import annotations

from collections.abc import Mapping

from service.settings.sink_settings import SinkSettings
from service.sinks.backends.datadog import DatadogBackend
from service.sinks.backends.langfuse import LangfuseBackend
from service.sinks.backends.langsmith import LangsmithBackend
from service.sinks.backends.mlflow import MlflowBackend
from service.sinks.backends.opik import OpikBackend
from service.sinks.backends.phoenix import PhoenixBackend
from service.sinks.backends.webhook import WebhookBackend
from service.sinks.sink_request import SinkBackend

_KINDS = {
    "webhook": WebhookBackend,
    "langfuse": LangfuseBackend,
    "mlflow": MlflowBackend,
    "phoenix": PhoenixBackend,
    "opik": OpikBackend,
    "langsmith": LangsmithBackend,
    "datadog": DatadogBackend,
}


def configured_sinks(settings: SinkSettings) -> Mapping[str, SinkBackend]:
    """The backends that have a `url`, by name.

    >>> list(configured_sinks(SinkSettings.model_validate({"phoenix": {"url": "http://phoenix:6006"}})))
    ['phoenix']
    """
    groups = {name: getattr(settings, name) for name in _KINDS}
    return {
        name: kind(groups[name].url.rstrip("/"), groups[name])
        for name, kind in _KINDS.items()
        if groups[name].url is not None
    }
