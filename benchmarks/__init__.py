"""Benchmarks that anybody can run and evaluate another judge on."""
