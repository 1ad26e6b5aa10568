"""Sends stored scores to the places where people already look: one writer, and a module for each backend.

Change this here when scores are sent again, marked or counted in another way; then `docs/sinks.md`.
"""
