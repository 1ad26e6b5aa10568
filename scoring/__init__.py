"""Decides: reads a question and its SQL, aligns them, judges and scores. Pure: same arguments, same score, for ever."""

EVALUATOR_VERSION = "1.6.0"
"""Changes whenever the same event could get another score from the same rules and weights."""
