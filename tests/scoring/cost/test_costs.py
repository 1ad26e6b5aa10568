"""No event costs more than its size: twice the text costs at most 2.3 times as much, up to all that is accepted."""

from __future__ import annotations

import pytest

from scoring.linking import is_named
from tests.deploy.charts import ROOT
from tests.scoring.cost.generators import GENERATORS
from tests.scoring.cost.measuring import growth, largest, seconds

pytestmark = pytest.mark.campaign

MOST_GROWTH = 2.3
MOST_SECONDS = 0.5
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


def test_there_are_as_many_generators_as_the_documentation_says() -> None:
    assert f"over {len(GENERATORS)} constructs" in (ROOT / "docs" / "security.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("word", "others"), [("", {"wage"}), ("wage", {""}), ("", {""}), ("", set[str]())])
def test_a_blank_word_names_nothing(word: str, others: set[str]) -> None:
    assert is_named(word, others) is (word in others)
