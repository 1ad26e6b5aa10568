"""Measures offline: the judge against labels, agents against benchmarks."""
