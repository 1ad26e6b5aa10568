"""The names of environment variables."""

from __future__ import annotations

PREFIX = "SQLASSAY_"
TEST_PREFIX = "SQLASSAY_TEST_"
"""Prefix of variables that only the test suite reads."""
TOKENS_PREFIX = "SQLASSAY_HTTP__TOKENS__"
"""Prefix of variables that hold one tenant's token each."""


def variable_name(*path: str) -> str:
    """The environment variable of a setting.

    >>> variable_name("http", "port")
    'SQLASSAY_HTTP__PORT'
    """
    return PREFIX + "__".join(path).upper()
