"""What holds for every text: it is read, in linear time, with spans that stand in it; and any language can drive it."""

from __future__ import annotations

from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from question_notation import filter_text

from scoring.question import read_enriched, read_question
from scoring.question.language import Cue, Language, Role, index
from scoring.specification import Definition, FilterOrigin, Op, QuestionSpec
from tests.costs import Call, times_as_costly

_WORDS = (
    "which list the of 'a b' \"q\" more than less 5 between and or in 2020 May 3rd last month top highest not without "
    "never other , . ? ( ) [ ] = < > refers to means MAX( ' ’ “ ” ` - / 1,000 5k $ % Q3 half century 31/12/2020 "
    "2020-13-45 9999-12-31 0000 99999999999999999999 LIKE '%x%' IS NULL BETWEEN IN Ann Lee X9 is each by twenty "
    "million \u0130 \ud800 \x00 ² ½ past 99999 years 0 next 20th 2019/2020 :"
).split(" ")


@pytest.mark.campaign
@given(st.lists(st.sampled_from(_WORDS), max_size=30).map(" ".join) | st.text(max_size=80))
@example(
    "the May . which 31/12/2020"
)  # its first sentence asks for nothing, and is left out of the specification's text
@settings(max_examples=300, deadline=None)
def test_any_text_has_a_specification_whose_spans_stand_in_it(text: str) -> None:
    spec = read_question(text)
    enriched = read_enriched(f"{text} ({text})", spec)
    assert all(spec.text[each.start :].startswith(each.span) for each in spec.filters)
    assert all(enriched.text[each.start :].startswith(each.span) for each in enriched.filters)
    assert all(0.0 <= each.certain <= 1.0 for each in enriched.filters)


@pytest.mark.slow  # compares costs
@pytest.mark.parametrize(
    "unit", [*_WORDS, "'a ", "(a = ", "A of ", "A, ", "in 2010 or ", "a-", "a.", "x IN (", "highest ", "n's"]
)
def test_reading_takes_linear_time_on_twenty_thousand_characters_of_anything(unit: str) -> None:
    def reading(length: int) -> Call:
        text = (unit * length)[:length]
        return lambda: read_enriched(text, read_question(text))

    # linear is 4 times, quadratic 16 times
    assert times_as_costly(reading(20_000), reading(5_000), 9) <= 9


def test_reading_twice_gives_the_same_specification() -> None:
    question = "How many kites over $30 did Ann Lee sell in Fife since May 2012?"
    assert read_question(question) == read_question(question)


def test_an_enriched_question_without_definitions_keeps_its_filters_as_enriched() -> None:
    asked = read_question("Which kites are in Fife?")
    spec = read_enriched("Which kites older than 9 are in Fife?", asked)
    assert [(filter_text(each), each.source) for each in spec.filters] == [
        ("age > 9", FilterOrigin.ENRICHED),
        ("_ = 'fife'", FilterOrigin.ENRICHED),
    ]


def test_the_tokens_of_definitions_are_left_out() -> None:
    asked = read_question("Which kites are red?")
    spec = read_enriched("Which kites are red? (red refers to paint = 'R')", asked)
    assert [token.text for token in spec.tokens] == ["Which", "kites", "are", "red", "?"]


def test_definitions_after_a_question_take_nothing_of_it_away() -> None:
    marked: dict[str, Any] = {each.name: (each.name,) for each in fields(QuestionSpec) if each.init}
    marked["tokens"] = read_question("Which kites are red?").tokens
    asked = QuestionSpec(**marked)
    spec = asked.enriched("Qe", (), ())
    assert spec == replace(asked, text="Qe", filters=(), definitions=())


def test_a_definition_with_other_conditions_is_the_same_otherwise() -> None:
    marked: dict[str, Any] = {each.name: (each.name,) for each in fields(Definition)}
    whole = Definition(**marked)
    assert whole.filtering(()) == replace(whole, filters=())


GERMAN = Language(
    name="german",
    cues=index(
        {
            "wie viele": Cue(role=Role.AGGREGATE, func="COUNT"),
            "mehr als": Cue(role=Role.COMPARE, op=Op.GT),
            "mindestens": Cue(role=Role.COMPARE, op=Op.GE),
            "nicht": Cue(role=Role.NOT),
            "zeige": Cue(role=Role.COMMAND),
            "je": Cue(role=Role.GROUP),
        }
    ),
    numbers=MappingProxyType({"drei": 3}),
    months=MappingProxyType({"mai": 5}),
    in_time=frozenset({"im", "in"}),
    articles=frozenset({"die", "der", "das"}),
    haves=frozenset({"haben", "mit"}),
    openers=frozenset({"welche", "wie", "zeige"}),
    verbs=frozenset({"fuhren"}),
    capitals_name=False,
    breaks=frozenset({"in", "im", "mit", "haben", "der", "je", "nicht"}),
    defines=("bedeutet",),
)


def test_another_languages_tables_drive_the_same_reader() -> None:
    spec = read_question(
        "Wie viele Boote mit mehr als drei Segeln fuhren im Mai 2020 in 'Kiel' je Hafen?", language=GERMAN
    )
    assert [filter_text(each) for each in spec.filters] == [
        "COUNT segeln > 3",
        "_ within [2020-05-01, 2020-06-01)",
        "_ = 'kiel'",
    ]
    assert [each.func for each in spec.aggregations] == ["COUNT"]
    assert spec.group_by == ("hafen",)


def test_another_language_defines_in_its_own_words() -> None:
    asked = read_question("Zeige die roten Boote", language=GERMAN)
    spec = read_enriched("Zeige die roten Boote (roten bedeutet farbe = 'rot')", asked, language=GERMAN)
    assert [(filter_text(each), each.source) for each in spec.filters] == [("farbe = 'rot'", FilterOrigin.DEFINITION)]
