"""Which slices an answer is in, in SQL: of all kinds, and whether it is in one."""

from __future__ import annotations

from evals.slices.counts import SliceKind

MOST_PARTS = 50
"""Most entries of one list of a record that are read, such as its conditions: records may be huge."""
LONGEST_VALUE = 160
"""Most letters of a value, such as the name of a column."""
_FIRST = f"[0 to {MOST_PARTS - 1}]"
_SHAPES = {
    "a count": """q @? '$.aggregations[*] ? (@.func like_regex "count" flag "i")'""",
    "a sum": """q @? '$.aggregations[*] ? (@.func like_regex "sum" flag "i")'""",
    "an average": """q @? '$.aggregations[*] ? (@.func like_regex "avg" flag "i")'""",
    "a minimum or maximum": """q @? '$.aggregations[*] ? (@.func like_regex "^(min|max)" flag "i")'""",
    "a ranking": "q @? '$.superlatives[*]' OR q ->> 'top_k' IS NOT NULL",
    "an order": "jsonb_typeof(q -> 'ordering') = 'object'",
    "a time": "q @? '$.time_ranges[*]'",
    "a negation": "q @? '$.negations[*]'",
    "a ratio": "q @? '$.ratios[*]'",
    "different values": "q -> 'distinct' = 'true'",
    "one line for each group": "q @? '$.group_by[*]'",
    "yes or no": "q -> 'yes_no' = 'true'",
    "several things": "q @? '$ ? (@.parts > 1)'",
    "no condition": "q @? '$ ? (@.filters.size() == 0)'",
    "one condition": "q @? '$ ? (@.filters.size() == 1)'",
    "two conditions": "q @? '$ ? (@.filters.size() == 2)'",
    "three or more conditions": "q @? '$ ? (@.filters.size() > 2)'",
}
"""What the question asks for, with the condition on its specification."""
_BUILDS = {
    "no join": "s @? '$ ? (@.joins.size() == 0)'",
    "one join": "s @? '$ ? (@.joins.size() == 1)'",
    "several joins": "s @? '$ ? (@.joins.size() > 1)'",
    "a subquery": "s @? '$.subqueries[*]'",
    "a set operation": "s @? '$.set_operations[*]'",
    "a window": "s @? '$.windows[*]'",
    "a CTE": "s @? '$.ctes[*]'",
    "a division": "s @? '$.divisions[*]'",
    "DISTINCT": "s -> 'distinct' = 'true'",
    "HAVING": "s @? '$.having[*]'",
    "LIMIT": "s @? '$.limits[*]'",
}
"""How the SQL is built, with the condition on its specification."""
_FAULTS = {"missing": "missing", "mismatched": "another", "extra": "not asked for:"}
"""A list of the alignment, and what is said before the column."""
_COLUMNS = ("filters{}.lhs", "projections{}.operand", "aggregations{}.col", "group_by{}.operand", "order_by{}.operand")


def _chosen(kind: SliceKind, choices: dict[str, str]) -> str:
    each = ", ".join(f"('{words}', {condition})" for words, condition in choices.items())
    return f"SELECT '{kind}', words FROM (VALUES {each}) AS c(words, holds) WHERE holds"  # noqa: S608 fixed


def _named(kind: SliceKind, path: str, *, source: str = "s", value: str = "part #>> '{}'", where: str = "true") -> str:
    parts = f"jsonb_path_query({source}, '$.{path.format(_FIRST)}') AS parts(part)"
    return f"SELECT '{kind}', {value} FROM {parts} WHERE {where}"  # noqa: S608 fixed


def every_slice() -> str:
    """The slices of one answer; `UNION` leaves out repeated ones."""
    return "\nUNION ".join(part for _, part in _parts())


def _parts() -> list[tuple[SliceKind, str]]:
    """The statements that give the slices of one answer, each with their kind."""
    name = "jsonb_typeof(part) = 'string' AND part #>> '{}' !~ '[()*]'"
    own_table = "NOT coalesce(s -> 'ctes', '[]') ? (part #>> '{}')"
    with_column = "part ->> 'lhs' IS NOT NULL"
    condition = "(part ->> 'lhs') || ' ' || (part ->> 'op')"
    return [
        (SliceKind.VERSION, f"SELECT '{SliceKind.VERSION}', agent_version WHERE agent_version IS NOT NULL"),
        (
            SliceKind.ENRICHMENT,
            f"SELECT '{SliceKind.ENRICHMENT}', enrichment_status WHERE enrichment_status IS NOT NULL",
        ),
        (SliceKind.REASON, f"SELECT '{SliceKind.REASON}', unnest(reason_codes)"),
        (SliceKind.QUESTION, _chosen(SliceKind.QUESTION, _SHAPES)),
        (SliceKind.SQL, _chosen(SliceKind.SQL, _BUILDS)),
        (SliceKind.TABLE, _named(SliceKind.TABLE, f"blocks{{}}.tables{_FIRST}", where=own_table)),
        *((SliceKind.COLUMN, _named(SliceKind.COLUMN, path, where=name)) for path in _COLUMNS),
        (SliceKind.CONDITION, _named(SliceKind.CONDITION, "filters{}", value=condition, where=with_column)),
        *(
            (SliceKind.FAULT, _named(SliceKind.FAULT, f"{place}{{}}", source="f", value=said, where=with_column))
            for place, said in ((each, f"'{words} ' || (part ->> 'lhs')") for each, words in _FAULTS.items())
        ),
    ]


def slice_condition(kind: SliceKind) -> str:
    """The condition that a row of `evaluations` is in the slice of this kind with the value `:slice_value`."""
    parts = "\nUNION ALL ".join(part for own, part in _parts() if own is kind)
    row = (
        "SELECT evaluations.record -> 'question_spec' AS q, evaluations.record -> 'sql_spec' AS s,"
        " evaluations.record #> '{alignment,filters}' AS f, evaluations.agent_version,"
        " evaluations.enrichment_status, evaluations.reason_codes"
    )
    slices = f"SELECT FROM ({row}) AS own CROSS JOIN LATERAL ({parts}) AS slices(kind, value)"
    return f"EXISTS ({slices} WHERE left(value, {LONGEST_VALUE}) = CAST(:slice_value AS text))"


def question_kind() -> str:
    """What the question of a row of `evaluations` asks for, in words; null where it was not read."""
    row = "SELECT evaluations.record -> 'question_spec' AS q"
    shapes = _chosen(SliceKind.QUESTION, _SHAPES)
    joined = "string_agg(value, ', ' ORDER BY value)"
    return f"(SELECT {joined} FROM ({row}) AS own CROSS JOIN LATERAL ({shapes}) AS shapes(kind, value))"  # noqa: S608 fixed
