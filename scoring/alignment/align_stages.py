"""The stages between reading both sides and judging: what `align` does to an answer, in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from scoring.alignment.enrichment import Rewriting, rewriting, validate, weakened
from scoring.alignment.filters import align_filters
from scoring.alignment.left_out import anti_joined_blocks, excluded_blocks
from scoring.alignment.normalization import normalize
from scoring.alignment.outputs.dimensions import (
    align_aggregation,
    align_projection,
    named_outputs,
    named_things,
    output_projections,
)
from scoring.alignment.outputs.groups import align_grouping
from scoring.alignment.outputs.shown_names import shown_names
from scoring.alignment.requirements import Requirements, requirements
from scoring.alignment.same_values import Context
from scoring.alignment.turns.inherited import with_inherited
from scoring.alignment.weakening import Weakened, find_weakening, without_weakening
from scoring.query import Query
from scoring.question.follow_ups import FollowUp
from scoring.rules import Rules
from scoring.specification import Definition, Output, Projection, QuestionSpec, SqlSpec, TokenKind
from scoring.verdict import Case, Dimension, Enrichment, FilterAlignment, Normalization
from scoring.words import letters


@dataclass(slots=True, kw_only=True)
class Examination:
    """A case in the making: each stage reads what earlier ones wrote and writes its own fields."""

    query: Query
    rules: Rules
    question: QuestionSpec
    """Sq of Qu."""
    reformulation: QuestionSpec | None
    """Sq of Qe as the agent wrote it, where there is one."""
    sql: SqlSpec
    follow_up: FollowUp | None = None
    context: Context = field(init=False)
    weakened: Weakened = field(init=False)
    rewritten: Rewriting = field(init=False)
    enrichment: Enrichment = field(init=False)
    enriched: QuestionSpec = field(init=False)
    """Sq of Qe with the tenant's mappings; of Qu where there is no Qe."""
    required: Requirements = field(init=False)
    filters: FilterAlignment = field(init=False)
    normalizations: tuple[Normalization, ...] = field(init=False)
    answer: tuple[Projection, ...] = field(init=False)
    named: tuple[Output, ...] = field(init=False)
    projection: Dimension = field(init=False)
    aggregation: Dimension = field(init=False)
    grouping: Dimension = field(init=False)

    def case(self) -> Case:
        """What a judge is shown."""
        question, enriched = self.question, self.enriched
        return Case(
            query=self.query,
            rules=self.rules,
            question=question,
            enriched=enriched,
            sql=self.sql,
            answer=self.answer,
            things=named_things(question),
            named=self.named,
            defined=frozenset([letters(column) for each in enriched.definitions for column in each.columns]),
            spoken=question.stems if enriched is question else enriched.stems | question.stems,
            words=[token.kind for token in question.tokens].count(TokenKind.WORD),
            read=_names_read(self.sql),
            required=self.required.required,
            filters=self.filters,
            projection=self.projection,
            aggregation=self.aggregation,
            grouping=self.grouping,
            normalizations=self.normalizations,
            enrichment=self.enrichment,
            weakened=self.weakened.found,
            follow_up=self.follow_up,
            dropped=(*self.rewritten.lost, *(before for before, _ in self.rewritten.changed)),
        )


def validate_enrichment(work: Examination) -> None:
    """Stage 1: does Qe still ask what Qu asks?"""
    work.context = comparison_context(work.query, work.sql)
    work.weakened = Weakened()
    if work.reformulation is not None:
        work.weakened = find_weakening(work.question, work.reformulation)
        work.reformulation = without_weakening(work.reformulation, work.weakened)
    work.rewritten = rewriting(work.question, work.reformulation or work.question, work.context)
    enrichment = validate(work.question, work.reformulation, work.rewritten, work.context)
    work.enrichment = weakened(enrichment, work.weakened.found)


def apply_mappings(work: Examination) -> None:
    """Stage 5: the tenant's mappings of words that Qu uses become definitions of Qe."""
    work.enriched = work.reformulation or work.question
    if not work.rules.column_mappings:
        return
    said = work.question.stems
    mapped = [
        Definition(phrase=phrase, text=column, columns=(column,))
        for phrase, words, column in work.rules.phrases
        if said.issuperset(words)
    ]
    if mapped:
        work.enriched = replace(work.enriched, definitions=(*work.enriched.definitions, *mapped))


def require_conditions(work: Examination) -> None:
    """Stage 3: which conditions must the SQL apply, and which may it?"""
    questions, by_word = (work.question, work.enriched), work.weakened.by_word
    wanted = requirements(questions, work.sql, work.rewritten, work.rules, work.context, by_word)
    work.required = with_inherited(wanted, work.follow_up, work.sql, work.context)


def align_conditions(work: Examination) -> None:
    """Stage 3: puts each filter of both sides in one place, which gives the filter status."""
    work.filters = align_filters(work.required, work.question, work.enriched, work.sql, work.rules, work.context)


def excuse_constructs(work: Examination) -> None:
    """The normalisation rules (STEF, section 5)."""
    work.normalizations = normalize(work.question, work.enriched, work.sql, work.rules)


def align_answer(work: Examination) -> None:
    """Stage 3: projection, aggregation and grouping."""
    question, enriched, sql, rules = work.question, work.enriched, work.sql, work.rules
    work.answer = output_projections(sql)
    work.named = named_outputs((question, enriched), work.answer, shown_names(sql), rules)
    work.projection = align_projection((question, enriched), work.answer, work.named, rules)
    work.aggregation = align_aggregation(question, enriched, sql, work.answer)
    work.grouping = align_grouping((question, enriched), sql, work.answer, rules, work.normalizations)


STAGES: tuple[Callable[[Examination], None], ...] = (
    validate_enrichment,
    apply_mappings,
    require_conditions,
    align_conditions,
    excuse_constructs,
    align_answer,
)
"""Stages 1, 3 and 5. Before them, both sides are read (Stage 2); after them, a judge gives the verdict (Stage 4)."""


def comparison_context(query: Query, sql: SqlSpec) -> Context:
    """What comparing a filter of the question with one of the SQL depends on."""
    moment = query.occurred_at.replace(tzinfo=None) if query.occurred_at else None
    return Context(moment, excluded_blocks(sql), anti_joined_blocks(sql))


def _names_read(sql: SqlSpec) -> frozenset[str]:
    names = [column.name for column in sql.columns]
    for block in sql.blocks:
        names += block.tables
    return frozenset(map(letters, names))
