"""Says of every column what it may hold of a person, so that forgetting misses none. A test fails for a new column."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class ColumnKind(StrEnum):
    """What a column may hold of a person."""

    TEXT = "text"
    """What people, agents and models wrote. `forget` empties it, or deletes its row."""
    NAME = "name"
    """Names that senders chose: of events, agents, reviewers. They stay unless the rows themselves are deleted."""
    TENANT = "tenant"
    """The tenant's name, by which its rows are found."""
    RULES = "rules"
    """The tenant's rules, which may quote names and values."""
    CODE = "code"
    """Numbers, moments, digests, and words from a fixed list."""


def _columns(**names: str) -> dict[str, ColumnKind]:
    return {column: ColumnKind(kind) for kind, columns in names.items() for column in columns.split()}


COLUMN_KINDS: Mapping[str, Mapping[str, ColumnKind]] = {
    "event_keys": _columns(
        tenant="tenant", name="source event_id", code="payload_hash evaluation_id occurred_at fillable"
    ),
    "evaluations": _columns(
        tenant="tenant",
        name="agent agent_version source event_id",
        text="question enriched_question sql dialect reference_sql result history attributes record context slices",
        code="occurred_at id event current trigger received_at withheld score tier filter_status verdict confidence"
        " p_correct p_alone judge fallback model prompt_hash tokens_in tokens_out cost unscored enrichment_status"
        " enrichment_score reason_codes rules_version evaluator_version",
    ),
    "deferred_events": _columns(
        tenant="tenant", text="source event_id payload", code="payload_hash timestamp reason due attempts"
    ),
    "labels": _columns(
        tenant="tenant",
        name="source event_id reviewer",
        text="note correction",
        code="label error_type labelled_at sampling_probability blind",
    ),
    "past_labels": _columns(
        tenant="tenant",
        name="source event_id reviewer",
        text="note correction",
        code="label error_type labelled_at sampling_probability blind withdrawn ended_at",
    ),
    "feedback": _columns(
        tenant="tenant",
        text="feedback_id source event_id trace_id edited_sql comment user_id",
        code="kind thumb stars satisfied given_at received_at",
    ),
    "review_draws": _columns(tenant="tenant", name="agent", code="secret wanted spread drawn_at"),
    "review_items": _columns(
        tenant="tenant",
        name="source event_id agent reviewer skipped_by",
        code="occurred_at share sampling_probability place drawn_at leased_until labelled_at skipped_at",
    ),
    "reference_verdicts": _columns(
        tenant="tenant", text="record", code="event occurred_at due tries verdict level judged_at"
    ),
    "canary_answers": _columns(
        tenant="tenant",
        text="source event_id agent agent_version case_id question sql dialect reference_sql record",
        code="event id occurred_at received_at failure due tries verdict level judged_at",
    ),
    "remembered_answers": _columns(
        tenant="tenant",
        text="source event_id agent speaker tables joins conditions",
        code="event question_key shape words specification filters raw units size remembered_at occurred_at",
    ),
    "unsent_scores": _columns(code="id sink evaluation occurred_at due tries unknown"),
    "watched_answers": _columns(
        tenant="tenant",
        name="agent",
        code="id alarm event judge evaluator_version moment p_alone score question received_at",
    ),
    "agent_alarms": _columns(
        tenant="tenant",
        name="agent",
        code="id judge evaluator_version state fall below fall_evidence below_evidence answers answered_at",
    ),
    "agent_incidents": _columns(
        tenant="tenant",
        name="agent agent_version version_before history",
        text="explanation",
        code="id judge evaluator_version fall below before_since since until answers_before wrong_before answers_after"
        " wrong_after opened_at over_at closed_at",
    ),
    "eval_runs": _columns(tenant="tenant", text="name answers sent_by", code="id cases passed sent_at"),
    "saved_views": _columns(tenant="tenant", text="name filters saved_by", code="id shows saved_at"),
    "answer_sums": _columns(
        tenant="tenant",
        name="agent agent_version",
        code="id span start judge evaluator_version received scored judged_wrong score p_alone"
        " p_alone_square histogram",
    ),
    "stale_hours": _columns(tenant="tenant", code="id hour"),
    "access_tokens": _columns(
        tenant="tenant", name="name", code="id scopes digest created_at expires_at revoked_at last_used_at"
    ),
    "session_secrets": _columns(code="id secret created_at"),
    "audit_log": _columns(tenant="tenant", name="actor subject reviewer", code="id at via action before after"),
    "tenant_rules": _columns(
        tenant="tenant",
        name="author",
        rules="document",
        code="version schema_version calibration_version learned_version created_at",
    ),
    "tenant_schemas": _columns(tenant="tenant", rules="document", code="version"),
    "tenant_learned_rules": _columns(
        tenant="tenant",
        name="author",
        rules="document",
        code="version labels accuracy_before accuracy_after forced promoted_at",
    ),
    "tenant_calibrations": _columns(
        tenant="tenant",
        code="version judge evaluator_version intercept slope labels labelled_right loss_before loss_after fitted_at",
    ),
}
