"""The statement that puts the newest answers into slices and sums them: PostgreSQL reads each record once."""

from __future__ import annotations

from service.storage.scores.slice_parts import LONGEST_VALUE, every_slice

_STATEMENT = """
WITH newest AS MATERIALIZED (
    SELECT id, occurred_at, tenant, agent, agent_version, source, event_id, reason_codes, enrichment_status, record,
        1 - coalesce(p_alone, p_correct) AS loss, hashtextextended(CASE WHEN withheld OR question = ''
            THEN id::text ELSE concat_ws(chr(1), tenant, agent, lower(question)) END, 0) AS asked
    FROM evaluations WHERE <conditions> ORDER BY occurred_at DESC, id DESC LIMIT CAST(:most AS int)
), votes AS (
    SELECT newest.id, CAST(count(*) FILTER (WHERE label = 'wrong') - count(*) FILTER (WHERE label = 'right') AS int)
        AS lead FROM newest JOIN labels USING (tenant, source, event_id) WHERE label IN ('right', 'wrong')
    GROUP BY newest.id
), answers AS MATERIALIZED (
    SELECT id, occurred_at, tenant, agent, agent_version, reason_codes, enrichment_status, loss, asked,
        (sign(lead) + 1) / 2 AS wrong, to_char(loss, 'FM0.000000') || id AS place,
        uuid_hash_extended(id, 0) AS digest, record -> 'question_spec' AS q, record -> 'sql_spec' AS s,
        record #> '{alignment,filters}' AS f FROM newest LEFT JOIN votes USING (id)
), asked AS MATERIALIZED (
    SELECT tenant, agent, asked, count(*) AS answers, sum(loss) AS loss FROM answers GROUP BY tenant, agent, asked
), agents AS MATERIALIZED (
    SELECT tenant, agent, sum(answers) AS answers, count(*) AS questions, sum(loss) AS loss,
        sum(loss / answers) AS question_loss, sum(power(loss / answers, 2)) AS squares,
        sum(power(loss / answers, 3)) AS cubes FROM asked GROUP BY tenant, agent
), parts AS (
    SELECT asked, kind, left(value, <longest>) COLLATE "C" AS value, loss, wrong, place, digest
    FROM answers CROSS JOIN LATERAL (<slices>) AS slices(kind, value)
), by_question AS MATERIALIZED (
    SELECT asked, kind, value, count(*) AS answers, sum(loss) AS loss, count(wrong) AS labelled,
        sum(wrong) AS labelled_wrong, bit_xor(digest) AS members, max(place COLLATE "C") AS worst
    FROM parts GROUP BY asked, kind, value
), slices AS MATERIALIZED (
    SELECT tenant, agent, kind, value, sum(own.answers) AS answers, count(*) AS questions, sum(own.loss) AS loss,
        sum(own.loss / own.answers) AS question_loss, sum(power(own.loss / own.answers, 2)) AS squares,
        sum(power(own.loss / own.answers, 3)) AS cubes,
        sum(own.labelled) AS labelled, sum(own.labelled_wrong) AS labelled_wrong,
        bit_xor(own.members) AS members, right(max(worst), 36) AS example
    FROM by_question AS own JOIN asked USING (asked) GROUP BY tenant, agent, kind, value
)
SELECT tenant, agent, NULL AS kind, NULL AS value, agents.answers, questions, agents.loss, question_loss, squares,
    cubes, count(wrong) AS labelled, coalesce(sum(wrong), 0) AS labelled_wrong, '' AS members, '' AS example,
    min(occurred_at) AS first, max(occurred_at) AS last
FROM agents JOIN answers USING (tenant, agent)
GROUP BY tenant, agent, agents.answers, questions, agents.loss, question_loss, squares, cubes
UNION ALL SELECT tenant, agent, kind, value, answers, questions, loss, question_loss, squares, cubes, labelled,
    coalesce(labelled_wrong, 0), members || '/' || answers, example, NULL, NULL
FROM slices WHERE questions >= CAST(:least AS int)
UNION ALL SELECT '', '', NULL, 'few', count(*), 0, 0, 0, 0, 0, 0, 0, '', '', NULL, NULL
FROM slices WHERE questions < CAST(:least AS int)
"""


def slices_statement(conditions: str) -> str:
    """Rows of whole agents, of slices, and one with the number of slices with too few questions.

    `conditions` say which rows of `evaluations` are read. The parameters are `most`, `least` and theirs.
    """
    parts = {"<conditions>": conditions, "<longest>": str(LONGEST_VALUE), "<slices>": every_slice()}
    statement = _STATEMENT
    for place, part in parts.items():
        statement = statement.replace(place, part)
    return statement
