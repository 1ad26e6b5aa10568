"""One answer's way to its score: `examine`, then a judge's reply, then `conclude`. Both functions are pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scoring.alignment.align_stages import STAGES, Examination, comparison_context
from scoring.alignment.enrichment import rewriting
from scoring.alignment.filters import align_filters
from scoring.alignment.requirements import requirements
from scoring.alignment.turns.inherited import (
    keeps_all,
    keeps_conditions,
    loses_openly,
    unmet_words,
    with_inherited,
)
from scoring.alignment.turns.kept_shape import loses_or_repeats
from scoring.composite import compose
from scoring.database.failures import failed
from scoring.matches import not_contradicted, with_matches
from scoring.query import Query, Unscored, UnscoredReason, unreadable
from scoring.question import read_enriched, read_question
from scoring.question.follow_ups import UNRESOLVED, FollowUp, follow_up
from scoring.question.follow_ups.completed import completed, required_of
from scoring.question.other_languages import is_english, other_language
from scoring.question.prompts.finding import question_asked
from scoring.rules import Rules, UnparseablePolicy
from scoring.sizes import refuse_large_question, refuse_large_sql, refuse_many_pairs
from scoring.specification import FilterOrigin, QuestionFilter, QuestionSpec, SqlSpec
from scoring.sql import read_sql
from scoring.verdict import Case, FilterStatus, Reply, Score

MAX_QUESTION = 20_000
"""Longest question or enriched question read, in characters."""


_NO_QUESTION = (
    "no question was found in the prompt, or in the spans of the trace in time: send the words the person asked as"
    " question, or as sqlassay.question on the SQL's span or one above it"
)


def examine(query: Query, rules: Rules) -> Case | Unscored:
    """Reads both sides (Stage 2) and aligns them (`STAGES`). `Unscored` says why there is nothing to judge."""
    query = _in_english(without_prompts(query))
    refused = check_question(query)
    if refused is not None:
        return refused
    sql = read_sql(query.sql, query.dialect or rules.dialect, rules.schema)
    counts_as_incorrect = rules.unparseable is UnparseablePolicy.INCORRECT
    if isinstance(sql, Unscored) and not (sql.reason is UnscoredReason.UNPARSEABLE_SQL and counts_as_incorrect):
        return sql
    asked = _in_conversation(query, sql, rules)
    if isinstance(asked, Unscored):
        return asked
    if asked is not None and not (asked.by_enriched or asked.is_open):
        query = replace(query, question=asked.meaning, history=())
    return _examined(query, sql, rules, asked)


def _in_english(query: Query) -> Query:
    """The query with its English rewriting as the question, where the question is in another language."""
    whole = query.enriched_question
    if whole is None or not is_english(whole) or not other_language(query.question):
        return query
    return replace(query, question=whole, enriched_question=None)


def _examined(query: Query, sql: SqlSpec | Unscored, rules: Rules, asked: FollowUp | None) -> Case | Unscored:
    """Reads the question and the enriched question, and aligns them with the SQL."""
    whole = asked.meaning if asked is not None and asked.by_enriched else None
    question = read_question(query.question)
    if whole is not None:
        question = completed(question, read_question(whole))
    large = refuse_large_question("question", question)
    if large is not None:
        return large
    enriched = read_enrichment(query, question)
    if whole is not None and enriched is not None and isinstance(sql, SqlSpec):
        enriched = required_of(enriched, question, sql)
    large = refuse_large_question("enriched_question", enriched) if enriched is not None else None
    if large is not None:
        return large
    if isinstance(sql, Unscored):
        return _incorrect(query, question, enriched, sql, rules)
    large = refuse_large_sql(sql) or refuse_many_pairs(question, enriched, sql)
    return large or _aligned(query, question, enriched, sql, rules, asked)


def _aligned(
    query: Query,
    question: QuestionSpec,
    enriched: QuestionSpec | None,
    sql: SqlSpec,
    rules: Rules,
    asked: FollowUp | None,
) -> Case | Unscored:
    """The case; of an open follow-up only where the SQL before says something of the answer."""
    case = align(query, question, enriched, sql, rules, asked)
    if asked is None or not asked.is_open or loses_openly(asked, case.filters):
        return case
    if asked.may_stand and not keeps_conditions(case.filters):
        return align(query, question, enriched, sql, rules)
    if asked.may_stand and keeps_all(asked, sql) and not unmet_words(case.filters):
        return case
    return Unscored(UnscoredReason.FOLLOW_UP_UNRESOLVED, UNRESOLVED)


def _in_conversation(query: Query, sql: SqlSpec | Unscored, rules: Rules) -> FollowUp | Unscored | None:
    """How the question is read in its conversation, where it is a fragment."""
    dialect = query.dialect or rules.dialect

    def read(earlier: str) -> SqlSpec | None:
        found = read_sql(earlier, dialect)
        return None if isinstance(found, Unscored) or refuse_large_sql(found) is not None else found

    return follow_up(query, SqlSpec(dialect=dialect or "") if isinstance(sql, Unscored) else sql, read)


def align(
    query: Query,
    question: QuestionSpec,
    reformulation: QuestionSpec | None,
    sql: SqlSpec,
    rules: Rules,
    asked: FollowUp | None = None,
) -> Case:
    """Takes both specifications through `STAGES`; `asked` is how a fragment was read in its conversation."""
    work = Examination(
        query=query, rules=rules, question=question, reformulation=reformulation, sql=sql, follow_up=asked
    )
    for stage in STAGES:
        stage(work)
    case = work.case()
    if asked is not None and loses_or_repeats(asked, sql):
        case = _partial(case)
    if not failed(query.result):
        return case
    # SQL that did not run applies no filter
    return replace(case, filters=replace(case.filters, status=FilterStatus.NOT_APPLIED), failed=True)


def _partial(case: Case) -> Case:
    """The case of a follow-up whose answer lost a part of the turn before: what it asks is applied in part at best."""
    whole = case.filters.status in (FilterStatus.FULLY_APPLIED, FilterStatus.FULLY_APPLIED_WITH_EXTRAS)
    return replace(case, filters=replace(case.filters, status=FilterStatus.PARTIALLY_APPLIED)) if whole else case


def conclude(case: Case, reply: Reply) -> Score:
    """Φ and its tier, from the case's filter status and the judge's verdict and confidence.

    Accepted conditions that a model proposed belong to the question: filters are aligned again with them. The local
    verdict does not contradict the match signals, but for a follow-up, whose meaning is pieced together; a model, which
    was shown them, may hold them to be misread.
    """
    if reply.proposed:
        case = with_conditions(case, reply.proposed)
    case = with_matches(case)
    by_model = bool(reply.model) and not reply.fallback
    if not (by_model or case.follow_up is not None):
        reply = not_contradicted(case, reply)
    composite = compose(case.filters, reply.verdict, reply.confidence, by_model=by_model, bounds=case.rules.confidence)
    return Score(case=case, reply=reply, composite=composite, tier=case.rules.tiers.tier(composite.score))


def without_prompts(query: Query) -> Query:
    """The query with the question that its prompt asks; with none where a prompt asks none."""
    asked = question_asked(query.question)
    if asked is None:
        return replace(query, question="", question_found=False)
    enriched = None if query.enriched_question is None else question_asked(query.enriched_question)
    if asked is query.question and enriched is query.enriched_question:
        return query
    return replace(query, question=asked, enriched_question=enriched)


def check_question(query: Query) -> Unscored | None:
    """Why the question cannot be read, if so."""
    if not query.question_found:
        return Unscored(UnscoredReason.NO_QUESTION, _NO_QUESTION)
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


def with_conditions(case: Case, found: Sequence[QuestionFilter]) -> Case:
    """The case with its filters aligned again, after a model found conditions that the first reading missed."""
    context = comparison_context(case.query, case.sql)
    rewritten = rewriting(case.question, case.enriched, context)
    own = tuple(each for each in found if each.source is FilterOrigin.QUESTION)
    others = tuple(each for each in found if each.source is not FilterOrigin.QUESTION)
    question = replace(case.question, filters=(*case.question.filters, *own))
    enriched = replace(case.enriched, filters=(*case.enriched.filters, *others)) if others else case.enriched
    wanted = requirements((question, enriched), case.sql, rewritten, case.rules, context)
    wanted = with_inherited(wanted, case.follow_up, case.sql, context)
    filters = align_filters(wanted, question, enriched, case.sql, case.rules, context)
    return replace(case, question=question, enriched=enriched, required=wanted.required, filters=filters)


def _incorrect(
    query: Query, question: QuestionSpec, enriched: QuestionSpec | None, why: Unscored, rules: Rules
) -> Case:
    """The case of SQL that does not parse, for a tenant who counts it as incorrect: it applies no filter."""
    nothing = SqlSpec(dialect=query.dialect or rules.dialect or "")
    case = align(query, question, enriched, nothing, rules)
    unapplied = replace(case.filters, status=FilterStatus.NOT_APPLIED)
    return replace(case, filters=unapplied, unparseable=why.detail or why.reason.value)
