"""An evaluation as plain data: the fields of a line out, which the store keeps to explain a score later."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from operator import attrgetter
from typing import Any, cast

from scoring import EVALUATOR_VERSION
from scoring.query import ModelUnscored, Unscored
from scoring.question.follow_ups import FollowUp
from scoring.reason_kinds import kind_of
from scoring.reasons import ReasonCode
from scoring.rules import Tier
from scoring.specification import (
    Block,
    Clause,
    Filter,
    FilterOrigin,
    Join,
    Limit,
    Op,
    Operand,
    Projection,
    QuestionFilter,
    QuestionSpec,
    SortKey,
    SqlFilter,
    SqlSpec,
)
from scoring.values import (
    Boolean,
    Choices,
    DatePart,
    Expression,
    Number,
    Pattern,
    RelativeTime,
    Text,
    TimeRange,
    Value,
)
from scoring.verdict import (
    Dimension,
    EnrichmentStatus,
    FilterAlignment,
    FilterMatch,
    FilterStatus,
    NormalizationRule,
    Reason,
    Reply,
    Score,
    Verdict,
)

Record = dict[str, object]


def score_record(score: Score) -> Record:
    """Every fixed field of a scored line but `event_id`."""
    case, reply, composite = score.case, score.reply, score.composite
    return {
        "score": composite.score,
        "tier": _SAID[score.tier],
        "filter_status": _SAID[case.filters.status],
        "verdict": _SAID[reply.verdict],
        "confidence": reply.confidence,
        "p_correct": reply.p_correct,
        **_learned(reply),
        "follow_up": _conversation(score.case.follow_up),
        "judge": reply.judge,
        "reasons": reason_records(reply.reasons),
        "enrichment": {
            "status": _SAID[case.enrichment.status],
            "score": case.enrichment.score,
            **{name: list(getattr(case.enrichment, name)) for name in ("lost", "added", "changed")},
        },
        "alignment": {
            "filters": _filters(case.filters),
            "projection": _dimension(case.projection),
            "aggregation": _dimension(case.aggregation),
            "grouping": _dimension(case.grouping),
        },
        "composite": {
            "filters": composite.filters,
            "verdict": composite.verdict,
            "leniency": composite.leniency,
            "multiplier": composite.multiplier,
        },
        "normalizations": [{"rule": _SAID[each.rule], "construct": each.construct} for each in case.normalizations],
        "question_spec": question_record(case.question),
        "sql_spec": sql_record(case.sql),
        **({name: getattr(reply, name) for name in MODEL_FIELDS} if reply.model else {}),
        "unscored": None,
        "evaluator_version": EVALUATOR_VERSION,
        "rules_version": case.rules.version,
    }


def _conversation(read: FollowUp | None) -> Record | None:
    """How a fragment was read."""
    return {"asked": read.fragment, "meaning": read.meaning} if read is not None else None


def _learned(reply: Reply) -> Record:
    """What learning changed, where it changed something."""
    record: Record = {} if reply.p_judge is None else {"p_judge": reply.p_judge}
    return record | {"rules_applied": list(reply.rules_applied)} if reply.rules_applied else record


def reason_records(reasons: Iterable[Reason]) -> list[Record]:
    """Each reason as code, kind, detail and weight."""
    return [
        {"code": _SAID[each.code], "kind": _KINDS[each.code], "detail": each.detail, "weight": each.weight}
        for each in reasons
    ]


SCORED_FIELDS = (
    "score tier filter_status verdict confidence p_correct judge reasons follow_up enrichment alignment composite"
    " normalizations question_spec sql_spec"
).split()
"""The fields that a line without a score leaves null or empty."""
MODEL_FIELDS = "model prompt_hash tokens_in tokens_out cost cached fallback rationale asked_probability".split()
"""The fields of a line whose answer a model judged or should have judged."""


def unscored_record(unscored: Unscored, rules_version: int) -> Record:
    """The same fields for an evaluation without a score: all null but the reason and the versions."""
    return {
        **dict.fromkeys(SCORED_FIELDS),
        "reasons": [{"code": unscored.reason.value, "detail": unscored.detail, "weight": 0.0}],
        "normalizations": [],
        **({name: getattr(unscored, name) for name in MODEL_FIELDS} if isinstance(unscored, ModelUnscored) else {}),
        "unscored": unscored.reason.value,
        "evaluator_version": EVALUATOR_VERSION,
        "rules_version": rules_version,
    }


def _filters(filters: FilterAlignment) -> Record:
    return {
        "matched": [_match(each) for each in filters.matched],
        "missing": [filter_record(each) for each in filters.missing],
        "mismatched": [_match(each) for each in filters.mismatched],
        "extra": [filter_record(each) for each in filters.extra],
        "benign": [filter_record(each) for each in filters.benign],
        "ignored": [filter_record(each) for each in filters.ignored],
    }


def _match(match: FilterMatch) -> Record:
    record = filter_record(match.required)
    record["present"] = [filter_record(each) for each in match.present]
    return record


def _dimension(dimension: Dimension) -> Record:
    return {"match": dimension.match, "missing": list(dimension.missing), "extra": list(dimension.extra)}


def filter_record(each: Filter) -> Record:
    """A filter as the paper's triple, with where it stands."""
    lhs = each.lhs
    name = lhs.name if lhs is not None else None
    if isinstance(each, SqlFilter):
        return {
            "lhs": name,
            "op": _SAID[each.op],
            "rhs": value_record(each.rhs),
            "table": lhs.columns[0].table if lhs is not None and lhs.columns else None,
            "block": each.block,
            "clause": _SAID[each.clause],
            "alternative": each.alternative,
            "text": each.text,
        }
    record: Record = {"lhs": name, "op": _SAID[each.op], "rhs": value_record(each.rhs)}
    if isinstance(each, QuestionFilter):
        record["source"], record["span"], record["certain"] = _SAID[each.source], each.span, each.certain
    return record


_SAID: dict[str, str] = {
    each: each.value
    for kind in (Op, Clause, FilterOrigin, Tier, FilterStatus, Verdict, EnrichmentStatus, NormalizationRule, ReasonCode)
    for each in kind
}
"""Each enum member's value: reading `value` takes five times as long."""
_KINDS: dict[str, str] = {code: kind_of(code).value for code in ReasonCode}


def value_record(value: Value | None) -> object:
    """A value as JSON: text, number, boolean, list, or an object for a time."""
    return None if value is None else _VALUES[type(value)](value)


def _number(value: Number) -> float:
    number = value.value
    return int(number) if abs(number) < 2**53 and number == int(number) else number


def _range(value: TimeRange) -> Record:
    start, end = value.start, value.end
    return {"start": start.isoformat() if start else None, "end": end.isoformat() if end else None}


def _relative(value: RelativeTime) -> Record:
    return {"unit": value.unit.value, "start": value.start, "end": value.end, "whole": value.whole}


def _part(value: DatePart) -> Record:
    found: Record = {"part": value.part, "value": value.value}
    return found if value.last is None else found | {"last": value.last}


def _choices(value: Choices) -> list[object]:
    return [value_record(each) for each in sorted(value.members, key=str)]


def _expression(value: Expression) -> Record:
    return {"sql": value.text}


_VALUES: dict[type[Value], Callable[[Any], object]] = {
    Text: attrgetter("folded"),
    Number: _number,
    Boolean: attrgetter("value"),
    TimeRange: _range,
    RelativeTime: _relative,
    DatePart: _part,
    Pattern: attrgetter("text"),
    Expression: _expression,
    Choices: _choices,
}


def question_record(spec: QuestionSpec) -> Record:
    """Sq as JSON; the paper's four components first."""
    return {
        "outputs": [each.phrase for each in spec.outputs],
        "aggregations": [
            {"func": each.func, "col": each.column, "distinct": each.distinct} for each in spec.aggregations
        ],
        "filters": [filter_record(each) for each in spec.filters],
        "group_by": list(spec.group_by),
        "superlatives": plain(spec.superlatives),
        "top_k": spec.top_k,
        "ordering": plain(spec.ordering),
        "time_ranges": [value_record(each) for each in spec.time_ranges],
        "distinct": spec.distinct,
        "ratios": plain(spec.ratios),
        "negations": list(spec.negations),
        "yes_no": spec.yes_no,
        "parts": spec.parts,
    }


def sql_record(spec: SqlSpec) -> Record:
    """Ssql as JSON; the paper's components first, each entry with its query block."""
    return {
        "projections": [_projection(each) for each in spec.projections],
        "aggregations": [
            {
                "func": each.func,
                "col": each.column,
                "distinct": each.distinct,
                "block": each.block,
                "windowed": each.windowed,
                "conditional": each.conditional,
            }
            for each in spec.aggregations
        ],
        "filters": [filter_record(each) for each in spec.filters],
        "group_by": [{"operand": each.operand.name, "block": each.block} for each in spec.group_by],
        "order_by": [_sort_key(each) for each in spec.order_by],
        "limit": spec.limit.count if spec.limit is not None else None,
        "limits": [_limit(each) for each in spec.limits],
        "having": [filter_record(each) for each in spec.having],
        "distinct": spec.distinct,
        "joins": [_join(each) for each in spec.joins],
        "set_operations": plain(spec.set_operations),
        "subqueries": plain(spec.subqueries),
        "windows": plain(spec.windows),
        "ctes": list(spec.ctes),
        "divisions": plain(spec.divisions),
        "blocks": [_block(each) for each in spec.blocks],
        "dialect": spec.dialect,
    }


def _projection(each: Projection) -> Record:
    return {
        "operand": each.operand.name,
        "block": each.block,
        "alias": each.alias,
        "star": each.star,
        "literal": each.literal,
        "conditional": each.conditional,
        "subqueries": list(each.subqueries),
    }


def _sort_key(each: SortKey) -> Record:
    return {"operand": each.operand.name, "descending": each.descending, "block": each.block}


def _limit(each: Limit) -> Record:
    return {
        "count": each.count,
        "block": each.block,
        "offset": each.offset,
        "ranked": each.ranked,
        "partition": [key.name for key in each.partition],
    }


def _join(each: Join) -> Record:
    pairs = [[{"name": side.name, "table": side.table} for side in pair] for pair in each.pairs]
    return {"kind": each.kind, "table": each.table, "block": each.block, "pairs": pairs}


def _block(each: Block) -> Record:
    return {"path": each.path, "tables": list(each.tables), "distinct": each.distinct, "output": each.output}


def plain(value: object) -> object:
    """Any of the specification's types as JSON: an operand by its name, an enum by its value, a tuple as a list."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, tuple):
        return [plain(each) for each in cast("tuple[object, ...]", value)]
    if isinstance(value, Operand):
        return value.name
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {name: plain(getattr(value, name)) for name in _field_names(type(value))}
    return value


@cache
def _field_names(kind: type[Any]) -> tuple[str, ...]:
    return tuple([each.name for each in fields(kind)])


_PLAIN = frozenset({str, int, float, bool, type(None)})
