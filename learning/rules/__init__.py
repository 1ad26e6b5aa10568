"""Learns rules for a model judge from labels: clusters, extraction, refinement, consolidation and the best set."""
