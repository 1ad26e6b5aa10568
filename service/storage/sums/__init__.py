"""Sums per hour and day, so that reports do not grow with the number of answers."""
