"""Settings of the models that learning uses beside the judge."""

from __future__ import annotations

from pydantic import Field, SecretStr

from service.settings.group import SettingsGroup


class LearnSettings(SettingsGroup):
    """The models that write rules and compare questions. The judge stays the one of `judge`."""

    base_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s/@?#]+(/[^\s@]*)?$",
        description="OpenAI-compatible server of both; unset is `judge.base_url`, with its key.",
    )
    api_key: SecretStr | None = Field(default=None, description="Key of that server, where `learn.base_url` is set.")
    model: str | None = Field(
        default=None, min_length=1, max_length=200, description="The model that writes rules; unset is `judge.model`."
    )
    embedding_model: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="The model by whose embeddings questions are compared; unset compares their words (TF-IDF).",
    )
    max_tokens: int = Field(default=4000, ge=50, le=100_000, description="Most tokens that one list of rules may have.")
    timeout: float = Field(default=180.0, gt=0, le=3600, description="Seconds for one call of these models.")
