"""Names in humps are read as words, with a schema and rules too, and run by their own names."""

from __future__ import annotations

import pytest

from consumers.wire.schema_document import SchemaDocument
from references.equivalence.pair import EquivalenceVerdict, Pair
from references.equivalence.verify import verify
from scoring.database.schema_evidence import weigh_schema
from scoring.evaluation import examine
from scoring.query import Query
from scoring.reasons import ReasonCode
from scoring.rules import Rules
from scoring.schema import ColumnType
from scoring.specification import SqlSpec
from scoring.sql import specify
from scoring.verdict import Case
from sqlassay import Scorer

ORDERS = SchemaDocument.model_validate(
    {
        "tables": [
            {
                "name": "SalesOrder",
                "columns": [{"name": "OrderDate", "type": "date"}, {"name": "CustomerID", "type": "int"}],
                "foreign_keys": [{"columns": ["CustomerID"], "table": "Customer", "references": ["CustomerID"]}],
            },
            {
                "name": "Customer",
                "columns": [{"name": "CustomerID", "type": "int"}, {"name": "FullName", "type": "text"}],
            },
        ]
    }
).schema_of_database()
QUESTION = "Total weight of the express parcels shipped in May 2025"
HUMPED = (
    "SELECT SUM(ParcelWeight) FROM ExpressParcels WHERE IsDeleted = 0 AND ShippedAt >= '2025-05-01' AND "
    "ShippedAt < '2025-06-01'"
)
PLAIN = (
    "SELECT SUM(parcel_weight) FROM express_parcels WHERE is_deleted = 0 AND shipped_at >= '2025-05-01' AND "
    "shipped_at < '2025-06-01'"
)


@pytest.mark.parametrize("rules", [None, {"conventions": [{"table": "ExpressParcels", "predicate": "IsDeleted = 0"}]}])
def test_a_name_in_humps_scores_as_the_same_words_with_underscores(rules: dict[str, object] | None) -> None:
    scorer = Scorer(rules)
    one, other = (scorer.score(question=QUESTION, sql=sql, dialect="tsql") for sql in (HUMPED, PLAIN))
    assert one.p_correct == other.p_correct
    assert [each.code for each in one.reasons] == [each.code for each in other.reasons]


def test_another_spelling_of_the_name_is_the_same_name() -> None:
    spec = specify("SELECT orderdate FROM Orders WHERE OrderDate > '2025-01-01'", "tsql")
    assert isinstance(spec, SqlSpec)
    assert {column.name for column in spec.columns} == {"order_date"}


@pytest.mark.parametrize(
    ("sql", "unknown"),
    [
        ("SELECT OrderDate FROM SalesOrder", ()),
        ("SELECT orderdate FROM salesorder", ()),
        ("SELECT OrderDay FROM SalesOrder", ("salesorder.orderday",)),
        ("SELECT order_date FROM SalesOrder", ("salesorder.order_date",)),
    ],
)
def test_a_schema_in_humps_knows_its_names_as_the_database_does(sql: str, unknown: tuple[str, ...]) -> None:
    spec = specify(sql, "tsql", ORDERS)
    assert isinstance(spec, SqlSpec)
    assert spec.unknown is not None
    assert spec.unknown.columns == unknown


@pytest.mark.parametrize("key", ["o.CustomerID", "o.customerid"])
def test_the_keys_and_types_of_a_schema_in_humps_hold_for_every_spelling(key: str) -> None:
    sql = f"SELECT c.FullName, COUNT(*) FROM SalesOrder o JOIN Customer c ON {key} = c.CustomerID GROUP BY c.FullName"
    looked = examine(Query(question="Orders per customer", sql=sql, dialect="tsql"), Rules(schema=ORDERS))
    assert isinstance(looked, Case)
    codes = [each.code for each in weigh_schema(looked, ())]
    assert ReasonCode.JOIN_UNDECLARED not in codes
    assert ReasonCode.TYPE_UNLIKE not in codes
    assert ORDERS.kind("sales_order", "order_date") is ColumnType.TIME


def test_queries_with_names_in_humps_are_run_by_their_own_names() -> None:
    schema = "CREATE TABLE SalesOrder (OrderId INTEGER PRIMARY KEY, OrderTotal INTEGER NOT NULL)"
    pair = Pair(
        sql_a="SELECT OrderId FROM SalesOrder WHERE OrderTotal > 5",
        sql_b="SELECT OrderId FROM SalesOrder WHERE OrderTotal >= 6",
        schema=schema,
        dialect="sqlite",
    )
    assert verify(pair, bound=1).verdict is EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND
