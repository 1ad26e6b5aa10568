"""Mines rules from some labels of a set, and scores the others without and with all that was proposed."""

# scikit-learn ships no types
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from zlib import crc32

from sklearn.metrics import roc_auc_score
from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from consumers.wire.events import decode_event
from learning.calibration import calibrate
from learning.mining.mine_rules import mine_rules, with_all
from learning.mining.observing import ObservedAnswer, observe
from scoring.evaluation import conclude, examine
from scoring.judging.local import LocalJudge
from scoring.query import Query, Unscored
from scoring.rules import Rules
from scoring.verdict import Case, Score
from service.commands.learn.calibrate import labelled_row
from service.judges.weights import local_judge
from tests.development import labels_path

PARTS = 3
"""Parts of the databases, each measured by rules that were mined on the others."""
Split = Callable[["LabelledAnswer"], tuple[str, int]]
"""The tenant of an answer, and the part of the tenant's answers it is in."""


@dataclass(frozen=True, slots=True)
class LabelledAnswer:
    """A row of a set."""

    query: Query
    right: bool
    database: str
    fields: Mapping[str, Any] = field(repr=False)


@dataclass(slots=True)
class Effect:
    """Scores of held-out answers without and with mined rules."""

    right: list[bool] = field(default_factory=list[bool])
    before: list[float] = field(default_factory=list[float])
    after: list[float] = field(default_factory=list[float])
    proposals: Counter[str] = field(default_factory=Counter[str])
    """Proposals by kind, over all parts."""

    @property
    def changed(self) -> int:
        """How many held-out answers have another `p_correct`."""
        return sum(old != new for old, new in zip(self.before, self.after, strict=True))

    @property
    def auc(self) -> tuple[float, float]:
        """AUC before and after."""
        return float(roc_auc_score(self.right, self.before)), float(roc_auc_score(self.right, self.after))

    @property
    def false_alarms(self) -> tuple[float, float]:
        """The share of right answers that are judged wrong, before and after."""
        return self._called_wrong(labelled=True)

    @property
    def caught(self) -> tuple[float, float]:
        """The share of wrong answers that are judged wrong, before and after."""
        return self._called_wrong(labelled=False)

    def _called_wrong(self, *, labelled: bool) -> tuple[float, float]:
        rows = [place for place, right in enumerate(self.right) if right is labelled]
        before, after = (sum(found[place] < 0.5 for place in rows) for found in (self.before, self.after))
        return before / len(rows), after / len(rows)


def read_set(name: str, every: int = 1) -> list[LabelledAnswer]:
    """One in so many questions of a set, with all answers to each."""
    lines = labels_path(name).read_text(encoding="utf-8").splitlines()
    return [each for each in map(_answer, lines) if crc32(each.query.question.encode()) % every == 0]


def _answer(line: str) -> LabelledAnswer:
    fields = json.loads(line)
    query = decode_event(fields, require_id=False).query()
    return LabelledAnswer(query, fields["label"] == 1, fields["db_id"], fields)


def with_habits(answer: LabelledAnswer) -> LabelledAnswer:
    """The answer as agents of a tenant write it whose tables have a soft delete and a tenancy column."""
    chance = crc32(answer.query.sql.encode())
    try:
        query = parse_one(answer.query.sql, dialect="sqlite")
    except SqlglotError:
        return answer
    if not isinstance(query, exp.Select) or query.args.get("from_") is None:
        return answer
    sql = query.where("is_deleted = 0").where(f"org_id = {chance % 40}").sql(dialect="sqlite")
    return LabelledAnswer(replace(answer.query, sql=sql), answer.right, answer.database, answer.fields)


def by_database(answer: LabelledAnswer) -> tuple[str, int]:
    """The whole set is one tenant, whose labels are of some databases and whose traffic of others."""
    return "", crc32(answer.database.encode()) % PARTS


def by_question(answer: LabelledAnswer) -> tuple[str, int]:
    """Each database is a tenant with labels of half of its questions."""
    return answer.database, crc32(answer.query.question.encode()) % 2


def effect(answers: Iterable[LabelledAnswer], split: Split, judge: LocalJudge) -> Effect:
    """Every answer scored with rules that are mined from the other parts of its tenant."""

    def scored(query: Query, rules: Rules) -> Score | Unscored:
        case = examine(query, rules)
        return case if isinstance(case, Unscored) else conclude(case, judge.judge(case))

    tenants: dict[str, dict[int, list[ObservedAnswer]]] = defaultdict(lambda: defaultdict(list))
    for each in answers:
        tenant, part = split(each)
        score = scored(each.query, Rules())
        if isinstance(score, Score):
            tenants[tenant][part].append(observe(each.query, score, right=each.right))
    found = Effect()
    for parts in tenants.values():
        for part, held_out in parts.items():
            others = [each for other, some in parts.items() if other != part for each in some]
            _measure(found, others, held_out, scored)
    return found


def _measure(
    found: Effect,
    others: Sequence[ObservedAnswer],
    held_out: Sequence[ObservedAnswer],
    scored: Callable[[Query, Rules], Score | Unscored],
) -> None:
    mined = mine_rules(others, Rules(), scored, rescored=0)
    accepted = [each.rule for each in (*mined.proposals, *mined.against)]
    found.proposals.update(each.kind.value for each in accepted)
    rules = with_all(Rules(), accepted)
    for each in held_out:
        score = scored(each.query, rules) if accepted else None
        found.right.append(bool(each.right))
        found.before.append(each.p_correct)
        found.after.append(score.reply.p_correct if isinstance(score, Score) else each.p_correct)


def foreign_judge(answers: Iterable[LabelledAnswer]) -> LocalJudge:
    """The local judge with weights fitted to these answers alone: to another set, a judge from elsewhere."""
    fit = calibrate(list(_rows(answers)))
    packaged = local_judge().weights
    return LocalJudge.of(replace(packaged, version="0", probability=fit.probability, weights=fit.weights))


def _rows(answers: Iterable[LabelledAnswer]) -> Iterator[Any]:
    for each in answers:
        case = examine(each.query, Rules())
        if isinstance(case, Case):
            yield labelled_row(case, each.fields, source="", groups=(each.query.question,), weight=1.0)
