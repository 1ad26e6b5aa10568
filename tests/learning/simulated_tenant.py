"""The traffic of a tenant that does not exist: a harbour whose agents answer a third of the questions wrong."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from learning.mining.observing import ObservedAnswer, observe
from scoring.evaluation import conclude, examine
from scoring.query import Query, Unscored
from scoring.rules import Rules
from scoring.verdict import Score
from service.judges.weights import local_judge

JUDGE = local_judge()
PORTS = ("Rotterdam", "Bergen", "Valencia", "Gdansk", "Piraeus", "Lisbon", "Cork", "Riga", "Malmo", "Genoa")
MEANT = {"headcount": "crw_n", "toll": "chg_eur", "draught": "dpt_cm"}
"""Phrases whose column says nothing to a reader."""
PLAIN = {"headcount": "headcount", "toll": "toll", "draught": "draught"}
"""The same tenant with columns that say what they hold."""
TEMPLATES = (
    ("What is the average {m} of vessels in {p}?", "SELECT AVG({c}) FROM vessels WHERE port = '{p}'{h}"),
    ("List the names of vessels in {p} with a {m} above {n}", "SELECT name FROM vessels WHERE {c} > {n}{in_p}{h}"),
    ("Which vessel built in {y} has the highest {m}?", "SELECT name FROM vessels WHERE {at_y}{h}{by_c} DESC LIMIT 1"),
    ("Show the {m} for each port", "SELECT port, SUM({c}) FROM vessels WHERE 1 = 1{h} GROUP BY port"),
    ("How many vessels are registered in {p}?", "SELECT COUNT(*) FROM vessels WHERE port = '{p}'{h}"),
    ("Names of the captains who sail from {p}", "SELECT captain FROM vessels WHERE port = '{p}'{h}"),
    ("How many vessels were built after {y} in {p}?", "SELECT COUNT(*) FROM vessels WHERE built > {y}{in_p}{h}"),
    ("Total {m} in {p} of vessels built in {y}", "SELECT SUM({c}) FROM vessels WHERE {at_y}{in_p}{h}"),
    ("Which flags do vessels in {p} carry?", "SELECT DISTINCT flag FROM vessels WHERE port = '{p}'{h}"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """How the tenant's agents write SQL."""

    seed: int
    answers: int = 260
    columns: tuple[tuple[str, str], ...] = tuple(MEANT.items())
    soft_delete: tuple[str, ...] = ("scrapped = 0",)
    """Spellings of the soft delete; empty without the habit."""
    tenancy: str = "fleet_id = {fleet}"
    wrong: float = 1 / 3
    labelled: bool = True

    def __iter__(self) -> Iterator[tuple[Query, bool]]:
        chance = random.Random(self.seed)
        for _ in range(self.answers):
            asked, sql = chance.choice(TEMPLATES)
            phrase, column = chance.choice(self.columns)
            told = {
                "m": phrase,
                "p": chance.choice(PORTS),
                "n": chance.randint(2, 900),
                "y": chance.randint(1970, 2020),
            }
            right = chance.random() >= self.wrong
            habits = self._habits(chance)
            said = {**told, "c": column, "h": "".join(f" AND {each}" for each in habits)}
            parts = {
                "in_p": f" AND port = '{told['p']}'",
                "at_y": f"built = {told['y']}",
                "by_c": f" ORDER BY {column}",
            }
            written = sql.format(**said, **parts)
            yield (
                Query(question=asked.format(**told), sql=written if right else self._spoiled(written, said, chance)),
                right,
            )

    def _habits(self, chance: random.Random) -> list[str]:
        found: list[str] = []
        if self.soft_delete and chance.random() < 0.85:
            found.append(chance.choice(self.soft_delete))
        if self.tenancy and chance.random() < 0.95:
            found.append(self.tenancy.format(fleet=chance.randint(1, 40)))
        return found

    def _spoiled(self, sql: str, said: dict[str, object], chance: random.Random) -> str:
        others = [column for _, column in self.columns if column != said["c"]]
        ways = (
            lambda: sql.replace(str(said["c"]), chance.choice([*others, "length_m"])),
            lambda: sql.replace("WHERE", f"WHERE moored = '{chance.choice('ABC')}' AND"),
            lambda: sql.replace("WHERE", "WHERE insured = 1 AND"),
            lambda: sql.replace("AVG(", "MAX(").replace("SUM(", "MIN(").replace("DESC", "ASC"),
            lambda: sql.replace(str(said["p"]), "Hull"),
        )
        return chance.choice(ways)()


def scored(query: Query, rules: Rules) -> Score | Unscored:
    """The score by the packaged judge."""
    case = examine(query, rules)
    return case if isinstance(case, Unscored) else conclude(case, JUDGE.judge(case))


def observed(traffic: Traffic) -> list[ObservedAnswer]:
    """The answers as mining sees them."""
    found: list[ObservedAnswer] = []
    for query, right in traffic:
        score = scored(query, Rules())
        assert not isinstance(score, Unscored), (query, score)
        found.append(observe(query, score, right=right if traffic.labelled else None))
    return found
