"""Signals about what the answer shows: its columns, aggregates, ratios and units."""
