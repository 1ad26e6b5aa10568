"""The base of every group of settings."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class SettingsGroup(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
