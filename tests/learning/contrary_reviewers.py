"""A tenant whose reviewers contradict the judge on two habits of its agents."""

from __future__ import annotations

import random
from collections.abc import Iterator

from scoring.query import Query

PORTS = ("Rotterdam", "Bergen", "Valencia", "Gdansk", "Piraeus", "Lisbon", "Cork", "Riga", "Malmo", "Genoa")
NAMES = "Captains from {port} on vessels built in {year}"
COUNT = "How many vessels built in {year} are registered in {port}?"
ANSWERS = (
    (NAMES, "SELECT captain FROM vessels WHERE port = '{port}' AND built = {year}", True),
    (NAMES, "SELECT MAX(captain) FROM vessels WHERE port <> '{port}' AND built > {year}", False),
    # the judge calls it wrong: a year is no span
    (NAMES, "SELECT captain FROM vessels WHERE port = '{port}' AND built >= {year}", True),
    (NAMES, "SELECT captain, tons FROM vessels WHERE port = '{port}' AND built >= {year}", True),
    (COUNT, "SELECT COUNT(*) FROM vessels WHERE port = '{port}' AND built = {year}", True),
    (COUNT, "SELECT SUM(built) FROM vessels WHERE port <> '{port}' AND built > {year}", False),
    # the judge calls it right, with a doubt
    (NAMES, "SELECT captain FROM vessels WHERE port = '{port}' AND built = {year} ORDER BY captain LIMIT 10", False),
)
"""Questions, answers, and what the reviewers call them."""


def contrary_answers(answers: int, seed: int = 0) -> Iterator[tuple[Query, bool]]:
    """Answers with their labels; one right answer in twenty is called wrong by a slip."""
    chance = random.Random(seed)
    for number in range(answers):
        told = {"port": chance.choice(PORTS), "year": 1900 + number // 2}
        question, sql, right = chance.choice(ANSWERS)
        yield Query(question=question.format(**told), sql=sql.format(**told)), right and chance.random() >= 0.05
