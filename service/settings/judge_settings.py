"""Settings of the judges, of what else moves a verdict (calibrations, memory), and of references."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr

from scoring.judging.combination import TRUST
from service.settings.group import SettingsGroup


class PriceSettings(SettingsGroup):
    """Price of a million tokens."""

    sent: float = Field(ge=0, allow_inf_nan=False, description="For tokens sent.")
    received: float = Field(ge=0, allow_inf_nan=False, description="For tokens received.")


class ModelCalibrationSettings(SettingsGroup):
    """How far a model's own confidence counts."""

    slope: float = Field(
        default=TRUST, gt=0, le=3, description="Factor of the model's log-odds; below 1 for one that is too sure."
    )
    offset: float = Field(
        default=0.0, ge=-3, le=3, description="Added to the model's log-odds; below 0 for one that is too lenient."
    )


class JudgeSettings(SettingsGroup):
    """The judges."""

    weights: Path | None = Field(
        default=None, description="Weights file of `sqlassay learn calibrate`; unset uses the packaged one."
    )
    base_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s/@?#]+(/[^\s@]*)?$",
        description="OpenAI-compatible server, such as https://models.example/v1, or the whole address, ending with "
        "/chat/completions or /responses; a query stays; unset uses no model.",
    )
    api_key: SecretStr | None = Field(default=None, description="Key of the model server.")
    proxy: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s/@?#]+$",
        description="HTTP proxy by which models are called, such as http://proxy.example:3128; unset calls them "
        "directly. HTTPS_PROXY is not read.",
    )
    model: str | None = Field(
        default=None, min_length=1, max_length=200, description="Name of the model on that server."
    )
    method: Literal["single", "prover_refuter"] = Field(
        default="single",
        description="How the model is asked: one prompt; or a prover, then a refuter where the prover says right.",
    )
    prices: Mapping[str, PriceSettings] = Field(
        default_factory=dict[str, PriceSettings],
        description='Money for a million tokens, as JSON: {"model": {"sent": 0.15, "received": 0.6}}; '
        "the model must have one.",
    )
    currency: str = Field(
        default="USD", pattern=r"^[A-Z]{3}$", description="Currency of `prices` and `budget`, as ISO 4217: EUR."
    )
    calibrations: Mapping[str, ModelCalibrationSettings] = Field(
        default_factory=dict[str, ModelCalibrationSettings],
        description='How far a model\'s confidence counts, as JSON: {"model": {"slope": 0.8, "offset": -0.2}}; '
        "the confidence of a model without one counts up to 0.98, with slope 0.8.",
    )
    budget: float | None = Field(
        default=None,
        ge=0,
        allow_inf_nan=False,
        description="Money per tenant and day (UTC), unless the tenant's rules set it.",
    )
    tokens: int | None = Field(
        default=None, ge=0, description="Tokens per tenant and day (UTC), unless the tenant's rules set it."
    )
    workers: int = Field(
        default=1,
        ge=1,
        le=10_000,
        description="Processes that judge: without Redis each gets an equal part of a budget.",
    )
    timeout: float = Field(default=20.0, gt=0, le=600, description="Seconds for one call of the model.")
    deadline: float = Field(
        default=45.0, gt=0, le=3600, description="Seconds for a verdict, waits and retries included."
    )
    tries: int = Field(default=4, ge=1, le=20, description="Most calls for one verdict.")
    max_tokens: int = Field(
        default=700,
        ge=50,
        le=100_000,
        description="Most tokens a model may write; eight times as many if it reasons first.",
    )
    in_flight: int = Field(default=64, ge=1, le=10_000, description="Calls at once.")
    tenant_in_flight: int = Field(default=16, ge=1, le=10_000, description="Calls at once for one tenant.")
    per_minute: float | None = Field(default=None, gt=0, description="Calls per minute of one process.")
    mask: bool = Field(default=True, description="Replace names, literals and numbers before a text is sent.")
    cache_seconds: int = Field(default=604_800, ge=0, description="How long Redis remembers a reply; 0 remembers none.")
    breaker_failures: int = Field(
        default=5, ge=1, description="Failures in a row after which calls of the model pause."
    )
    breaker_cool_down: float = Field(
        default=5.0, gt=0, le=600, description="Seconds of the first cool-down; doubled each time, up to a minute."
    )


class CalibrationSettings(SettingsGroup):
    """Tenants' own calibrations of the judge."""

    automatic: bool = Field(
        default=False,
        description="Fit the calibration of each tenant with new labels once an hour, and put it in force where it is "
        "better on held-out answers. Needs the extra `learn`.",
    )


class MemorySettings(SettingsGroup):
    """What the tenants' earlier answers say about new ones."""

    enabled: bool = Field(
        default=False, description="Judge answers also by what other agents of the tenant answered to the question."
    )
    answers: int = Field(default=20_000, ge=100, le=1_000_000, description="Most answers remembered of one tenant.")
    bytes: int = Field(
        default=24 * 1024 * 1024, ge=1024 * 1024, description="Most bytes, about, remembered of one tenant."
    )


class ReferenceSettings(SettingsGroup):
    """How answers are judged by the reference they came with, beside the score."""

    enabled: bool = Field(default=True, description="Judge answers by their reference; off writes `not_judged`.")
    processes: int = Field(default=1, ge=1, le=64, description="Processes of a worker that judge, of low priority.")
    deadline: float = Field(default=5.0, gt=0, le=300, description="Seconds of CPU for one answer.")
    megabytes: int = Field(
        default=512, ge=128, description="Memory of one process, in MB; a process that exceeds it is killed."
    )
    bound: int = Field(default=2, ge=0, le=5, description="Rows per table up to which equality is proved.")
    semantics: Literal["reference", "bag", "set", "list"] = Field(
        default="reference",
        description="How results are compared: as bag, set or list; "
        "reference is as bags, and in order where the reference sorts.",
    )
    patience: float = Field(
        default=86_400.0, gt=0, description="Seconds after which a waiting answer is no longer judged."
    )
