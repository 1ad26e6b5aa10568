"""A text that is accepted and costs many times what an ordinary answer does, and a budget between the two."""

from functools import cache

from sqlassay import score
from tests.costs import cpu_seconds

COSTLY = f"SELECT CASE{' WHEN a = 1 THEN 2' * 3200} END FROM beds"


@cache
def cpu_budget() -> float:
    """Seconds of CPU: a third of what COSTLY takes on this machine, more than ten ordinary answers; at least 0.05."""
    taken = cpu_seconds(lambda: score(question="How many?", sql=COSTLY))
    return max(0.05, round(taken / 3, 2))
