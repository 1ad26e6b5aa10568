"""`sqlassay eval run` and the judge's evidence name the same tables and columns as unknown."""

from __future__ import annotations

from pathlib import Path

from consumers.wire.schema_document import of_ddl
from scoring.database.schema_evidence import MOST_NAMED
from scoring.evaluation import conclude, examine
from scoring.query import Query
from scoring.reasons import ReasonCode
from scoring.rules import Rules
from scoring.verdict import Case
from service.judges.weights import local_judge
from tests.evals.runner.weaving import DDL, GOLDS, Mill, case, lines
from tests.scoring.sql.named_queries import GROUNDED, INVENTED

VIEW = "CREATE VIEW yarn_view AS SELECT * FROM mills;"
QUERIES = {
    f"q{number}": sql
    for number, sql in enumerate([*GROUNDED.strip().splitlines(), *(each[0] for each in INVENTED)])
    # values alone, and a look at the catalogue, have no score
    if "information_schema" not in sql and not sql.startswith("VALUES")
}
CODES = (ReasonCode.TABLE_UNKNOWN, ReasonCode.COLUMN_UNKNOWN)


def names_in_reasons(sql: str) -> list[list[str]]:
    schema = of_ddl(DDL + VIEW, "sqlite").schema_of_database()
    looked = examine(Query(question=GOLDS["count"][0], sql=sql), Rules(schema=schema))
    assert isinstance(looked, Case), sql
    reasons = {each.code: each.detail for each in conclude(looked, local_judge().judge(looked)).reply.reasons}
    said = [reasons.get(code, ": ").partition(": ")[2] for code in CODES]
    return [each.split(", ") if each else [] for each in said]


def test_both_uses_name_the_same(tmp_path: Path) -> None:
    mill = Mill(tmp_path)
    lines(mill.benchmark, [{**case("count"), "case_id": each} for each in QUERIES])
    (tmp_path / "weaving.sql").write_text(DDL + VIEW)
    recorded = mill.recorded(dict(QUERIES), "--schemas", mill.ddl)
    assert {name: each["grounding_ok"] for name, each in recorded.items()}.keys() == QUERIES.keys()
    for name, each in recorded.items():
        assert each["grounding_ok"] is not None, (each["case_id"], QUERIES[name])
        by_eval = [each["hallucinated_tables"][:MOST_NAMED], each["hallucinated_columns"][:MOST_NAMED]]
        assert by_eval == names_in_reasons(QUERIES[name]), QUERIES[name]
    assert sum(each["grounding_ok"] is False for each in recorded.values()) == len(INVENTED)
