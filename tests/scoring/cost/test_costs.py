"""No event costs more than its size: twice the text costs at most 2.3 times as much, up to all that is accepted."""

from __future__ import annotations

import pytest

from scoring.evaluation import MAX_QUESTION
from scoring.linking import is_named
from tests.deploy.charts import ROOT
from tests.scoring.cost.generators import GENERATORS
from tests.scoring.cost.measuring import growth, largest, seconds
from tests.scoring.cost.texts import Texts

pytestmark = pytest.mark.campaign

MOST_GROWTH = 2.3
MOST_SECONDS = 0.5
REFUSED = 4096
"""Parts of SQL that is refused: more than any bound accepts, in a text that is short enough to be read."""
QUICK = (
    "joins with ON",
    "anti joins",
    "unions",
    "ANDs of columns",
    "ORs of ANDs",
    "equalities in a chain",
    "question: quoted words",
    "question: comparisons",
    "enriched: definitions of asked words",
    "enriched: rewritten comparisons",
    "marks: accents in a literal",
    "marks: Tibetan vowels in a word and a literal",
    "both: quotes and an IN list",
    "both: words and conditions",
    "joined: one word joined by _: comparison, values",
    "joined: one word joined by _: defined, names of humps",
    "joined: one word joined by -: output in Qe, outputs",
)
"""Generators that once cost the square or the cube of their size."""


def check(name: str) -> None:
    make = GENERATORS[name]
    number = largest(make)
    assert growth(make, number, MOST_GROWTH) <= MOST_GROWTH
    assert seconds(make, number, MOST_SECONDS) <= MOST_SECONDS


@pytest.mark.parametrize("name", QUICK)
def test_twice_the_text_costs_about_twice_as_much(name: str) -> None:
    check(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in GENERATORS if name not in QUICK])
def test_every_generator_costs_no_more_than_its_size(name: str) -> None:
    check(name)


@pytest.mark.parametrize("mark", ["_", "-", ".", "/", ":", "'", "&", "@", "+", "’", ",", "é", " ", "1"])
def test_a_question_that_is_refused_for_its_words_costs_no_more_than_one_that_is_read(mark: str) -> None:
    def make(number: int) -> Texts:
        return Texts(question=f"How many {mark.join(['ab'] * number)}")

    assert seconds(make, MAX_QUESTION // 3 - 3, MOST_SECONDS) <= MOST_SECONDS


@pytest.mark.parametrize("name", ["divisions", "stars", "bigquery unnests"])
def test_sql_that_is_refused_for_its_size_costs_no_more_than_its_size(name: str) -> None:
    """Once the cost of these grew with the square of their size, as they are counted after they are read."""
    make = GENERATORS[name]
    assert growth(make, REFUSED, MOST_GROWTH) <= MOST_GROWTH
    assert seconds(make, REFUSED, MOST_SECONDS) <= MOST_SECONDS


def test_there_are_as_many_generators_as_the_documentation_says() -> None:
    assert f"over {len(GENERATORS)} constructs" in (ROOT / "docs" / "security.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("word", "others"), [("", {"wage"}), ("wage", {""}), ("", {""}), ("", set[str]())])
def test_a_blank_word_names_nothing(word: str, others: set[str]) -> None:
    assert is_named(word, others) is (word in others)
