"""Measures judges and agents: against labels, over benchmarks, and from one week to the next."""
