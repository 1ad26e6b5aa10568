"""What every test and doctest shares: the selection of tests, and the names of `tests/examples.py` for doctests."""

from __future__ import annotations

import pytest

from tests.examples import example_case, rules_with

pytest_plugins = ("tests.selection",)


@pytest.fixture(autouse=True)
def _doctest_case(doctest_namespace: dict[str, object]) -> None:  # pyright: ignore[reportUnusedFunction]  # a fixture
    doctest_namespace["case"] = example_case
    doctest_namespace["rules_with"] = rules_with
