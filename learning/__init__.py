"""Learns from labels and answers: the local judge's weights, tenants' calibrations, and rules. Pure."""
