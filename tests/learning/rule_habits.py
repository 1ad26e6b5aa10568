"""Labelled answers for rule learning. For each table, the labels accept some SQL constructs and refuse others."""

from __future__ import annotations

import json
import random
from pathlib import Path

HABITS: dict[str, dict[str, bool]] = {
    "loaves": {"DISTINCT": True, "UPPER": False},
    "lamps": {"DISTINCT": False, "IS NOT NULL": True},
    "rides": {"UPPER": True, "ORDER BY": False},
    "visits": {"IS NOT NULL": False, "ORDER BY": True},
}
"""Whether people accept a construct, by table."""
SQL = {
    "DISTINCT": "SELECT DISTINCT name FROM {table}",
    "UPPER": "SELECT UPPER(name) FROM {table}",
    "IS NOT NULL": "SELECT name FROM {table} WHERE name IS NOT NULL",
    "ORDER BY": "SELECT name FROM {table} ORDER BY name",
}
WAYS = "List Show Give Print Name Tell Find Get Read Fetch Say Report".split()
ODD = 5
"""Of so many answers to one habit, this one has an odd label."""


def habit_labels(each: int = 12) -> list[dict[str, object]]:
    """`each` labelled answers for every habit; one in twelve is labelled against it."""
    rows: list[dict[str, object]] = []
    for table, habits in HABITS.items():
        for place, (habit, accepted) in enumerate(habits.items()):
            for number in range(each):
                way = WAYS[number % len(WAYS)]
                question = f"{way} the {table}: the names of the {table}{', please' * place}"
                right = accepted is not (number == ODD)
                rows.append(
                    {
                        "event_id": f"{table}-{place}-{number}",
                        "question": question,
                        "sql": SQL[habit].format(table=table),
                        "label": int(right),
                        "db_id": f"{table}_{number % 3}",
                    }
                )
    return rows


def drawn_labels(seed: int, each: int = 24) -> list[dict[str, object]]:
    """The same habits; answers to both habits of a table share their questions. The seed draws the odd labels."""
    chance = random.Random(seed)
    rows: list[dict[str, object]] = []
    for table, habits in HABITS.items():
        for place, (habit, accepted) in enumerate(habits.items()):
            odd = chance.sample(range(each), each // 12)
            for number in range(each):
                question = f"{WAYS[number % len(WAYS)]} the {table}: the names of the {table}{', all' * (number // 12)}"
                rows.append(
                    {
                        "event_id": f"{table}-{place}-{number}",
                        "question": question,
                        "sql": SQL[habit].format(table=table),
                        "label": int(accepted is not (number in odd)),
                    }
                )
    return rows


def write_labels(path: Path, rows: list[dict[str, object]]) -> str:
    """Writes the labels and returns the file's name."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)
