"""A fragment that the enriched question completes: what that states for certain is asked for."""

from __future__ import annotations

from dataclasses import replace

from scoring.question.follow_ups.evidence import texts
from scoring.question.follow_ups.words import TIMES
from scoring.specification import FilterOrigin, Op, QuestionFilter, QuestionSpec, SqlSpec
from scoring.values import RelativeTime, Text, TimeRange


def completed(fragment: QuestionSpec, whole: QuestionSpec) -> QuestionSpec:
    """The fragment with what the enriched question computes, groups by and ranks.

    Its words stay those of the fragment: the words of an enriched question name columns and explain, and are not all
    asked for.
    """
    return replace(
        fragment,
        aggregations=whole.aggregations,
        group_by=whole.group_by,
        superlatives=whole.superlatives,
        ordering=whole.ordering or fragment.ordering,
        ratios=whole.ratios or fragment.ratios,
    )


def required_of(enriched: QuestionSpec, fragment: QuestionSpec, sql: SqlSpec) -> QuestionSpec:
    """The enriched question with its time and its names as conditions that the SQL must apply.

    A time is required where it is the only one of both: of several, some explain. A name is required where every text
    of the SQL stands in the enriched question: another text may be its code.
    """
    timed = sum(isinstance(each.rhs, TIMES) for each in (*enriched.filters, *fragment.filters)) == 1
    said = enriched.text.casefold()
    coded = any(text not in said for each in sql.filters for text in texts(each))
    filters = [_required(each) if _is_certain(each, coded=coded, timed=timed) else each for each in enriched.filters]
    return replace(enriched, filters=tuple(filters))


def _is_certain(each: QuestionFilter, *, coded: bool, timed: bool) -> bool:
    if each.source is not FilterOrigin.ENRICHED:
        return False
    if isinstance(each.rhs, TimeRange | RelativeTime):
        return timed and each.op is Op.WITHIN and each.certain >= _SURE
    return not coded and isinstance(each.rhs, Text) and each.op is Op.EQ and each.span.istitle() and len(each.span) > 2


_SURE = 0.9


def _required(each: QuestionFilter) -> QuestionFilter:
    return replace(each, source=FilterOrigin.DEFINITION)
