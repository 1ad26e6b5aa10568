"""Signals about averages, shares, changes and units: over another base, at another grain, by another factor."""
