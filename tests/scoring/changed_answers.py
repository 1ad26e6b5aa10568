"""Right answers of the everyday benchmark with one thing changed: how often is the changed one still called right?

`python -m tests.scoring.changed_answers` prints the table. A change is drawn by a fixed seed and may be harmless: the
shares are compared with each other and over time, not with zero.
"""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlassay import Scorer

EVERYDAY = Path(__file__).parents[2] / "benchmarks" / "everyday"
ANSWERS = 400
"""Answers that are changed."""
_FIELDS = ("question", "enriched_question", "dialect", "occurred_at")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_AGGREGATES = {exp.Sum: exp.Avg, exp.Avg: exp.Sum, exp.Min: exp.Max, exp.Max: exp.Min}
_COMPARISONS = {exp.GT: exp.LT, exp.LT: exp.GT, exp.GTE: exp.LTE, exp.LTE: exp.GTE}


def _days(tree: exp.Expr, dice: random.Random) -> bool:
    """All dates by a year, a month or a week."""
    days = [each for each in tree.find_all(exp.Literal) if each.is_string and _DAY.fullmatch(each.this)]
    by = timedelta(days=dice.choice((365, 31, -31, 7)))
    for each in days:
        each.replace(exp.Literal.string(str(date.fromisoformat(each.this) + by)))
    return bool(days)


def _start(tree: exp.Expr, dice: random.Random) -> bool:
    """The lower bound of a time is left out."""
    bounds = [each for each in tree.find_all(exp.GTE, exp.GT) if _dated(each) and isinstance(each.parent, exp.And)]
    if bounds:
        dice.choice(bounds).replace(exp.true())
    return bool(bounds)


def _dated(each: exp.Expr) -> bool:
    return any(_DAY.fullmatch(text.this) for text in each.find_all(exp.Literal) if text.is_string)


def _either(tree: exp.Expr, dice: random.Random) -> bool:
    """An OR stands for the last AND of a WHERE."""
    found = [each.this for each in tree.find_all(exp.Where) if isinstance(each.this, exp.And)]
    if found:
        both = dice.choice(found)
        both.replace(exp.Or(this=both.this.copy(), expression=both.expression.copy()))
    return bool(found)


def _aggregate(tree: exp.Expr, dice: random.Random) -> bool:
    """AVG for SUM, MAX for MIN, and the other way round."""
    found = list(tree.find_all(*_AGGREGATES))
    if found:
        one = dice.choice(found)
        one.replace(_AGGREGATES[type(one)](this=one.this.copy()))
    return bool(found)


def _direction(tree: exp.Expr, dice: random.Random) -> bool:
    """`< 5` for `> 5`."""
    found = [each for each in tree.find_all(*_COMPARISONS) if _is_number(each.expression)]
    if found:
        one = dice.choice(found)
        one.replace(_COMPARISONS[type(one)](this=one.this.copy(), expression=one.expression.copy()))
    return bool(found)


def _number(tree: exp.Expr, dice: random.Random) -> bool:
    """Another number in a comparison."""
    found = [each for each in tree.find_all(*_COMPARISONS) if _is_number(each.expression)]
    if found:
        literal = dice.choice(found).expression
        literal.replace(exp.Literal.number(str(int(float(literal.this) * 2 + 3))))
    return bool(found)


def _is_number(each: Any) -> bool:
    return isinstance(each, exp.Literal) and not each.is_string


CHANGES: dict[str, Callable[[exp.Expr, random.Random], bool]] = {
    "another time": _days,
    "no start of the time": _start,
    "OR for AND": _either,
    "another aggregate": _aggregate,
    "the other direction": _direction,
    "another number": _number,
}


def called_right(answers: int = ANSWERS) -> dict[str, tuple[int, float]]:
    """Of each change, how many answers have it, and the share of those that is called right."""
    scorer, found = Scorer(), defaultdict[str, list[bool]](list)
    for line in _right(answers):
        given = {field: line[field] for field in _FIELDS}
        if (scorer.score(sql=line["sql"], **given).p_correct or 0) < 0.5:
            continue
        for name, sql in _changed(line):
            p_correct = scorer.score(sql=sql, **given).p_correct
            if p_correct is not None:
                found[name].append(p_correct >= 0.5)
    return {name: (len(found[name]), sum(found[name]) / max(1, len(found[name]))) for name in CHANGES}


def _right(answers: int) -> list[dict[str, Any]]:
    lines = [
        json.loads(line)
        for part in ("fit", "choose")
        for path in sorted((EVERYDAY / part).glob("*/answers.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    return random.Random(11).sample([each for each in lines if each["label"] == 1], answers)


def _changed(line: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The SQL with each change that it admits."""
    dice = random.Random(line["id"])
    try:
        tree = sqlglot.parse_one(line["sql"], read=line["dialect"])
        for name, change in CHANGES.items():
            copied = tree.copy()
            if change(copied, dice):
                yield name, copied.sql(dialect=line["dialect"])
    except SqlglotError:
        return


if __name__ == "__main__":
    for name, (answers, share) in called_right().items():
        print(f"{name:24} {answers:5} {share:6.2f}")
