"""What search refutes of an answer that passed on its database: a doubt, or the finding that a model is shown."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from evals.runner.answers import ComparedBy, Equivalence, EquivalenceFinding
from evals.runner.precedence import decide
from evals.runner.verified import AnswerVerification, Verified
from service.commands.eval.runner.refuted import with_refutation
from tests.evals.runner.test_gold_opinions import asked, opinion, run, said
from tests.evals.runner.weaving import Mill
from tests.servers.model_server import ModelServer, model_process_server, model_server

__all__ = ["model_process_server", "model_server"]

LUCKY: dict[str, str | None] = {"count": "SELECT 4", "widest": "SELECT name FROM looms WHERE width > 100"}


@pytest.fixture
def mill(tmp_path: Path) -> Mill:
    return Mill(tmp_path)


def test_without_a_model_a_lucky_answer_passes_with_a_doubt(mill: Mill) -> None:
    found = mill.recorded(LUCKY, "--databases", mill.databases, "--schemas", mill.ddl)
    for name in LUCKY:
        assert found[name]["ex_verified"]["level"] == "S0"
        assert (found[name]["equivalence"], found[name]["pass"]) == ("equivalent", True)
        assert "other rows on a small database with ordinary data" in found[name]["doubt"]
    assert mill.summary()["doubtful"] == 2


@pytest.mark.slow  # asks a server
def test_with_a_model_a_lucky_answer_stays_refuted_unless_the_question_allows_both(
    mill: Mill, model_server: ModelServer
) -> None:
    expected = {
        ("equivalent", False): ("different", False),
        ("different", True): ("different", False),
        ("equivalent", True): ("partially_equivalent", True),
    }
    for (word, both), found in expected.items():
        model_server.script({"do": "text", "text": said(word, both=both)})
        shutil.rmtree(mill.folder / "run", ignore_errors=True)
        options = ("--judge", "llm", "--databases", mill.databases, "--schemas", mill.ddl)
        record = run(mill, model_server, {"count": LUCKY["count"]}, *options, SQLASSAY_JUDGE__MASK="false")["count"]
        assert (record["equivalence"], record["pass"]) == found
        comparison = record["opinions"]["comparison"]
        assert (comparison["equivalence"], comparison["compared_by"]) == ("different", "schema")
        assert record["ex_verified"]["outcome"] == "refuted", "the figures of the study stay"
        [data] = asked(model_server, "comparison-1")
        assert set(data["witness"]["tables"]) == {"looms"}
        assert data["witness"]["gold_result"] != data["witness"]["answer_result"]
        assert data["gold_result"] == {**data["answer_result"], "columns": data["gold_result"]["columns"]}
        assert "other rows on a small database with ordinary data" in data["finding"]


@pytest.mark.slow  # asks a server
def test_a_refutation_stands_where_the_model_does_not_reply(mill: Mill, model_server: ModelServer) -> None:
    model_server.script({"do": "status", "status": 500, "headers": {}})
    options = ("--judge", "llm", "--databases", mill.databases, "--schemas", mill.ddl)
    record = run(mill, model_server, {"widest": LUCKY["widest"]}, *options)["widest"]
    assert (record["equivalence"], record["pass"], record["opinions"]["decided_by"]) == (
        "different",
        False,
        "comparison",
    )


COUNTEREXAMPLE: dict[str, Any] = {
    "tables": {"looms": {"columns": ["id"], "rows": [[1], [2]]}},
    "result_a": {"columns": ["n"], "rows": [[2]]},
    "result_b": {"columns": ["n"], "rows": [[4]]},
    "minimal": True,
}


def refuted(level: str = "S0", **changed: Any) -> AnswerVerification:
    fields = {"outcome": Verified.REFUTED, "level": level, "counterexample": COUNTEREXAMPLE, "assumption": "some data"}
    return AnswerVerification(ex_test=True, **{**fields, **changed})


def found(equivalence: Equivalence, by: ComparedBy, **changed: Any) -> EquivalenceFinding:
    return EquivalenceFinding(equivalence=equivalence, rationale="the same rows", compared_by=by, **changed)


def test_without_a_database_a_refutation_on_ordinary_data_is_a_difference() -> None:
    for by in (ComparedBy.SCHEMA, ComparedBy.INFERRED):
        proved = found(Equivalence.EQUIVALENT, by, settled=True)
        made = with_refutation(proved, refuted(inferred=by is ComparedBy.INFERRED), model_compares=False)
        assert (made.equivalence, made.settled, made.compared_by) == (Equivalence.DIFFERENT, False, by)


def test_tables_without_their_keys_show_no_difference_on_valid_data() -> None:
    same = found(Equivalence.EQUIVALENT, ComparedBy.DATABASE)
    made = with_refutation(same, refuted(keys_known=False), model_compares=True)
    assert (made.equivalence, made.doubt) == (
        Equivalence.EQUIVALENT,
        "the same rows, and other rows on a small database with some data",
    )
    assert made.evidence is not None
    assert made.evidence.witness is not None


def test_what_is_proved_beside_equal_rows_leaves_nothing_to_ask() -> None:
    proved = AnswerVerification(ex_test=True, outcome=Verified.PROVED, bound=3)
    made = with_refutation(found(Equivalence.EQUIVALENT, ComparedBy.DATABASE), proved, model_compares=True)
    assert (made.equivalence, made.settled) == (Equivalence.EQUIVALENT, True)
    wider = with_refutation(found(Equivalence.PARTIAL, ComparedBy.DATABASE), proved, model_compares=True)
    assert not wider.settled


def test_a_difference_on_other_data_is_shown_and_changes_nothing() -> None:
    same = found(Equivalence.EQUIVALENT, ComparedBy.DATABASE)
    made = with_refutation(same, refuted("S1"), model_compares=True)
    assert (made.equivalence, made.doubt) == (Equivalence.EQUIVALENT, None)
    assert made.evidence is not None
    assert made.evidence.witness is not None
    assert with_refutation(same, refuted("S1"), model_compares=False) == same


def test_what_does_not_pass_or_is_not_refuted_stays() -> None:
    different = found(Equivalence.DIFFERENT, ComparedBy.DATABASE)
    assert with_refutation(different, refuted(), model_compares=True) == different
    same = found(Equivalence.EQUIVALENT, ComparedBy.DATABASE)
    for other in (AnswerVerification(), refuted(outcome=Verified.NOT_REFUTED, counterexample=None)):
        assert with_refutation(same, other, model_compares=True) == same


def test_only_a_question_that_allows_both_lifts_a_refutation() -> None:
    made = with_refutation(found(Equivalence.PARTIAL, ComparedBy.DATABASE), refuted(), model_compares=True)
    assert decide(made, opinion("equivalent"), may_lift=True).equivalence is Equivalence.DIFFERENT
    assert decide(made, opinion("equivalent", both=True), may_lift=True).equivalence is Equivalence.PARTIAL
    assert decide(made, opinion("equivalent", both=True), may_lift=False).equivalence is Equivalence.DIFFERENT
