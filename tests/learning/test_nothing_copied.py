"""What the judge knows is English and SQL: no name or value of the labelled data stands in its tables or weights."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoring.specification import SqlSpec
from scoring.sql import read_sql
from scoring.values import Choices, Text
from tests.development import labels_path

ROOT = Path(__file__).parents[2]
SETS = ("dev_agents", "dev_bugs", "dev_spider_ex", "train_bird_ex", "train_spider_ex")


def constants() -> Iterator[str]:
    """Every text in the code and weights that decide, but docstrings, lower case."""
    yield (ROOT / "scoring" / "weights.json").read_text(encoding="utf-8").lower()
    for path in sorted((ROOT / "scoring").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
                yield node.value.lower()


def telling(name: str) -> bool:
    """Whether a name or a value is nobody's English: several words in one, or letters with digits."""
    return len(name) > 4 and re.search(r"[a-z]_[a-z]|[a-z] [a-z]|[a-z]\d|\d[a-z]", name) is not None


def of_data(name: str) -> set[str]:
    """Identifiers and text literals of a set's queries, lower case."""
    found: set[str] = set()
    with labels_path(name).open(encoding="utf-8") as lines:
        for sql in sorted({json.loads(line)["sql"] for line in lines}):
            spec = read_sql(sql, None)
            if isinstance(spec, SqlSpec):
                found |= {column.name for column in spec.columns} | {t for block in spec.blocks for t in block.tables}
                values = [each.rhs for each in spec.filters]
                values += [member for each in values if isinstance(each, Choices) for member in each.members]
                found |= {value.folded for value in values if isinstance(value, Text)}
    return {each for each in found if telling(each)}


@pytest.mark.development_data("judge")
@pytest.mark.slow  # reads every question and query of the sets
@pytest.mark.parametrize("name", SETS)
def test_no_name_or_value_of_the_data_stands_in_tables_or_weights(name: str) -> None:
    """A phrase that any text about anything may hold is no name of the data's."""
    text = "\n".join(constants())
    held = {each for each in of_data(name) if re.search(rf"(?<!\w){re.escape(each)}(?!\w)", text)}
    assert held <= EVERYDAY


EVERYDAY = frozenset({"united kingdom", "first date", "event_id", "new york", "north carolina", "south carolina"})
"""Names and values that anyone's data may have and English tables hold for their own sake."""
