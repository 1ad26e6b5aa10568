"""What Prometheus scrapes: every metric is declared in `declared`; the other modules count."""

from __future__ import annotations

from service.metrics.labels import OTHER, Bounded
from service.metrics.outcomes import Metrics, instrument

__all__ = ["OTHER", "Bounded", "Metrics", "instrument"]
