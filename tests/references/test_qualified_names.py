"""Names with a schema and a catalogue: they change no verdict, and keep the tables of two schemas apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from references.ddl import read_schema
from references.judging import judge_answer
from references.names import TableNames, parts_in
from references.reference_verdict import AnswerPair, ReferenceVerdict
from references.schema import BadSchema
from scoring.sql.dialects import KNOWN_DIALECTS, canonical_dialect

DOCUMENT: dict[str, Any] = yaml.safe_load(
    (Path(__file__).parents[1] / "cases" / "qualified_names.yaml").read_text(encoding="utf-8")
)
DIALECTS = sorted({name for each in KNOWN_DIALECTS if (name := canonical_dialect(each))})
TWO_SCHEMAS: list[dict[str, str]] = DOCUMENT["two schemas"]


def found(reference: str, answer: str, dialect: str | None, schema: str | None) -> tuple[str, str | None]:
    pair = AnswerPair(reference=reference, answer=answer, dialect=dialect, schema=schema)
    finding = judge_answer(pair, bound=1)
    return finding.verdict.value, finding.level.value if finding.level else None


@pytest.mark.slow  # a search for each case and dialect
@pytest.mark.parametrize("dialect", DIALECTS)
def test_wrong_answers_are_refuted_and_right_ones_are_not_whatever_stands_before_the_names(dialect: str) -> None:
    for schema, most in ((DOCUMENT["schema"], 4), (None, 1)):
        for name, equal in (("wrong", False), ("right", True)):
            for answer in DOCUMENT[name][:most]:
                bare, *qualified = (
                    found(DOCUMENT["reference"].format(q=q), answer.format(q=q), dialect, schema)
                    for q in ("", "shop.", "company.shop.")
                )
                assert (bare[0] == ReferenceVerdict.EQUIVALENT) is equal, (answer, bare)
                assert equal or bare == ("different", "S0"), (answer, bare)
                assert qualified == [bare, bare], answer


@pytest.mark.parametrize("dialect", ["sqlite", "postgres", "bigquery", "tsql", "mysql", "snowflake"])
def test_ddl_may_name_the_schema_or_not(dialect: str) -> None:
    named = DOCUMENT["schema"].replace("CREATE TABLE ", "CREATE TABLE shop.")
    for answer in (DOCUMENT["wrong"][0], DOCUMENT["right"][0]):
        ways = {
            found(DOCUMENT["reference"].format(q=q), answer.format(q=q), dialect, schema)
            for q in ("", "shop.", "company.shop.")
            for schema in (DOCUMENT["schema"], named)
        }
        assert len(ways) == 1, (answer, ways)


@pytest.mark.parametrize("case", TWO_SCHEMAS, ids=[each["name"] for each in TWO_SCHEMAS])
def test_two_tables_of_one_name_keep_apart(case: dict[str, str]) -> None:
    schema = DOCUMENT["schemas"][case["schema"]] if case["schema"] else None
    assert found(case["a"], case["b"], case.get("dialect", "postgres"), schema)[0] == case["verdict"]


@pytest.mark.parametrize("case", DOCUMENT["ddl"], ids=[each["name"] for each in DOCUMENT["ddl"]])
def test_ddl_of_other_dialects_is_read_without_naming_the_dialect(case: dict[str, Any]) -> None:
    read = read_schema(case["ddl"])
    assert not isinstance(read, BadSchema), read
    tables = {
        table.name: {column.name: column.kind.value for column in table.columns} for table in read.tables.values()
    }
    assert tables == case["tables"]


def test_keys_and_references_of_t_sql_are_read() -> None:
    case = next(each for each in DOCUMENT["ddl"] if each["name"].startswith("T-SQL as"))
    read = read_schema(case["ddl"], dialect="tsql")
    assert not isinstance(read, BadSchema), read
    keys = {name: [key.columns for key in table.keys] for name, table in read.tables.items()}
    assert keys == {"customers": [("id",), ("name",)], "orders": [("id",)]}
    assert [(each.table, each.column, each.parent) for each in read.references] == [
        ("orders", "customer_id", "customers")
    ]


def test_what_is_wrong_with_ddl_is_said_in_its_own_dialect() -> None:
    read = read_schema("CREATE TABLE [t] ([id] INT NOT NULL, n INT", dialect="tsql")
    assert isinstance(read, BadSchema)
    assert read.detail.startswith("the schema does not parse: ")


def test_a_longer_name_and_its_end_are_one_table() -> None:
    names = TableNames.of([parts_in("orders"), parts_in("shop.orders"), parts_in("p.shop.orders")])
    assert names.tables(("orders",)) == (("p", "shop", "orders"),)
    assert names.flat(("p", "shop", "orders")) == "orders"
    assert TableNames.of([("shop", "orders")], taken=["ORDERS"]).flat(("shop", "orders")) == "shop.orders"


def test_a_linked_server_before_a_name_changes_no_verdict() -> None:
    reference = "SELECT COUNT(*) FROM [srv].[shop].[dbo].[orders] o WHERE o.status = 'paid'"
    schema = "CREATE TABLE orders (id INT PRIMARY KEY, status VARCHAR(9) NOT NULL, city VARCHAR(9) NOT NULL)"
    right, wrong = "SELECT COUNT(id) FROM shop..orders WHERE status = 'paid'", "SELECT COUNT(*) FROM shop.dbo.orders"
    assert found(reference, right, "tsql", schema)[0] == ReferenceVerdict.EQUIVALENT
    assert found(reference, wrong, "tsql", schema) == ("different", "S0")
