"""`sqlassay eval collect`: turns reviewed answers into a benchmark, one case for each question and database."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field

from references.equivalence.pair import Level
from references.judging import judge_answer
from references.reference_verdict import AnswerPair, ReferenceVerdict
from scoring.query import Unscored
from scoring.sql.bounds import screen
from scoring.sql.parsing import parse_query
from service.commands.eval.runner.benchmark_file import parsed_line
from service.commands.eval.runner.compare_options import CollectOptions
from service.commands.exits import Exit, refuse
from service.commands.jsonl import InputLine, open_input, open_output, read_lines, same_file

BUDGET = 2.0
"""CPU seconds to find out whether two right answers to one question mean the same."""
_WORDS = re.compile(r"\w+")


class ReviewedLine(BaseModel):
    """A reviewed answer. Other keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    question: str = Field(min_length=1)
    sql: str = Field(min_length=1)
    label: Literal[0, 1, "right", "wrong", "unsure"]
    correction: str | None = None
    """SQL that answers the question."""
    tenant: str | None = None
    db_id: str | None = None
    dialect: str | None = None
    enriched_question: str | None = None
    complexity: str = ""
    category: str = ""

    @property
    def right_sql(self) -> str | None:
        """SQL that a reviewer vouches for."""
        if self.correction is not None and self.correction.strip():
            return self.correction
        return self.sql if self.label in (1, "right") else None

    @property
    def place(self) -> tuple[str, str]:
        """The question's words in lower case, and its database: reviews with the same are of one question."""
        return " ".join(_WORDS.findall(self.question.lower())), self.db_id or self.tenant or ""


@dataclass(slots=True)
class ReviewedQuestion:
    """The right answers to one question, by meaning."""

    first: ReviewedLine
    golds: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    """SQL of each meaning, and how many reviews say so."""
    wrong: list[str] = field(default_factory=list[str])
    """SQL that reviews call wrong."""

    def add(self, sql: str) -> None:
        """Counts a right answer with those of its meaning."""
        for place, (known, reviews) in enumerate(self.golds):
            if _same(known, sql, self.first.dialect):
                self.golds[place] = (known, reviews + 1)
                return
        self.golds.append((sql, 1))

    def gold(self) -> str | None:
        """The meaning that most reviews give, less those that call it wrong; `None` where two have as many, or none."""
        counts = [(sql, reviews - self._against(sql)) for sql, reviews in self.golds]
        ranked = sorted(counts, key=lambda each: -each[1])
        if ranked[0][1] <= 0 or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
            return None
        return ranked[0][0]

    def _against(self, sql: str) -> int:
        return sum(_same(sql, each, self.first.dialect) for each in self.wrong)


def collect_benchmark(options: CollectOptions) -> None:
    """Writes the benchmark, and says what was left out and why."""
    if same_file(options.reviewed, options.out):
        refuse(f"{options.reviewed} is both input and output: name another --out")
    tally: Counter[str] = Counter()
    with open_input(options.reviewed) as stream:
        collected = _collected(read_lines(stream), tally)
    rows = list(_rows(collected, tally))
    with open_output(options.out) as sink:
        for row in rows:
            sink.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
    counts = "".join(f", {count} {why}" for why, count in sorted(tally.items()))
    print(f"{len(rows)} cases{counts}", file=sys.stderr)
    if not rows:
        raise SystemExit(int(Exit.NO))


def _collected(lines: Iterator[InputLine], tally: Counter[str]) -> Sequence[ReviewedQuestion]:
    found: dict[tuple[str, str], ReviewedQuestion] = {}
    for line in lines:
        if line.raw is not None and not line.raw.strip():
            continue
        review = parsed_line(line, ReviewedLine)
        if isinstance(review, str):
            refuse(f"line {line.number}: {review}")
        sql = review.right_sql
        if review.label in (0, "wrong"):
            found.setdefault(review.place, ReviewedQuestion(review)).wrong.append(review.sql)
        if sql is None:
            tally["reviews without right SQL"] += 1
        elif not _parses(sql, review.dialect):
            tally["reviews whose right SQL does not parse"] += 1
        else:
            found.setdefault(review.place, ReviewedQuestion(review)).add(sql)
    return [each for each in found.values() if each.golds]


def _parses(sql: str, dialect: str | None) -> bool:
    text = screen(sql)
    return not isinstance(text, Unscored) and not isinstance(parse_query(text, dialect), Unscored)


def _same(one: str, other: str, dialect: str | None) -> bool:
    """Whether two right answers mean the same: no ordinary database was found on which they differ."""
    if one.split() == other.split():
        return True
    found = judge_answer(AnswerPair(reference=one, answer=other, dialect=dialect), budget=BUDGET)
    if found.verdict is ReferenceVerdict.DIFFERENT:
        return found.level not in {Level.S0, Level.S4, Level.S5}
    return found.verdict in {ReferenceVerdict.EQUIVALENT, ReferenceVerdict.NOT_REFUTED}


def _rows(collected: Sequence[ReviewedQuestion], tally: Counter[str]) -> Iterator[Mapping[str, Any]]:
    for each in collected:
        gold = each.gold()
        tally["repeated reviews"] += sum(reviews for _, reviews in each.golds) - len(each.golds)
        if gold is None:
            tally["questions whose reviewers disagree"] += 1
            continue
        review = each.first
        named = {"db_id": review.db_id, "dialect": review.dialect, "enriched_question": review.enriched_question}
        metadata: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
        metadata["reviews"] = sum(reviews for _, reviews in each.golds)
        yield {
            "case_id": sha256("\0".join(review.place).encode()).hexdigest()[:16],
            "question": review.question,
            "gold_sql": gold,
            "schema": review.db_id or review.tenant or "",
            "complexity": review.complexity,
            "category": review.category,
            "metadata": metadata,
        }
