"""The page of an answer with everything that it can have, on a phone."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from service.commands.demo import running_service
from tests.pages.browsing import WIDTHS, opened
from tests.servers.sessions import quick_folder

pytestmark = pytest.mark.slow
_WIDE = """() => [...document.querySelectorAll("main table")].filter(
    table => table.getBoundingClientRect().right > document.documentElement.clientWidth
).map(table => table.querySelector("tr").innerText)"""
"""Tables that end to the right of the screen."""
_SQUEEZED = """() => [...document.querySelectorAll("main table:not(.sums) td")].filter(
    cell => cell.innerText.length > 40 && cell.getBoundingClientRect().width < 180
).map(cell => cell.innerText)"""
"""Long texts in a narrow column."""
_COLUMNS = [f"m.membership_renewal_reminder_{number}" for number in range(6)]


def event(agent: str, sql: str) -> dict[str, object]:
    return {
        "event_id": agent,
        "tenant": "library",
        "agent": agent,
        "question": "How many members in Lisbon joined in 2025 and renewed?",
        "sql": sql,
        "attributes": {"deployment.environment.name.of.the.agent.that.answered": "x" * 80},
    }


@pytest.fixture(scope="module")
def answer() -> Iterator[str]:
    """The address of an answer with labels, with earlier labels and with other agents' answers to its question."""
    counted = "SELECT COUNT(*) FROM members AS m WHERE m.city = 'Lisbon' AND m.joined_on >= '2025-01-01'"
    wide = f"SELECT {', '.join(_COLUMNS)} FROM members AS m WHERE m.city = 'Lisbon'"
    with (
        tempfile.TemporaryDirectory(dir=quick_folder(), prefix="sqlassay-test-", ignore_cleanup_errors=True) as state,
        running_service(Path(state), MEMORY__ENABLED="true") as (client, _),
    ):
        for agent in ("atlas", "beacon"):
            client.call("POST", "/v1/events", event(agent, counted))
        reply = client.call("POST", "/v1/events", event("ember", wide))
        [stored] = reply["results"]  # type: ignore[misc] a list of one
        label = {"evaluation_id": stored["evaluation_id"], "reviewer": "noor", "label": "wrong"}
        for note in ("It lists columns where a number is asked for. " * 4, "It does not count."):
            client.call("POST", "/v1/labels", {**label, "note": note, "correction": counted})
        yield f"{client.base}/console/evaluations/{stored['evaluation_id']}"


@pytest.mark.parametrize("width", WIDTHS)
def test_tables_of_an_answer_fit_the_screen_and_can_be_read(chromium: Browser, answer: str, width: int) -> None:
    with opened(chromium, width, "light") as page:
        page.goto(answer)
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        headings = " ".join(page.locator("main h2, main summary").all_inner_texts())
        for part in (
            "Other answers",
            "What reviewers say",
            "What they said before",
            "Both specifications",
            "Attributes",
        ):
            assert part in headings
        assert page.evaluate(_WIDE) == []
        assert page.evaluate(_SQUEEZED) == []
