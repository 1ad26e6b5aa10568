"""The statement that reads the newest answers with their slices, without reading their records."""

from __future__ import annotations

from service.storage.scores.slice_parts import ALL_SLICES

_STATEMENT = """
WITH newest AS MATERIALIZED (
    SELECT id, tenant, agent, occurred_at, source, event_id, <slices> AS slices,
        1 - coalesce(p_alone, p_correct) AS loss,
        hashtextextended(CASE WHEN withheld OR question = ''
            THEN id::text ELSE concat_ws(chr(1), tenant, agent, lower(question)) END, 0) AS asked
    FROM evaluations WHERE <conditions> ORDER BY occurred_at DESC, id DESC LIMIT CAST(:most AS int)
), votes AS (
    SELECT newest.id, CAST(count(*) FILTER (WHERE label = 'wrong') - count(*) FILTER (WHERE label = 'right') AS int)
        AS lead FROM newest JOIN labels USING (tenant, source, event_id) WHERE label IN ('right', 'wrong')
    GROUP BY newest.id
), complaints AS (
    SELECT DISTINCT newest.id FROM newest JOIN feedback USING (tenant, source, event_id) WHERE satisfied IS FALSE
)
SELECT newest.id, tenant, agent, occurred_at, asked, loss, CAST((sign(lead) + 1) / 2 AS float8) AS wrong,
    complaints.id IS NOT NULL AS complained, uuid_hash_extended(newest.id, 0) AS digest, slices
FROM newest LEFT JOIN votes ON votes.id = newest.id LEFT JOIN complaints ON complaints.id = newest.id
"""


def newest_answers(conditions: str) -> str:
    """One row for each of the newest answers, with the fields of `SlicedAnswer`.

    `conditions` say which rows of `evaluations` are read. The parameters are `most` and theirs.
    """
    return _STATEMENT.replace("<conditions>", conditions).replace("<slices>", ALL_SLICES)
