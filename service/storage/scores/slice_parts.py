"""Which slices an answer is in, in SQL. The database keeps them in its row as it writes the record.

`slices_of` says which slices a record puts an answer into: the migration `0026_stored_slices` declares it, and a
change of it needs a new one.
"""

from __future__ import annotations

from evals.slices.counts import SliceKind

LONGEST_VALUE = 160
"""Most letters of a value, such as the name of a column."""
OF_RECORD = "coalesce(evaluations.slices, slices_of(evaluations.record))"
"""The slices of a row by its record, each as its kind and its value; rows of before the migration have none stored."""
ALL_SLICES = " || ".join(
    [
        OF_RECORD,
        f"ARRAY(SELECT DISTINCT '{SliceKind.REASON} ' || code FROM unnest(evaluations.reason_codes) AS code)",  # noqa: S608 fixed
        f"CASE WHEN agent_version <> '' THEN ARRAY['{SliceKind.VERSION} ' || left(agent_version, {LONGEST_VALUE})] END",
        f"CASE WHEN enrichment_status <> '' THEN ARRAY['{SliceKind.ENRICHMENT} ' || enrichment_status] END",
    ]
)
"""All slices of a row."""
_OF_COLUMNS = {
    SliceKind.VERSION: "evaluations.agent_version",
    SliceKind.ENRICHMENT: "evaluations.enrichment_status",
}
"""Kinds whose value is a column of the row. The reasons are a list of their own."""


def slice_condition(kind: SliceKind) -> str:
    """The condition that a row of `evaluations` is in the slice of this kind with the value `:slice_value`."""
    value = "CAST(:slice_value AS text)"
    if kind is SliceKind.REASON:
        return f"evaluations.reason_codes @> ARRAY[{value}]"
    if kind in _OF_COLUMNS:
        return f"left({_OF_COLUMNS[kind]}, {LONGEST_VALUE}) = {value}"
    return f"'{kind} ' || {value} = ANY ({OF_RECORD})"


def question_kind() -> str:
    """What the question of a row of `evaluations` asks for, in words; null where it was not read."""
    word = f"substr(slice, {len(SliceKind.QUESTION) + 2})"
    joined = f"string_agg({word}, ', ' ORDER BY {word})"
    return f"(SELECT {joined} FROM unnest({OF_RECORD}) AS slice WHERE starts_with(slice, '{SliceKind.QUESTION} '))"  # noqa: S608 fixed
