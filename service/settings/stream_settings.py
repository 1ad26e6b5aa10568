"""Settings of Kafka and of the pool that scores what comes in."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, SecretStr, model_validator

from service.settings.group import SettingsGroup


class KafkaSettings(SettingsGroup):
    """Kafka. Without `bootstrap_servers` events come by HTTP alone."""

    bootstrap_servers: str | None = Field(
        default=None,
        pattern=r"^(?:[\w.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?(?:, ?(?:[\w.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?)*$",
        description="host:port of brokers, joined by commas; unset runs without Kafka.",
    )
    group: str = Field(
        default="sqlassay",
        min_length=1,
        description="Consumer group of the workers; a new one begins at the oldest record.",
    )
    topic_events: str = Field(default="query-events", min_length=1, description="Topic that agents publish to.")
    topic_dead: str = Field(default="query-events.dead", min_length=1, description="Topic of dead letters.")
    topic_scores: str = Field(default="query-scores", description="Topic of results; empty publishes none.")
    topic_labels: str = Field(default="query-labels", description="Topic of labels; empty reads none.")
    topic_feedback: str = Field(
        default="query-feedback", description="Topic of what users say about answers; empty reads none."
    )
    topic_spans: str = Field(
        default="query-spans", description="Topic of OpenTelemetry spans, written and read; empty uses none."
    )
    max_records: int = Field(default=500, ge=1, le=10_000, description="Most records of one fetch.")
    timeout: float = Field(default=10.0, gt=0, le=300, description="Seconds until Kafka counts as down.")
    session_timeout: float = Field(
        default=30.0, ge=1, le=1800, description="Seconds without a heartbeat until a worker counts as dead."
    )
    drain: float = Field(
        default=5.0,
        ge=0,
        le=60,
        description="Seconds that events in flight have to end when partitions move or the process stops.",
    )
    stalled: float = Field(
        default=120.0, gt=0, description="Seconds without progress, while records wait, after which /healthz fails."
    )
    dead_in_a_row: int = Field(
        default=500, ge=0, description="Dead letters in a row after which reading stops; 0 is no limit."
    )
    dead_ratio: float = Field(
        default=0.5, gt=0, le=1, description="Share of dead letters of the last 1000 records; 1 is no limit."
    )
    tls: bool = Field(default=False, description="Encrypt the connection.")
    ca_file: Path | None = Field(default=None, description="Certificates to trust; unset trusts the system's.")
    certificate_file: Path | None = Field(
        default=None, description="The client's certificate (mutual TLS); unset shows none."
    )
    key_file: Path | None = Field(
        default=None, description="Key of the client's certificate; unset reads it from `certificate_file`."
    )
    sasl_mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "AWS_MSK_IAM"] | None = Field(
        default=None, description="SASL mechanism; unset uses none."
    )
    sasl_username: str | None = Field(default=None, description="User name; with OAUTHBEARER the client's id.")
    sasl_password: SecretStr | None = Field(default=None, description="Password; with OAUTHBEARER the client's secret.")
    sasl_token_url: str | None = Field(
        default=None, pattern=r"^https?://[^\s@]+$", description="Endpoint that gives tokens for OAUTHBEARER."
    )
    sasl_token_fields: dict[str, str] = Field(
        default_factory=dict, description='Further fields of the request for a token, as JSON: {"scope": "kafka"}.'
    )
    sasl_token_ca_file: Path | None = Field(
        default=None, description="Certificates to trust of that endpoint; unset trusts the system's."
    )
    sasl_extensions: dict[str, str] = Field(
        default_factory=dict, description='SASL extensions for OAUTHBEARER, as JSON: {"logicalCluster": "lkc-1"}.'
    )
    sasl_region: str | None = Field(
        default=None, pattern=r"^[a-z0-9-]+$", description="AWS region of the cluster, for AWS_MSK_IAM."
    )

    @model_validator(mode="after")
    def _a_certificate_needs_tls(self) -> Self:
        if self.certificate_file is not None and not self.tls:
            raise ValueError(
                f"certificate_file {self.certificate_file} is used with TLS only: set SQLASSAY_KAFKA__TLS=on"
            )
        if self.key_file is not None and self.certificate_file is None:
            raise ValueError(
                f"key_file {self.key_file} has no certificate: set SQLASSAY_KAFKA__CERTIFICATE_FILE, or unset it"
            )
        return self

    @model_validator(mode="after")
    def _a_login_is_whole(self) -> Self:
        needed = {
            "OAUTHBEARER": {"sasl_token_url": self.sasl_token_url, "sasl_username": self.sasl_username},
            "AWS_MSK_IAM": {"sasl_region": self.sasl_region, "tls": self.tls},
        }.get(self.sasl_mechanism or "", {})
        missing = [f"SQLASSAY_KAFKA__{name.upper()}" for name, value in needed.items() if not value]
        if missing:
            raise ValueError(f"sasl_mechanism {self.sasl_mechanism} needs more: set {' and '.join(missing)}")
        return self

    @property
    def groups(self) -> dict[str, str]:
        """The consumer group of each topic that workers read."""
        suffixes = {
            self.topic_events: "",
            self.topic_labels: "-labels",
            self.topic_feedback: "-feedback",
            self.topic_spans: "-spans",
        }
        return {topic: f"{self.group}{suffix}" for topic, suffix in suffixes.items() if topic}


class PoolSettings(SettingsGroup):
    """How much is in flight at once, and how long it may wait."""

    in_flight: int = Field(default=2000, ge=1, description="Records in memory before senders are held back.")
    bytes: int = Field(default=64 * 1024 * 1024, ge=1024, description="Bytes in memory before senders are held back.")
    tenant_in_flight: int = Field(
        default=200, ge=1, description="Most events of one tenant that wait for a model at once."
    )
    event_deadline: float = Field(
        default=60.0, gt=0, le=3600, description="Seconds an event waits for a model before it is deferred."
    )
    patience: float = Field(
        default=2.0, ge=0, le=60, description="Seconds an HTTP request waits while the database is down."
    )
    attempts: int = Field(default=10, ge=1, le=100, description="Most tries of an event that is deferred repeatedly.")
    processes: int | None = Field(
        default=None,
        ge=0,
        le=64,
        description="Scoring processes besides the main one, and one more for events that take long; "
        "unset is 2 with Kafka and two cores or more, else 1; 0 means 1.",
    )
    cpu_seconds: float = Field(
        default=1.0,
        ge=0.01,
        le=60,
        description="Seconds of CPU that scoring one event, or reading one rules document, may take.",
    )
