"""Shows the role of the process and whether what it depends on answers."""

from __future__ import annotations

import math
from enum import StrEnum

from service.metrics.declared import DeclaredMetrics


class Dependency(StrEnum):
    """A server that a process talks to."""

    KAFKA = "kafka"
    POSTGRESQL = "postgresql"
    REDIS = "redis"
    MODEL = "model"


class DependencyMetrics:
    """The role and the dependencies of one process. What is not known has no series, or is not a number."""

    def __init__(self, declared: DeclaredMetrics) -> None:
        self._of = declared
        self.database_unknown()

    def started_as(self, role: str) -> None:
        """Shows the role, and that the process started now."""
        self._of.role.labels(role).set(1)
        self._of.started.set_to_current_time()

    def probed(self, dependency: Dependency, up: bool | None, seconds: float) -> None:
        """Shows the state after a probe that took `seconds`; `None` is not known yet."""
        self._of.dependency_seconds.labels(dependency.value).set(seconds)
        if up is not None:
            self._of.dependency_up.labels(dependency.value).set(up)

    def database_seen(self, writable: bool, schema_current: bool, skew: float) -> None:
        """Shows what PostgreSQL said of itself."""
        self._of.writable.set(writable)
        self._of.schema_current.set(schema_current)
        self._of.clock_skew.set(skew)

    def database_unknown(self) -> None:
        """Shows nothing of PostgreSQL: it did not answer."""
        for gauge in (self._of.writable, self._of.schema_current, self._of.clock_skew):
            gauge.set(math.nan)
