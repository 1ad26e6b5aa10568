"""Words of extremes and of columns that say which way an order runs."""

from __future__ import annotations

YOUNG_OLD = frozenset(
    {"youngest", "oldest", "eldest", "earliest", "latest", "newest", "fastest", "slowest", "best", "longest"}
) | {f"longest{sign}{word}" for sign in "- " for word in ("standing", "serving", "running")}
"""Words whose direction depends on the measure: an age or a birthday, a speed or a time, a score or a rank."""
SPEEDS = frozenset({"fastest", "slowest", "quickest"})
LENGTHS = frozenset(
    "duration ms second sec minute min hour day latency delay elapsed lead wait took time length".split()
)
INVERTED = frozenset("date birth birthday dob born year yr time rank position place millisecond on at dt".split())
AGED = frozenset({"oldest", "eldest", "youngest"})
TIMES = frozenset("date birth birthday dob born year yr on at dt built".split())
SINCE = ("from", "since", "start", "started", "begin", "date", "joined", "hired", "opened")
"""Endings of columns of when something began."""
