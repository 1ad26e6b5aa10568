"""Names Kafka's own command-line tools, as a finding's fix runs them."""

from __future__ import annotations

from service.settings.stream_settings import KafkaSettings


def tool(settings: KafkaSettings, script: str) -> str:
    """The script with the address of the configured brokers."""
    return f"{script} --bootstrap-server {settings.bootstrap_servers}"
