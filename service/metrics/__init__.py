"""Prometheus metrics: `declared` declares them all, and the other modules count."""

from __future__ import annotations

from service.metrics.bounded_labels import OTHER, BoundedLabels
from service.metrics.outcome_metrics import Metrics

__all__ = ["OTHER", "BoundedLabels", "Metrics"]
