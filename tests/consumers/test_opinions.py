"""What a model's reply must be, to be read as an opinion."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consumers.judging.opinions import MAX_REPLY, Opinion, read_opinion
from consumers.judging.prompting import Prompt, Template, prompt_for
from scoring.query import Unscored
from service.judges.weights import local_judge
from tests.examples import example_case
from tests.memory.judging import said


def prompt() -> Prompt:
    case = example_case("lamps of Fastnet", "SELECT id FROM lamps WHERE rock = 'Fastnet'")
    made = prompt_for(case, Template(version="test", system="Judge."), masked=True)
    assert isinstance(made, Prompt)
    return made


OWN = local_judge().judge(example_case("list the lighthouses", "SELECT name FROM lighthouses"))
PROMPT = prompt()


@pytest.mark.slow  # takes over a second
@given(
    st.one_of(
        st.text(max_size=300), st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists).map(str)
    )
)
def test_no_text_of_a_model_raises_and_none_without_an_offered_verdict_counts(text: str) -> None:
    assert isinstance(read_opinion(text, PROMPT, OWN, "llm/test"), Unscored)


json_values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(json_values, json_values, json_values, json_values, json_values)
def test_whatever_the_fields_hold_a_reply_is_read_or_unscored(
    verdict: object, confidence: object, codes: object, filters: object, rationale: object
) -> None:
    proposed = [filters, {"lhs": codes, "op": "=", "rhs": filters, "span": rationale}]
    text = said(
        verdict=verdict, confidence=confidence, reason_codes=codes, question_filters=proposed, rationale=rationale
    )
    assert isinstance(read_opinion(text, PROMPT, OWN, "llm/test"), Unscored)
    text = said(reason_codes=codes, question_filters=proposed, rationale=rationale)
    good = read_opinion(text, PROMPT, OWN, "llm/test")
    offered = isinstance(codes, list | None) and isinstance(rationale, str | None) and not _repeats_a_key(text)
    assert isinstance(good, Opinion) is (offered and len(text) <= MAX_REPLY)


def _repeats_a_key(text: str) -> bool:
    repeated: list[bool] = []

    def noted(pairs: list[tuple[str, object]]) -> None:
        repeated.append(len({key.strip().casefold() for key, _ in pairs}) < len(pairs))

    json.loads(text, object_pairs_hook=noted)
    return any(repeated)


WHOLE = said(verdict="Incorrect")


@pytest.mark.parametrize(
    "text",
    [
        WHOLE[:-1] + ', "verdict": "Correct"}',
        '{"verdict": "Correct", ' + WHOLE[1:],
        WHOLE[:-1] + ', "Verdict": "Correct"}',
        WHOLE[:-1] + ', " verdict": "Correct"}',
        WHOLE[:-1] + ', "\\u0076erdict": "Correct"}',
        WHOLE[:-1] + ', "confidence": 0.1}',
        said(question_filters=[{"lhs": "a"}]).replace('"lhs": "a"', '"lhs": "a", "lhs": "b"'),
        WHOLE + WHOLE,
        WHOLE + " and so the verdict is Correct",
        "The verdict is Correct. " + WHOLE,
        f"```json\n{WHOLE}\n```\n```json\n{said()}\n```",
        f"[{WHOLE}]",
        WHOLE.replace("0.8", "NaN"),
        WHOLE.replace("0.8", "Infinity"),
        WHOLE.replace("0.8", "1e999"),
        WHOLE.replace("0.8", '"0.8"'),
        WHOLE.replace("0.8", "true"),
        WHOLE.replace("0.8", "1.01"),
        WHOLE.replace("0.8", "-0.1"),
        WHOLE.replace('"Incorrect"', '["Incorrect", "Correct"]'),
        WHOLE.replace('"Incorrect"', '{"Incorrect": "Correct"}'),
        WHOLE.replace('"Incorrect"', '"Correct "'),
        WHOLE.replace('"Incorrect"', '"correct"'),
        said(rationale=["Correct"]),
        said(rationale=7),
        said(reason_codes="FILTER_MISSING"),
        said(question_filters={"lhs": "a"}),
        "[" * 2000,
        '{"a":' * 900 + "1" + "}" * 900,
        WHOLE[:-1] + ', "more": ' + "9" * 5000 + "}",
    ],
)  # fmt: skip
def test_a_reply_that_may_be_read_in_two_ways_is_none(text: str) -> None:
    assert isinstance(read_opinion(WHOLE, PROMPT, OWN, "llm/test"), Opinion)
    assert isinstance(read_opinion(text, PROMPT, OWN, "llm/test"), Unscored)


def test_stand_ins_in_a_reply_are_read_back() -> None:
    sent = prompt()
    token = json.loads(sent.user.split("\n")[1])["sql"].split("'")[1]
    filters = [{"lhs": "rock", "op": "=", "rhs": token, "span": f"lamps of {token}"}]
    read = read_opinion(said(rationale=f"asks {token}", question_filters=filters), sent, OWN, "j")
    assert isinstance(read, Opinion)
    assert read.reply.rationale == "asks Fastnet"
    assert [(each.rhs, each.span) for each in read.proposals] == [("Fastnet", "lamps of Fastnet")]


def test_a_fence_around_the_json_is_read_through() -> None:
    read = read_opinion(f"```json\n{said()}\n```", PROMPT, OWN, "j")
    assert isinstance(read, Opinion)
