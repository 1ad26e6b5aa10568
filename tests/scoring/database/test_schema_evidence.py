"""The reasons that a tenant's schema gives: unknown names, joins past a key, values of another type."""

from __future__ import annotations

import pytest

from consumers.wire.schema_document import of_ddl
from scoring.evaluation import conclude, examine
from scoring.query import Query, RunResult
from scoring.reason_kinds import FROM_DATABASE
from scoring.reasons import ReasonCode
from scoring.record import score_record
from scoring.rules import Rules
from scoring.schema import DatabaseSchema
from scoring.verdict import Case, Score
from service.judges.weights import local_judge

SCHEMA = of_ddl(
    """
    CREATE TABLE ports (code VARCHAR(5) PRIMARY KEY, city TEXT, berths INT);
    CREATE TABLE owners (id BIGINT PRIMARY KEY, name TEXT, joined DATE);
    CREATE TABLE logistics.parcels (
        id BIGINT, dest VARCHAR(5) REFERENCES ports (code), owner_id BIGINT,
        kg NUMERIC(8, 2), fragile BOOLEAN, tags TEXT[]
    );
    ALTER TABLE ONLY logistics.parcels ADD CONSTRAINT of_owner FOREIGN KEY (owner_id) REFERENCES owners (id);
    CREATE VIEW late AS SELECT * FROM logistics.parcels;
    """,
    "postgres",
).schema_of_database()


def scored(
    sql: str, schema: DatabaseSchema | None = SCHEMA, dialect: str | None = None, result: RunResult | None = None
) -> Score:
    query = Query(question="How many parcels go to Faro?", sql=sql, dialect=dialect, result=result)
    case = examine(query, Rules(schema=schema))
    assert isinstance(case, Case)
    return conclude(case, local_judge().judge(case))


def codes(sql: str, dialect: str | None = None) -> set[str]:
    return {each.code.value for each in scored(sql, dialect=dialect).reply.reasons if each.code in FROM_DATABASE}


FINE = [
    "SELECT COUNT(*) FROM parcels WHERE dest = 'FAO'",
    'SELECT COUNT(*) FROM "logistics"."PARCELS" AS p WHERE p."DEST" = \'FAO\'',
    "SELECT COUNT(*) FROM db.logistics.parcels p JOIN ports q ON p.dest = q.code WHERE q.city = 'Faro'",
    "WITH f AS (SELECT code AS c FROM ports WHERE city = 'Faro') SELECT COUNT(*) FROM parcels JOIN f ON dest = f.c",
    "SELECT COUNT(*) FROM parcels p WHERE EXISTS (SELECT 1 FROM ports WHERE code = dest AND city = 'Faro')",
    "SELECT x.total FROM (SELECT COUNT(*) AS total FROM parcels) AS x",
    "SELECT dest, COUNT(*) AS many FROM parcels GROUP BY dest HAVING COUNT(*) > 1 ORDER BY many DESC",
    "SELECT COUNT(*) FROM late WHERE whatever = 1",
    "SELECT rowid, id FROM parcels WHERE kg > 20 AND fragile = 'true' AND kg = '20.5' AND owner_id IN ('7', '8')",
    "SELECT COUNT(*) FROM parcels, ports WHERE parcels.dest = ports.code",
    "SELECT COUNT(*) FROM generate_series(1, 3) AS g JOIN parcels ON parcels.id = g",
    "SELECT COUNT(*) FROM parcels, UNNEST(tags) AS t(tag) WHERE tag = 'Faro'",
    "SELECT a.id FROM parcels a JOIN parcels b ON a.id = b.owner_id",
    "SELECT kg * 2 AS twice, twice + 1 AS more FROM parcels",
    "SELECT COUNT(p) FROM parcels p",
    "SELECT parcels FROM parcels",
    "SELECT p.tags.first FROM parcels AS p",
]


@pytest.mark.parametrize("sql", FINE)
def test_what_the_schema_has_is_not_accused(sql: str) -> None:
    assert codes(sql) <= {"JOIN_DECLARED"}


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SELECT COUNT(*) FROM parcles", "TABLE_UNKNOWN"),
        ("SELECT COUNT(*) FROM parcels p JOIN harbours h ON p.dest = h.code", "TABLE_UNKNOWN"),
        ("SELECT COUNT(*) FROM parcels WHERE town = 'Faro'", "COLUMN_UNKNOWN"),
        ("SELECT COUNT(*) FROM parcels p JOIN ports q ON p.dest = q.code WHERE p.city = 'Faro'", "COLUMN_UNKNOWN"),
        ("SELECT COUNT(*) FROM parcels p JOIN ports q ON p.dest = q.code WHERE town = 'Faro'", "COLUMN_UNKNOWN"),
        ("SELECT COUNT(*) FROM parcels WHERE dest IN (SELECT code FROM ports WHERE town = 'Faro')", "COLUMN_UNKNOWN"),
        ("SELECT town AS town FROM parcels", "COLUMN_UNKNOWN"),
        ("SELECT logistics.parcels.town FROM logistics.parcels", "COLUMN_UNKNOWN"),
        ("SELECT COUNT(*) FROM parcels WHERE owner_id = 'Ann'", "TYPE_UNLIKE"),
        ("SELECT COUNT(*) FROM parcels WHERE owner_id IN ('7', 'Ann')", "TYPE_UNLIKE"),
        ("SELECT COUNT(*) FROM parcels p JOIN ports q ON p.owner_id = q.city", "TYPE_UNLIKE"),
        ("SELECT COUNT(*) FROM parcels p JOIN owners o ON p.id = o.id", "JOIN_UNDECLARED"),
        ("SELECT COUNT(*) FROM parcels p, owners o WHERE p.id = o.id", "JOIN_UNDECLARED"),
    ],
)
def test_what_the_schema_does_not_have_is_found(sql: str, code: str) -> None:
    assert code in codes(sql)
    assert scored(sql).reply.p_correct < scored(sql, None).reply.p_correct


def test_a_text_in_double_quotes_is_no_column_where_the_dialect_allows_it() -> None:
    sql = 'SELECT COUNT(*) FROM ports WHERE city LIKE "%Faro%"'
    assert codes(sql, "sqlite") == set()
    assert codes('SELECT COUNT(*) FROM ports WHERE city = "Faro"', "postgres") == {"COLUMN_UNKNOWN"}


def test_a_declared_key_excuses_no_more_than_names_accused() -> None:
    sql = "SELECT COUNT(*) FROM parcels p JOIN ports q ON p.dest = q.code WHERE q.city = 'Faro'"
    with_schema, alone = scored(sql), scored(sql, None)
    accused = [each for each in alone.reply.reasons if each.code is ReasonCode.JOIN_UNLIKE_KEYS]
    assert accused
    assert alone.reply.p_correct < with_schema.reply.p_correct
    [excused] = [each.weight for each in with_schema.reply.reasons if each.code is ReasonCode.JOIN_DECLARED]
    assert 0 < excused <= -sum(each.weight for each in accused)
    assert "JOIN_DECLARED" in codes(sql)


@pytest.mark.parametrize("sql", FINE)
def test_without_a_schema_nothing_changes(sql: str) -> None:
    query = Query(question="How many parcels go to Faro?", sql=sql)
    case = examine(query, Rules())
    assert isinstance(case, Case)
    assert score_record(scored(sql, None)) == score_record(conclude(case, local_judge().judge(case)))
    assert not {each.code for each in scored(sql, None).reply.reasons} & FROM_DATABASE


def test_a_claim_that_it_ran_does_not_outweigh_the_schema() -> None:
    sql = "SELECT COUNT(*) FROM parcels WHERE town = 'Faro'"
    claimed = scored(sql, result=RunResult(executed=True, rows=1))
    assert claimed.reply.p_correct < 0.15
