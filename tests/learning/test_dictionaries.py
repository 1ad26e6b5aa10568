from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from consumers.wire.rules_document import decode_rules
from learning.dictionary.dbt import read_dbt
from learning.dictionary.files import DictionaryFile, read_dictionary
from learning.dictionary.findings import DictionaryFindings

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases/dictionaries.yaml").read_text())
DDL = """
CREATE TABLE line.boats (boat_id INT PRIMARY KEY, is_demo BOOLEAN, is_active BOOLEAN, laid_up CHAR(1), sold_on DATE,
  load_pct INT, draught INT, home TEXT);
CREATE TABLE line.trips (trip_id INT PRIMARY KEY, boat_id INT, state CHAR(1), line CHAR(1), length_km INT,
  wait_min INT);
CREATE TABLE line.riders (rider_id INT PRIMARY KEY, name TEXT, is_test BOOLEAN, closed_at TIMESTAMP, plan_id INT,
  stars INT);
CREATE TABLE line.tickets (ticket_id INT PRIMARY KEY, trip_id INT REFERENCES line.trips (trip_id), rider_id INT,
  class_no INT, sold_by TEXT, state CHAR(1), price_cents INT, fee INT, is_void CHAR(1), sold_at TIMESTAMP,
  deleted_at TIMESTAMPTZ);
CREATE TABLE line.refits (refit_id INT PRIMARY KEY, boat_id INT, FOREIGN KEY (boat_id) REFERENCES line.boats);
"""


def found(text: str, *others: DictionaryFile) -> DictionaryFindings:
    return read_dictionary([DictionaryFile("words.md", text), DictionaryFile("ferries.sql", DDL), *others], "postgres")


def listed(findings: DictionaryFindings) -> list[list[str]]:
    return [
        [each.table, each.predicate, *each.when, *(() if each.required else ("optional",))]
        for each in findings.conventions
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_sentence_of_a_dictionary_is_read(case):
    read = found(case["text"])
    if "codes" in case:
        assert {column: dict(codes) for column, codes in read.codes.items()} == case["codes"]
    if "conventions" in case:
        assert listed(read) == case["conventions"]
    if "fiscal_year" in case:
        year = read.document().get("fiscal_year")
        assert (year and [year["starts"], year["named_after"], *year["words"]]) == case["fiscal_year"]
    if "look_alikes" in case:
        assert [[each.column, [*each.instead_of], *each.when] for each in read.look_alikes] == case["look_alikes"]
    if "time_zones" in case:
        assert [[each.zone, *each.columns] for each in read.time_zones] == case["time_zones"]
    if "units" in case:
        by_name = found("").units if case["text"] else {}
        assert {column: unit for column, unit in read.units.items() if by_name.get(column) != unit} == case["units"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_is_read_is_a_rules_document(case):
    assert decode_rules(found(case["text"]).document()).rules(1)


@pytest.mark.parametrize(
    ("dialect", "ddl"),
    [
        (
            "postgres",
            "CREATE TABLE pots (id INT, glaze CHAR(1)); COMMENT ON COLUMN shop.pots.glaze IS 'C clear, M matt';",
        ),
        ("postgres", "CREATE TABLE pots (\n  id INT,\n  glaze CHAR(1), -- C clear, M matt\n  size INT\n);"),
        ("postgres", "CREATE TABLE pots (\n  id INT,\n  glaze CHAR(1) /* C clear, M matt */\n);"),
        ("mysql", "CREATE TABLE `pots` (`id` INT, `glaze` CHAR(1) NOT NULL COMMENT 'C clear, M matt') ENGINE=InnoDB;"),
        ("snowflake", "CREATE OR REPLACE TABLE pots (id INT, glaze VARCHAR(1) COMMENT 'C clear, M matt');"),
        ("bigquery", 'CREATE TABLE shop.pots (id INT64, glaze STRING OPTIONS(description="C clear, M matt"));'),
        ("tsql", "CREATE TABLE [dbo].[pots] ([id] INT, [glaze] CHAR(1) NULL, -- C clear, M matt\n [size] INT)"),
    ],
)
def test_comments_in_ddl_are_read(dialect, ddl):
    read = read_dictionary([DictionaryFile("pots.sql", ddl)], dialect)
    assert {column: dict(codes) for column, codes in read.codes.items()} == {"pots.glaze": {"C": "clear", "M": "matt"}}


def test_ddl_that_is_none_is_nothing():
    assert read_dictionary([DictionaryFile("pots.sql", "CREATE TABLE pots (((; '")], "postgres").empty


def test_a_schema_of_dbt_is_read():
    read = read_dictionary([DictionaryFile("schema.yml", DBT)], None)
    assert {column: dict(codes) for column, codes in read.codes.items()} == {
        "pots.glaze": {"C": "clear", "M": "matt"},
        "pots.state": {"fired": "fired", "raw": "", "sold": "sold"},
    }
    assert dict(read.units) == {"pots.weight": "grams"}
    assert listed(read) == [["pots", "is_test = FALSE"], ["shards", "pots.is_test = FALSE"]]


DBT = """
version: 2
models:
  - name: pots
    columns:
      - name: glaze
        description: "C clear, M matt"
      - name: state
        data_tests: [{accepted_values: {arguments: {values: [fired, raw, sold]}}}]
      - name: weight
        config: {meta: {unit: grams}}
      - name: is_test
        description: Test pots. Never count them or anything hanging off them.
sources:
  - name: kiln
    tables:
      - name: shards
        columns:
          - name: pot
            tests: [unique, {relationships: {to: ref('pots'), field: id}}]
"""


@pytest.mark.parametrize("text", ["", "a: b", "- 1", "models: 3", "models: [{name: a, columns: 7}]", "{", "&a [*a]"])
def test_yaml_that_is_no_dbt_harms_nothing(text):
    read = read_dbt(text)
    assert read is None or not read.notes


def test_a_markdown_table_below_a_heading_is_read():
    text = "## trips\n\n| column | type | meaning |\n|---|---|---|\n| state | char | P planned, X called off |\n"
    assert {column: dict(codes) for column, codes in found(text).codes.items()} == {
        "trips.state": {"P": "planned", "X": "called off"}
    }


def test_without_ddl_the_words_name_the_tables():
    text = "- `pots.glaze`: C clear, M matt.\n- `pots.is_test`: never counts."
    read = read_dictionary([DictionaryFile("pots.md", text)], None)
    assert (list(read.codes), listed(read)) == (["pots.glaze"], [["pots", "is_test = FALSE"]])


def test_ddl_in_fences_of_markdown_is_read():
    text = f"# Words\n\n```sql\n{DDL}\n```\n\n- `trips.state`: P planned, X called off."
    assert list(read_dictionary([DictionaryFile("all.md", text)], "postgres").codes) == ["trips.state"]
