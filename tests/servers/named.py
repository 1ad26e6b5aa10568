"""Variables that name a server to use in place of one that the tests start."""

from __future__ import annotations

KAFKA = "SQLASSAY_TEST_KAFKA"
"""Bootstrap servers: `host:port,…`."""
REDIS_URL = "SQLASSAY_TEST_REDIS_URL"
DATABASE_URL = "SQLASSAY_TEST_DATABASE_URL"
"""A maintenance database whose user may create databases."""
