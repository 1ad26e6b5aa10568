"""The demo's service in a real browser."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from service.commands.demo import post_samples, running_service
from tests.servers.fixtures import found
from tests.servers.install import CHROMIUM
from tests.servers.sessions import quick_folder


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """The address of a service with the demo's answers and labels."""
    # not pytest's folder: the account that PostgreSQL runs as could not enter it
    with (
        tempfile.TemporaryDirectory(dir=quick_folder(), prefix="sqlassay-test-", ignore_cleanup_errors=True) as state,
        running_service(Path(state)) as (client, _),
    ):
        post_samples(client)
        yield client.base


# closed with its module: while it is open its event loop runs in this thread, and no other test could start one
@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A headless Chromium."""
    program = found(CHROMIUM)
    with sync_playwright() as playwright:
        # pages of the tests' own service only, and tests may run as root
        browser = playwright.chromium.launch(executable_path=str(program), args=["--no-sandbox"])
        yield browser
        browser.close()
