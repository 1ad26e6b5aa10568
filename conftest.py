"""What the doctests of signals use: `case(question, sql, enriched=None)` examines one answer by the default rules."""

from __future__ import annotations

import pytest

from tests.examples import example_case


@pytest.fixture(autouse=True)
def _doctest_case(doctest_namespace: dict[str, object]) -> None:  # pyright: ignore[reportUnusedFunction]  # a fixture
    doctest_namespace["case"] = example_case
