"""The settings of commands that ask a model and need neither a database nor a stream."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from service.settings.judge_settings import JudgeSettings
from service.settings.storage_settings import RedisSettings
from service.settings.variables import PREFIX


class ModelSettings(BaseSettings):
    """The judges, and the cache that keeps their replies and budgets."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", frozen=True, extra="forbid", hide_input_in_errors=True
    )

    redis: RedisSettings = Field(default_factory=RedisSettings, description="The shared cache.")
    judge: JudgeSettings = Field(default_factory=JudgeSettings, description="The judges.")

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], *sources: PydanticBaseSettingsSource, **named: PydanticBaseSettingsSource
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Takes variables without the line end that a Secret made from a file, or by `echo`, has."""
        given = super().settings_customise_sources(settings_cls, *sources, **named)
        for source in given:
            if isinstance(source, EnvSettingsSource):
                held = source.env_vars.items()
                source.env_vars = {name: value and value.rstrip("\r\n") for name, value in held}
        return given

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
