"""Companies with a data dictionary, by authors who knew no judge: their dictionaries condemn few right answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from consumers.wire.rules_document import decode_rules
from learning.dictionary.files import DictionaryFile, read_dictionary
from sqlassay import Scorer

MOST = {"prairie_freight": 5, "kilnhouse": 4, "kelpie": 4, "quillpress": 6, "brickyard": 4, "windfarm": 7}
"""Houses whose dictionaries are read worse."""
HOUSES = sorted((Path(__file__).parents[2] / "benchmarks" / "houses").iterdir())


def _answers(house: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (house / "answers.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.slow  # thousands of answers
@pytest.mark.parametrize("house", HOUSES, ids=lambda house: house.name)
def test_its_dictionary_condemns_few_right_answers(house: Path) -> None:
    """With rules that nobody has read at most three right answers are called wrong, but for those named above."""
    answers = _answers(house)
    files = [
        DictionaryFile(name, (house / name).read_text(encoding="utf-8")) for name in ("dictionary.md", "schema.sql")
    ]
    document = read_dictionary(files, answers[0]["dialect"]).document()
    assert decode_rules(document).rules(1)

    scorer = Scorer(document)
    right = [each for each in answers if each["label"]]
    called_wrong = [each["id"] for each in right if _p_correct(scorer, each) < 0.5]
    assert len(right) >= 33
    assert len(called_wrong) <= MOST.get(house.name, 3), called_wrong


def _p_correct(scorer: Scorer, answer: dict[str, Any]) -> float:
    fields = ("question", "enriched_question", "sql", "dialect", "occurred_at")
    given = scorer.score(**{field: answer[field] for field in fields}).p_correct
    return 1.0 if given is None else given


READINGS = HOUSES[0].parents[1] / "replies" / "dictionaries"


@pytest.mark.parametrize("reading", sorted(READINGS.glob("*.json")), ids=lambda path: path.stem)
def test_what_a_model_read_is_rules(reading: Path) -> None:
    """The recorded readings can be stored, and each states some condition of every answer."""
    rules = decode_rules(json.loads(reading.read_text(encoding="utf-8"))).rules(1)
    assert any(each.required for each in rules.conventions)


@pytest.mark.slow  # four thousand answers
def test_what_a_model_read_finds_most_wrong_answers_and_condemns_few_right_ones() -> None:
    """Over the houses whose dictionaries a model has read."""
    called_right: dict[int, list[bool]] = {0: [], 1: []}
    for house in [each for each in HOUSES if (READINGS / f"{each.name}.json").exists()]:
        scorer = Scorer(json.loads((READINGS / f"{house.name}.json").read_text(encoding="utf-8")))
        for answer in _answers(house):
            called_right[answer["label"]].append(_p_correct(scorer, answer) >= 0.5)
    assert sum(called_right[1]) >= 0.92 * len(called_right[1])
    assert sum(called_right[0]) <= 0.42 * len(called_right[0])
