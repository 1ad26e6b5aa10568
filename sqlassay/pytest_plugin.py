"""The pytest plugin, under the name by which pytest finds it in an installed SQLAssay."""

from service.pytest_plugin import (
    assert_sql_answers,
    assert_sql_answers_fixture,
    pytest_configure,
    pytest_generate_tests,
    sqlassay_case,
)

__all__ = [
    "assert_sql_answers",
    "assert_sql_answers_fixture",
    "pytest_configure",
    "pytest_generate_tests",
    "sqlassay_case",
]
