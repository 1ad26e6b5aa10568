"""The way of one answer through the stages: `examine`, then a judge's reply, then `conclude` (both pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scoring.alignment.dimensions import (
    align_aggregation,
    align_grouping,
    align_projection,
    named_outputs,
    named_things,
    output_projections,
)
from scoring.alignment.enrichment import rewriting, validate
from scoring.alignment.filters import align_filters, anti_joined_blocks, excluded_blocks
from scoring.alignment.matching import Context
from scoring.alignment.normalization import normalize
from scoring.alignment.requirements import requirements
from scoring.composite import compose
from scoring.query import Query, Unscored, UnscoredReason, unreadable
from scoring.question import read_enriched, read_question
from scoring.rules import Rules, UnparseablePolicy
from scoring.specification import Definition, Kind, QuestionFilter, QuestionSpec, Source, SqlSpec
from scoring.sql import read_sql
from scoring.verdict import Case, FilterStatus, Reply, Score
from scoring.words import letters

MAX_QUESTION = 20_000
"""Longest question or enriched question read, in characters."""


def examine(query: Query, rules: Rules) -> Case | Unscored:
    """Stages 1 to 3: reads both sides and aligns them; `Unscored` says why there is nothing to judge."""
    refused = check_question(query)
    if refused is not None:
        return refused
    sql = read_sql(query.sql, query.dialect or rules.dialect)
    question = read_question(query.question)
    if isinstance(sql, SqlSpec):
        return align(query, question, read_enrichment(query, question), sql, rules)
    if sql.reason is UnscoredReason.UNPARSEABLE_SQL and rules.unparseable is UnparseablePolicy.INCORRECT:
        return _incorrect(query, question, sql, rules)
    return sql


def _incorrect(query: Query, question: QuestionSpec, why: Unscored, rules: Rules) -> Case:
    """SQL that does not parse, by the policy of a tenant that holds it wrong: no filter is applied."""
    nothing = SqlSpec(dialect=query.dialect or rules.dialect or "")
    case = align(query, question, read_enrichment(query, question), nothing, rules)
    unapplied = replace(case.filters, status=FilterStatus.NOT_APPLIED)
    return replace(case, filters=unapplied, unparseable=why.detail or why.reason.value)


def check_question(query: Query) -> Unscored | None:
    """Why the question cannot be read, if so."""
    if not query.question_found:
        detail = "no span of the trace held a question in time: set sqlassay.question on the SQL's span or one above it"
        return Unscored(UnscoredReason.NO_QUESTION, detail)
    if not query.question.strip():
        return Unscored(UnscoredReason.EMPTY_QUESTION, "question is blank: send the words the person asked")
    for name, text in (("question", query.question), ("enriched_question", query.enriched_question or "")):
        if len(text) > MAX_QUESTION:
            detail = f"{name} has {len(text)} characters: at most {MAX_QUESTION} are read"
            return Unscored(UnscoredReason.QUESTION_TOO_LONG, detail)
        bad = unreadable(text)
        if bad is not None:
            detail = f"{name} holds U+{ord(bad.group()):04X} at character {bad.start()}: remove it"
            return Unscored(UnscoredReason.INVALID_TEXT, detail)
    return None


def read_enrichment(query: Query, question: QuestionSpec) -> QuestionSpec | None:
    """Sq of Qe, or None where the event has no enriched question."""
    if query.enriched_question is None or not query.enriched_question.strip():
        return None
    return read_enriched(query.enriched_question, question)


def align(query: Query, question: QuestionSpec, enriched: QuestionSpec | None, sql: SqlSpec, rules: Rules) -> Case:
    """Stage 3 and the normalisation rules, from both specifications."""
    context = _context(query, sql)
    rewritten = rewriting(question, enriched or question, context)
    asked = with_mappings(enriched or question, question, rules)
    wanted = requirements(question, asked, rewritten, rules, context)
    answer = output_projections(sql)
    named = named_outputs(question, asked, answer, rules)
    normalizations = normalize(question, asked, sql, rules)
    return Case(
        query=query,
        rules=rules,
        question=question,
        enriched=asked,
        sql=sql,
        answer=answer,
        things=named_things(question),
        named=named,
        defined=frozenset([letters(column) for each in asked.definitions for column in each.columns]),
        spoken=question.stems if asked is question else asked.stems | question.stems,
        words=[token.kind for token in question.tokens].count(Kind.WORD),
        read=_names_read(sql),
        required=wanted.required,
        filters=align_filters(wanted, question, asked, sql, rules, context),
        projection=align_projection((question, asked), answer, named, rules),
        aggregation=align_aggregation(question, asked, sql, answer),
        grouping=align_grouping(question, asked, sql, rules, normalizations),
        normalizations=normalizations,
        enrichment=validate(question, enriched, rewritten, context),
    )


def _context(query: Query, sql: SqlSpec) -> Context:
    moment = query.occurred_at.replace(tzinfo=None) if query.occurred_at else None
    return Context(moment, excluded_blocks(sql), anti_joined_blocks(sql))


def with_conditions(case: Case, found: Sequence[QuestionFilter]) -> Case:
    """Stage 3 run again with conditions that the first reading of the question missed; all else stays as it was."""
    context = _context(case.query, case.sql)
    rewritten = rewriting(case.question, case.enriched, context)
    own = tuple(each for each in found if each.source is Source.QUESTION)
    others = tuple(each for each in found if each.source is not Source.QUESTION)
    question = replace(case.question, filters=(*case.question.filters, *own))
    enriched = replace(case.enriched, filters=(*case.enriched.filters, *others)) if others else case.enriched
    wanted = requirements(question, enriched, rewritten, case.rules, context)
    filters = align_filters(wanted, question, enriched, case.sql, case.rules, context)
    return replace(case, question=question, enriched=enriched, required=wanted.required, filters=filters)


def with_mappings(asked: QuestionSpec, question: QuestionSpec, rules: Rules) -> QuestionSpec:
    """The enriched question with the tenant's mappings of words that Qu uses, as the definitions they are."""
    if not rules.column_mappings:
        return asked
    said = question.stems
    mapped = [
        Definition(phrase=phrase, text=column, columns=(column,))
        for phrase, words, column in rules.phrases
        if said.issuperset(words)
    ]
    return replace(asked, definitions=(*asked.definitions, *mapped)) if mapped else asked


def _names_read(sql: SqlSpec) -> frozenset[str]:
    names = [column.name for column in sql.columns]
    for block in sql.blocks:
        names += block.tables
    return frozenset(map(letters, names))


def conclude(case: Case, reply: Reply) -> Score:
    """Φ and its tier from the case's filter status and the judge's verdict and confidence.

    Conditions that a model proposed and that were accepted are part of the question: Stage 3 is run again with them.
    """
    if reply.proposed:
        case = with_conditions(case, reply.proposed)
    composite = compose(case.filters, reply.verdict, reply.confidence)
    return Score(case=case, reply=reply, composite=composite, tier=case.rules.tiers.tier(composite.score))
