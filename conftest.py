"""What every test and doctest shares: the selection of tests, and the names of `tests/examples.py` for doctests."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from tests.examples import example_case, rules_with

pytest_plugins = ("tests.selection",)

collect_ignore = [
    f"sqlassay/{module}.py" for module, package in (("ray", "ray"), ("spark", "pyspark")) if find_spec(package) is None
]
"""Engines of half a GB that `make install` leaves out; `make nightly` installs them."""
collect_ignore.append("service/processes/preloaded.py")
"""Tunes the interpreter that imports it, and scores in each dialect, which takes a second; it has no doctest."""


@pytest.fixture(autouse=True)
def _doctest_case(doctest_namespace: dict[str, object]) -> None:  # pyright: ignore[reportUnusedFunction]  # a fixture
    doctest_namespace["case"] = example_case
    doctest_namespace["rules_with"] = rules_with
