"""What a schema may be sent as, and what is refused with the fix."""

from __future__ import annotations

import json

import pytest

from consumers.wire.schema_document import MAX_SCHEMA_BYTES, MOST_COLUMNS, InvalidSchema, SchemaDocument, decode_schema
from scoring.schema import ColumnType

DDL = """
-- who ships what
CREATE EXTENSION IF NOT EXISTS pgcrypto;
CREATE TABLE public.owners (id bigint NOT NULL, "Full Name" character varying(40), born date, vip boolean, prefs jsonb);
CREATE TABLE public.parcels (id bigint, owner bigint, kg numeric(8,2));
CREATE VIEW late AS SELECT id FROM public.parcels;
ALTER TABLE ONLY public.owners ADD CONSTRAINT owners_key PRIMARY KEY (id);
ALTER TABLE ONLY public.parcels ADD CONSTRAINT parcels_owner FOREIGN KEY (owner) REFERENCES public.owners(id);
CREATE INDEX parcels_kg ON public.parcels USING btree (kg);
COMMENT ON TABLE public.owners IS 'Ann said so';
"""


def test_ddl_as_a_dump_writes_it_becomes_a_catalogue() -> None:
    document = decode_schema(DDL.encode(), as_json=False)
    schema = document.schema_of_database()
    assert {name: {column: kind.value for column, kind in each.items()} for name, each in schema.tables.items()} == {
        "owners": {"id": "number", "full name": "text", "born": "time", "vip": "other", "prefs": "other"},
        "parcels": {"id": "number", "owner": "number", "kg": "number"},
    }
    assert (schema.open_tables, schema.keys) == ({"late"}, {("owners.id", "parcels.owner")})
    assert "Ann" not in document.model_dump_json()


@pytest.mark.parametrize("raw", [{"ddl": DDL}, {"ddl": DDL, "dialect": "postgres"}, {"ddl": DDL, "dialect": None}])
def test_ddl_in_json_is_the_same(raw: object) -> None:
    assert decode_schema(json.dumps(raw).encode()) == decode_schema(DDL.encode())


def test_a_catalogue_survives_being_stored() -> None:
    document = decode_schema(DDL.encode())
    again = SchemaDocument.model_validate_json(document.model_dump_json())
    assert again.schema_of_database() == document.schema_of_database()
    assert decode_schema(document.model_dump_json().encode()) == document


def test_tables_of_the_same_name_in_two_schemas_have_the_columns_of_both() -> None:
    schema = decode_schema(b"CREATE TABLE a.t (x INT); CREATE TABLE b.T (y TEXT)").schema_of_database()
    assert set(schema.tables) == {"t"}
    assert schema.tables["t"]["x"] is ColumnType.NUMBER


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"", ["CREATE TABLE"]),
        (b"SELECT 1", ["CREATE TABLE"]),
        (b"CREATE TABLE t (", ["CREATE TABLE"]),
        (b"\xff", ["byte 0", "UTF-8"]),
        (b"{", ["not JSON"]),
        (b"[]", ["an array", "tables"]),
        (b"{}", ["tables"]),
        (b'{"tables": []}', ["tables"]),
        (b'{"tables": [{"name": "t", "columns": [{"name": "x", "kind": "int"}]}]}', ["tables.0.columns.0.kind"]),
        (b'{"tables": [{"name": "t", "columns": "x"}]}', ["tables.0.columns"]),
        (b'{"tables": [{"name": "a\\u0000b"}]}', ["U+0000", "remove it"]),
        (b'{"tables": [{"name": "a\\ud800b"}]}', []),
        (b'{"ddl": 1}', ["ddl"]),
        (b'{"ddl": "CREATE TABLE t (x INT)", "tables": []}', ["only `dialect`"]),
        (
            b'{"tables": [{"name": "t", "foreign_keys":'
            b' [{"columns": ["a"], "table": "u", "references": ["b", "c"]}]}]}',
            ["as many on both sides"],
        ),
        (b"-" * (MAX_SCHEMA_BYTES + 1), ["at most"]),
    ],
)
def test_what_is_no_schema_is_refused_with_what_is_wrong(raw: bytes, says: list[str]) -> None:
    with pytest.raises(InvalidSchema) as refusal:
        decode_schema(raw)
    assert [word for word in says if word not in str(refusal.value)] == []


def test_columns_of_all_tables_together_are_bounded() -> None:
    columns = [{"name": f"c{n}"} for n in range(MOST_COLUMNS // 2 + 1)]
    with pytest.raises(InvalidSchema, match="columns"):
        decode_schema(
            json.dumps({"tables": [{"name": "a", "columns": columns}, {"name": "b", "columns": columns}]}).encode()
        )
