"""Prometheus metrics: `declared` declares them all, and the other modules count.

Change this here when it concerns:

- a metric: `service/metrics/declared.py` (its name and labels), and the module there that counts it; then
  `docs/metrics.md`
"""

from __future__ import annotations

from service.metrics.bounded_labels import OTHER, BoundedLabels
from service.metrics.outcome_metrics import Metrics

__all__ = ["OTHER", "BoundedLabels", "Metrics"]
