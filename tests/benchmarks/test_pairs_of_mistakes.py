"""The pairs of a plain mistake and its honest twin are complete and can be read."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import sqlglot

from scoring.sql.dialects import parser_dialect

FILES = sorted((Path(__file__).parents[2] / "benchmarks" / "mistakes").glob("*.jsonl"))


def test_the_page_names_the_first_file_and_the_last() -> None:
    assert {path.stem for path in FILES} == {f"pairs-{number}" for number in range(1, len(FILES) + 1)}
    page = (Path(__file__).parents[2] / "docs" / "everyday.md").read_text(encoding="utf-8")
    pairs = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in FILES) // 2
    assert f"`benchmarks/mistakes/pairs-1.jsonl` to `pairs-{len(FILES)}.jsonl`: {pairs:,} pairs" in page


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_question_has_a_wrong_answer_and_its_twin(path: Path) -> None:
    pairs: defaultdict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        pairs[row["id"][:-1]][row["id"][-1]] = row
        sqlglot.parse(row["sql"], read=parser_dialect(row["dialect"]))
    for pair in pairs.values():
        assert {kind: row["label"] for kind, row in pair.items()} == {"w": 0, "r": 1}
        for field in ("question", "enriched_question", "dialect", "family"):
            assert pair["w"][field] == pair["r"][field]
        assert pair["w"]["sql"] != pair["r"]["sql"]
