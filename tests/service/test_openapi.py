"""The OpenAPI document says what the service does: schemathesis tries it on a real one."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest
from sqlalchemy import URL

from tests.served import ROOT, served

HERE = Path(__file__).parent
SECONDS = os.environ.get("SQLASSAY_TEST_FUZZ_SECONDS")
"""Set by `make api-fuzz`: for how long to try random requests. Without it, the same requests are tried each time."""
RUN = [
    *("--no-color", "--config-file", str(HERE / "schemathesis.toml"), "run"),
    *("--phases=examples,coverage,fuzzing", "--continue-on-failure", "--workers=1"),
    *(
        [f"--max-time={SECONDS}", "--generation-database=none"]
        if SECONDS
        else ["--generation-deterministic", "--seed=13", "--max-examples=25"]
    ),
]


@pytest.mark.slow
async def test_the_service_refuses_what_its_document_forbids_and_accepts_what_it_allows(database: URL):
    async with served(database) as url:
        child = await asyncio.create_subprocess_exec(
            *(str(Path(sys.executable).parent / "schemathesis"), *RUN, f"{url}/openapi.json"),
            env={**os.environ, "SCHEMATHESIS_HOOKS": "tests.service.openapi_hooks", "PYTHONPATH": str(ROOT)},
            stdout=asyncio.subprocess.PIPE,
            cwd=ROOT,
        )
        said, _ = await child.communicate()
    assert child.returncode == 0, said.decode()
    assert b"30 selected" in said
