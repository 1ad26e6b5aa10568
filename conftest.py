"""What every test and doctest shares: how tests are selected, and `case(question, sql, …)` for doctests."""

from __future__ import annotations

import pytest

from tests.examples import example_case

pytest_plugins = ("tests.selection",)


@pytest.fixture(autouse=True)
def _doctest_case(doctest_namespace: dict[str, object]) -> None:  # pyright: ignore[reportUnusedFunction]  # a fixture
    doctest_namespace["case"] = example_case
