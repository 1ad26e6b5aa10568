"""Every setting, read once at start from `SQLASSAY_…` environment variables.

Change this here when it concerns:

- a setting: the class of its group in `service/settings/` (`all_settings.py` lists the groups). The chart takes any
  variable in its value `settings`; a secret needs a line in `deploy/helm/sqlassay/templates/_secrets.tpl`; then
  `docs/settings.md`
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from service.settings.all_settings import Settings

__all__ = ["Settings"]


def __getattr__(name: str) -> object:
    # a command that only asks a model needs two of the twenty groups, and the others take as long to load as Pydantic
    if name == "Settings":
        from service.settings import all_settings  # noqa: PLC0415 loaded when first used

        return all_settings.Settings
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
