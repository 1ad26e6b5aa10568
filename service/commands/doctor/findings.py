"""What an examination finds: one line for each check, and the fix where something is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class CheckHealth(StrEnum):
    """How bad a finding is."""

    OK = "ok"
    WARNING = "warning"
    """The service works, and something will go wrong later or is not possible."""
    ERROR = "error"
    """The service does not work, or not fully."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """The result of one check."""

    check: str
    """`part.what`."""
    health: CheckHealth
    detail: str
    fix: str | None = None
    """What to do; `None` where nothing is wrong."""


def ok(check: str, detail: str) -> CheckResult:
    """Nothing is wrong."""
    return CheckResult(check=check, health=CheckHealth.OK, detail=detail)


def warning(check: str, detail: str, fix: str) -> CheckResult:
    """Something will go wrong."""
    return CheckResult(check=check, health=CheckHealth.WARNING, detail=detail, fix=fix)


def error(check: str, detail: str, fix: str) -> CheckResult:
    """Something is wrong."""
    return CheckResult(check=check, health=CheckHealth.ERROR, detail=detail, fix=fix)
