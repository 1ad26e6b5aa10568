"""Runs the answers of companies on their databases: `python -m benchmarks.everyday.execute FOLDER…` counts who agrees.

`same`: the columns of the gold, or of an alternative, are among the answer's, with the same rows in any order.
`different`: they are not. `not_run`: the answer cannot be run here; that says nothing of it.
"""

from __future__ import annotations

import datetime
import decimal
import itertools
import json
import math
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
from sqlglot.errors import SqlglotError

from benchmarks.everyday.databases import Company, Row

Plain = float | str | None
MOST_PAIRINGS = 60
"""Most ways of pairing equal columns that are tried."""


def executed(folder: Path) -> Iterator[tuple[str, str]]:
    """The id of each answer of a company, and `same`, `different` or `not_run`."""
    company = Company(folder)
    database = company.database()
    questions = {each["id"]: each for each in _lines(folder / "questions.jsonl")}
    accepted = {
        key: [database.execute(sql).fetchall() for sql in (each["gold"], *each["alternatives"])]
        for key, each in questions.items()
    }
    for answer in _lines(folder / "answers.jsonl"):
        try:
            rows = database.execute(company.in_duckdb(answer["sql"])).fetchall()
        except (duckdb.Error, SqlglotError, ValueError):
            yield answer["id"], "not_run"
            continue
        agrees = any(holds(gold, rows) for gold in accepted[answer["question_id"]])
        yield answer["id"], "same" if agrees else "different"


def _lines(path: Path) -> list[Mapping[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def holds(gold: Sequence[Row], answer: Sequence[Row]) -> bool:
    """Whether the gold's columns are among the answer's, with the same rows.

    >>> holds([("Faro", 2)], [(7, "faro", 2.0)]), holds([(1,), (2,)], [(1,)])
    (True, False)
    """
    wanted, given = ([tuple(map(plain, row)) for row in rows] for rows in (gold, answer))
    if len(wanted) != len(given):
        return False
    if not wanted:
        return True
    ordered = sorted(wanted, key=_by_value)
    pairings = itertools.islice(itertools.product(*_fitting_columns(wanted, given)), MOST_PAIRINGS)
    return any(
        _same_rows(ordered, [tuple(row[place] for place in places) for row in given])
        for places in pairings
        if len(set(places)) == len(places)
    )


def _fitting_columns(wanted: Sequence[tuple[Plain, ...]], given: Sequence[tuple[Plain, ...]]) -> list[list[int]]:
    """For each column of the gold, the places of the answer's columns that hold the same values in some order."""
    columns = list(zip(*given, strict=True))
    return [[place for place, column in enumerate(columns) if _alike(own, column)] for own in zip(*wanted, strict=True)]


def _same_rows(ordered: Sequence[tuple[Plain, ...]], kept: Sequence[tuple[Plain, ...]]) -> bool:
    return all(
        _close(one, other)
        for ours, theirs in zip(ordered, sorted(kept, key=_by_value), strict=True)
        for one, other in zip(ours, theirs, strict=True)
    )


def _alike(ours: Sequence[Plain], theirs: Sequence[Plain]) -> bool:
    pairs = zip(sorted(ours, key=_one), sorted(theirs, key=_one), strict=True)
    return all(_close(one, other) for one, other in pairs)


def _by_value(row: tuple[Plain, ...]) -> tuple[tuple[bool, bool, float | str], ...]:
    return tuple(_one(round(value, 1) if isinstance(value, float) else value) for value in row)


def _one(value: Plain) -> tuple[bool, bool, float | str]:
    return value is None, isinstance(value, str), 0.0 if value is None else value


def _close(one: Plain, other: Plain) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= max(0.0051, 1e-4 * max(abs(one), abs(other)))
    return one == other


def plain(value: object) -> Plain:
    """A value in one form: numbers as floats, times as ISO text, text folded; the first of a month is the month.

    >>> plain("2026-03"), plain(datetime.date(2026, 3, 1)), plain(True), plain(" Faro")
    ('2026-03-01', '2026-03-01', 1.0, 'faro')
    """
    if value is None:
        return None
    if isinstance(value, bool | int | float | decimal.Decimal):
        number = float(value)
        return None if math.isnan(number) else number
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=None).isoformat(" ").removesuffix(" 00:00:00")
    if isinstance(value, datetime.date):
        return value.isoformat()
    text = str(value).strip().casefold()
    if len(text) == 7 and text[4] == "-" and text.replace("-", "").isdecimal():
        return f"{text}-01"
    try:
        return float(text)
    except ValueError:
        return text.removesuffix(" 00:00:00")


def main(folders: Sequence[str]) -> None:
    """Prints, for each company and agent, how many answers agree with the gold by execution."""
    for folder in sorted(path.parent for each in folders for path in Path(each).rglob("answers.jsonl")):
        agents = {each["id"]: each["agent"] for each in _lines(folder / "answers.jsonl")}
        counts = Counter((agents[key], how) for key, how in executed(folder))
        for (agent, how), count in sorted(counts.items()):
            print(f"{folder.name:12} {agent:8} {how:10} {count}")


if __name__ == "__main__":
    main(sys.argv[1:])
