"""Measures a judge against labels, offline."""
