"""Findings are checked by what did not make them, and a check that fails is seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from references.equivalence.checks import ask_proof, runs_again
from references.equivalence.pair import Pair
from references.equivalence.verify import verify
from references.semantics import Semantics

SCHEMA = "CREATE TABLE shelf (id INTEGER PRIMARY KEY, room TEXT NOT NULL, height INTEGER)"
TALL = "SELECT id FROM shelf WHERE height > 3"
APART = Pair(sql_a=TALL, sql_b="SELECT id FROM shelf WHERE height >= 3", schema=SCHEMA)
EQUAL = Pair(sql_a=TALL, sql_b="SELECT id FROM shelf WHERE NOT height <= 3", schema=SCHEMA)


def test_a_witness_differs_anew_on_the_tables_as_they_were_declared() -> None:
    witness = verify(APART).witness
    assert witness is not None
    assert runs_again(APART, witness)
    assert not runs_again(EQUAL, witness)


def test_a_witness_of_other_rows_or_tables_does_not() -> None:
    witness = verify(APART).witness
    assert witness is not None
    assert not runs_again(APART, replace(witness, rows=dict.fromkeys(witness.rows, ())))
    assert not runs_again(replace(APART, schema="CREATE TABLE room (id INTEGER)"), witness)
    assert not runs_again(replace(APART, sql_b="SELECT id FORM shelf WHERE"), witness)


def test_the_proof_alone_calls_equal_what_is_and_not_what_is_not() -> None:
    assert (ask_proof(EQUAL, bound=2, budget=10).equal_up_to, ask_proof(APART, bound=2, budget=10).equal_up_to) == (
        2,
        0,
    )


@pytest.mark.parametrize(
    "pair",
    [
        replace(EQUAL, semantics=Semantics.LIST),
        replace(EQUAL, sql_a="SELECT id FORM shelf WHERE"),
        replace(EQUAL, schema="CREATE TABLE"),
    ],
)
def test_what_the_proof_does_not_cover_it_says_nothing_of(pair: Pair) -> None:
    asked = ask_proof(pair, bound=2, budget=10)
    assert (asked.covered, asked.equal_up_to) == (False, 0)


def test_where_letter_case_does_not_count_a_proof_says_so() -> None:
    loft = Pair(sql_a="SELECT id FROM shelf WHERE room = 'loft'", sql_b="SELECT id FROM shelf WHERE NOT room <> 'loft'")
    folded, plain = verify(replace(loft, dialect="mysql")), verify(loft)
    assert "letter case" in (folded.assumption or "")
    assert "letter case" not in (plain.assumption or "")
    assert ask_proof(replace(loft, dialect="mysql"), bound=1, budget=10).folded
