"""Settings of the places outside SQLAssay where scores are sent."""

from __future__ import annotations

from typing import Self

from pydantic import Field, SecretStr, model_validator

from service.settings.group import SettingsGroup

_URL = r"^https?://[^\s/]+(/\S*)?$"


class WebhookSink(SettingsGroup):
    """A program of the user's."""

    url: str | None = Field(default=None, pattern=_URL, description="Where evaluations are posted; unset sends none.")
    secret: SecretStr | None = Field(
        default=None, description="Signs each request: `whsec_` and base64, as Standard Webhooks says, or any text."
    )


class LangfuseSink(SettingsGroup):
    """Langfuse."""

    url: str | None = Field(default=None, pattern=_URL, description="Langfuse's address; unset sends no scores.")
    public_key: str | None = Field(default=None, description="The public key of the project.")
    secret_key: SecretStr | None = Field(default=None, description="The secret key of the project.")

    @model_validator(mode="after")
    def _has_keys(self) -> Self:
        if self.url is not None and (self.public_key is None or self.secret_key is None):
            raise ValueError("url is set without keys: set public_key and secret_key too")
        return self


class MlflowSink(SettingsGroup):
    """MLflow."""

    url: str | None = Field(default=None, pattern=_URL, description="The tracking server; unset sends no feedback.")
    token: SecretStr | None = Field(default=None, description="A bearer token, if the server wants one.")


class PhoenixSink(SettingsGroup):
    """Phoenix."""

    url: str | None = Field(default=None, pattern=_URL, description="Phoenix's address; unset sends no annotations.")
    api_key: SecretStr | None = Field(default=None, description="An API key, if the server wants one.")


class OpikSink(SettingsGroup):
    """Opik."""

    url: str | None = Field(
        default=None, pattern=_URL, description="The address of Opik's API, with /api; unset sends no feedback."
    )
    api_key: SecretStr | None = Field(default=None, description="An API key, if the server wants one.")
    workspace: str | None = Field(default=None, description="The workspace, if it is not the default one.")


class LangsmithSink(SettingsGroup):
    """LangSmith."""

    url: str | None = Field(
        default=None, pattern=_URL, description="The address of LangSmith's API; unset sends no feedback."
    )
    api_key: SecretStr | None = Field(default=None, description="An API key of the workspace.")

    @model_validator(mode="after")
    def _has_key(self) -> Self:
        if self.url is not None and self.api_key is None:
            raise ValueError("url is set without a key: set api_key too")
        return self


class DatadogSink(SettingsGroup):
    """Datadog's LLM Observability."""

    url: str | None = Field(
        default=None, pattern=_URL, description="The address of your site's API; unset sends no evaluations."
    )
    api_key: SecretStr | None = Field(default=None, description="An API key of the organisation.")
    ml_app: str | None = Field(default=None, description="The application's name; unset is the agent's name.")

    @model_validator(mode="after")
    def _has_key(self) -> Self:
        if self.url is not None and self.api_key is None:
            raise ValueError("url is set without a key: set api_key too")
        return self


class SinkSettings(SettingsGroup):
    """Where scores are sent. Each sink that has a `url` gets every new evaluation at least once."""

    batch: int = Field(default=100, ge=1, le=1000, description="Most evaluations that are taken at once for a sink.")
    every: float = Field(default=1.0, ge=0.05, le=3600, description="Seconds between two looks at new evaluations.")
    timeout: float = Field(default=10.0, ge=0.1, le=120, description="Seconds that a sink has to answer a request.")
    webhook: WebhookSink = Field(default_factory=WebhookSink, description="A program of yours.")
    langfuse: LangfuseSink = Field(default_factory=LangfuseSink, description="Langfuse.")
    mlflow: MlflowSink = Field(default_factory=MlflowSink, description="MLflow.")
    phoenix: PhoenixSink = Field(default_factory=PhoenixSink, description="Phoenix.")
    opik: OpikSink = Field(default_factory=OpikSink, description="Opik.")
    langsmith: LangsmithSink = Field(default_factory=LangsmithSink, description="LangSmith.")
    datadog: DatadogSink = Field(default_factory=DatadogSink, description="Datadog.")
