"""Companies with a data dictionary, by authors who knew no judge: their dictionaries condemn few right answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from consumers.wire.rules_document import decode_rules
from learning.dictionary.files import DictionaryFile, read_dictionary
from sqlassay import Scorer

MOST = {"prairie_freight": 5, "kilnhouse": 4}
"""Houses whose dictionaries are read worse."""
HOUSES = sorted((Path(__file__).parents[2] / "benchmarks" / "houses").iterdir())


def _answers(house: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (house / "answers.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("house", HOUSES, ids=lambda house: house.name)
def test_its_dictionary_condemns_few_right_answers(house: Path) -> None:
    """With rules that nobody has read at most three right answers are called wrong, but for two houses."""
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
