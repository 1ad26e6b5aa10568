"""Scores the records of all inputs: bounded, and fair between tenants."""
