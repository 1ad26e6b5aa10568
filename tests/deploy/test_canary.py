"""The canary of `helm test`, against a running service."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from sqlalchemy import URL

from tests.conftest import copied

pytestmark = pytest.mark.slow  # starts a service

ROOT = Path(__file__).parents[2]
CANARY = ROOT / "deploy" / "helm" / "sqlassay" / "files" / "canary.py"
TOKENS = json.dumps({"library": "secret-for-tests-only-12"})
FOR_ALL = "secret-of-all-for-tests-34"


@pytest.fixture(scope="module")
async def database_of_all(postgres_url: URL, template: str) -> AsyncIterator[URL]:
    async with copied(postgres_url, template) as database:
        yield database


@pytest.fixture(scope="module")
def service(database_of_all: URL) -> Iterator[str]:
    """Runs a service that requires a token, and yields its address; each canary is an event of its own."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("SQLASSAY_")},
        "SQLASSAY_DATABASE__URL": database_of_all.render_as_string(hide_password=False),
        "SQLASSAY_HTTP__PORT": "0",
        "SQLASSAY_HTTP__TOKENS": json.dumps(json.loads(TOKENS) | {"*": FOR_ALL}),
    }
    child = subprocess.Popen(
        [sys.executable, "-m", "service", "serve"], env=environment, stderr=subprocess.PIPE, text=True, cwd=ROOT
    )
    try:
        found = None
        while found is None and (line := child.stderr.readline()):
            found = re.search(r"http://[\d.:]+", line)
        yield found[0]
    finally:
        child.terminate()
        child.communicate()


def canary(url: str, tokens: str, seconds: int, fallback: str = "") -> subprocess.CompletedProcess[str]:
    environment = {
        "CANARY_URL": url,
        "CANARY_TOKENS": tokens,
        "CANARY_TIMEOUT": str(seconds),
        "CANARY_FALLBACK": fallback,
    }
    return subprocess.run([sys.executable, CANARY], env=environment, capture_output=True, text=True, check=False)


def test_the_canary_is_scored(service: str):
    done = canary(service, TOKENS, 60)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"the canary was scored [\d.]+\n", done.stdout)


def test_a_canary_with_a_wrong_token_fails(service: str):
    done = canary(service, json.dumps({"library": "wrong"}), 2)
    assert done.returncode == 1
    assert "401" in done.stderr


@pytest.mark.parametrize("scopes", [["publish"], ["publish", "read"]])
def test_hashed_tokens_and_those_with_too_few_scopes_are_passed_over(service: str, scopes: list[str]):
    plain = json.loads(TOKENS)
    [[tenant, secret]] = list(plain.items())[:1]
    held = {"archive": "sha256:" + "0" * 64, "depot": {"token": "no-token-of-the-service-0", "scopes": ["read"]}}
    held[tenant] = {"token": secret, "scopes": scopes}
    done = canary(service, json.dumps(held), 30)
    assert done.returncode == (0 if "read" in scopes else 1), done.stderr
    assert ("METRICS_TOKEN" in done.stderr) is ("read" not in scopes)


def test_where_all_tokens_are_hashed_the_one_of_prometheus_is_used(service: str):
    hashed = json.dumps({"library": "sha256:" + "0" * 64})
    done = canary(service, hashed, 30, fallback=FOR_ALL)
    assert done.returncode == 0, done.stderr


def test_a_canary_without_a_service_fails():
    assert canary("http://127.0.0.1:9", TOKENS, 1).returncode == 1
