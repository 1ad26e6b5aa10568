"""Keeps in each answer's row the slices that its record puts it into, so that no page reads records to count them.

Revision 0026. Rows stored before have none: their records are read as before.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

revision = "0026"
down_revision = "0025"

_FIRST = "[0 to 49]"
_QUESTION = {
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
_SQL = {
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
_NAME = "jsonb_typeof(part) = 'string' AND part #>> '{}' !~ '[()*]'"
_OWN_TABLE = "NOT coalesce(s -> 'ctes', '[]') ? (part #>> '{}')"
_LEFT = "part ->> 'lhs' IS NOT NULL"
_NAMED = [
    ("table", "s", f"$.blocks{_FIRST}.tables{_FIRST}", "part #>> '{}'", _OWN_TABLE),
    ("column", "s", f"$.filters{_FIRST}.lhs", "part #>> '{}'", _NAME),
    ("column", "s", f"$.projections{_FIRST}.operand", "part #>> '{}'", _NAME),
    ("column", "s", f"$.aggregations{_FIRST}.col", "part #>> '{}'", _NAME),
    ("column", "s", f"$.group_by{_FIRST}.operand", "part #>> '{}'", _NAME),
    ("column", "s", f"$.order_by{_FIRST}.operand", "part #>> '{}'", _NAME),
    ("condition", "s", f"$.filters{_FIRST}", "(part ->> 'lhs') || ' ' || (part ->> 'op')", _LEFT),
    ("fault", "f", f"$.missing{_FIRST}", "'missing ' || (part ->> 'lhs')", _LEFT),
    ("fault", "f", f"$.mismatched{_FIRST}", "'another ' || (part ->> 'lhs')", _LEFT),
    ("fault", "f", f"$.extra{_FIRST}", "'not asked for: ' || (part ->> 'lhs')", _LEFT),
]
"""The kind, where its entries are read, what they are called, and which of them count."""


def _function() -> str:
    chosen = [
        f"CASE WHEN {holds} THEN '{kind} {words}' END"
        for kind, choices in (("question", _QUESTION), ("sql", _SQL))
        for words, holds in choices.items()
    ]
    named = [
        f"SELECT '{kind} ' || left({value}, 160) FROM jsonb_path_query({source}, '{path}') AS parts(part) WHERE {where}"  # noqa: S608 fixed
        for kind, source, path, value, where in _NAMED
    ]
    # the words that hold need no scan of their own: this runs for each answer that is stored
    return f"""
        CREATE FUNCTION slices_of(record jsonb) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
        DECLARE
            q CONSTANT jsonb := record -> 'question_spec';
            s CONSTANT jsonb := record -> 'sql_spec';
            f CONSTANT jsonb := record #> '{{alignment,filters}}';
        BEGIN
            RETURN array_remove(ARRAY[{", ".join(chosen)}], NULL) || ARRAY(
                SELECT DISTINCT value FROM ({" UNION ALL ".join(named)}) AS found(value) WHERE value IS NOT NULL
            );
        END $$
    """  # noqa: S608 fixed


def upgrade() -> None:
    """Adds the column, which rewrites no row, and a trigger that fills it whoever writes a record."""
    op.add_column("evaluations", sa.Column("slices", ARRAY(sa.Text)))
    op.execute(_function())
    op.execute(
        "CREATE FUNCTION keep_slices() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN NEW.slices := slices_of(NEW.record); RETURN NEW; END $$"
    )
    op.execute(
        "CREATE TRIGGER evaluations_slices BEFORE INSERT OR UPDATE OF record ON evaluations"
        " FOR EACH ROW EXECUTE FUNCTION keep_slices()"
    )


def downgrade() -> None:
    """Removes all three."""
    op.execute("DROP TRIGGER evaluations_slices ON evaluations")
    op.execute("DROP FUNCTION keep_slices()")
    op.execute("DROP FUNCTION slices_of(jsonb)")
    op.drop_column("evaluations", "slices")
