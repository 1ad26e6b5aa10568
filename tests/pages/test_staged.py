"""The console of twelve tenants with forty agents: every page at both widths, in both themes, and by keyboard alone."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, expect

from service.commands.demo import BATCH, post_samples, running_service
from tests.pages.browsing import WIDTHS, Theme, opened
from tests.pages.crawling import pages_of
from tests.pages.page_faults import keyboard_faults, reading_faults
from tests.pages.staged import AGENTS, HIDING, SILENT, TENANTS, agent_name, staged_events, staged_opinions
from tests.servers.sessions import quick_folder

pytestmark = [pytest.mark.slow, pytest.mark.nightly]  # all pages several times
_KINDS = (
    "/console",
    "/console/agents",
    "/console/evaluations",
    "/console/slices",
    "/console/review",
    "/console/trust",
    "/console/rules",
    "/console/status",
    "/console/audit",
    "/console/incidents",
    "/console/compare",
)


@pytest.fixture(scope="module")
def staged() -> Iterator[str]:
    """The address of a service with the answers of all of them, beside those of the demo."""
    events = list(staged_events(datetime.now(UTC)))
    assert len({each["tenant"] for each in events}) == TENANTS
    assert len({(each["tenant"], each["agent"]) for each in events}) == AGENTS
    with (
        tempfile.TemporaryDirectory(dir=quick_folder(), prefix="sqlassay-test-", ignore_cleanup_errors=True) as state,
        running_service(Path(state)) as (client, _),
    ):
        post_samples(client)
        for start in range(0, len(events), BATCH):
            stored = client.call("POST", "/v1/events", events[start : start + BATCH])["results"]
            assert {each["status"] for each in stored} <= {"scored", "unscored"}, stored  # type: ignore[attr-defined]
        labels, feedback = staged_opinions()
        assert client.call("POST", "/v1/labels", labels)["kept"] == len(labels)
        assert client.call("POST", "/v1/feedback", feedback)["kept"] == len(feedback)
        yield client.base


@pytest.fixture(scope="module")
def addresses(staged: str, chromium: Browser) -> list[str]:
    with opened(chromium, 1440, "light") as page:
        found = pages_of(page.context, f"{staged}/console")
    paths = {each.removeprefix(staged).partition("?")[0] for each in found}
    assert paths >= set(_KINDS), set(_KINDS) - paths
    return found


@pytest.mark.parametrize(("width", "theme"), list(product(WIDTHS, ("light", "dark"))))
def test_every_page_can_be_read(chromium: Browser, addresses: list[str], width: int, theme: Theme) -> None:
    with opened(chromium, width, theme) as page:
        faults = reading_faults(page, addresses)
    assert not faults, "\n".join(faults)


def test_no_page_shows_a_character_that_turns_text_around(chromium: Browser, addresses: list[str]) -> None:
    hiding = [each for each in HIDING if not each.isprintable()]
    with opened(chromium, 1440, "light") as page:
        for address in addresses:
            page.goto(address)
            text = str(page.evaluate("document.body.innerText"))
            assert not [each for each in hiding if each in text], address
        page.goto(f"{addresses[0]}/evaluations?search=tni")
        expect(page.locator("main")).to_contain_text("U+202E")


@pytest.mark.parametrize("width", WIDTHS)
def test_the_tab_key_reaches_all_that_can_be_done_and_shows_where_it_is(
    chromium: Browser, addresses: list[str], width: int
) -> None:
    with opened(chromium, width, "light") as page:
        faults = [fault for address in addresses for fault in keyboard_faults(page, address)]
    assert not faults, "\n".join(faults)


def test_every_agent_is_found_by_keyboard_over_pages_by_name_and_by_order(chromium: Browser, staged: str) -> None:
    with opened(chromium, 1440, "light") as page:
        page.goto(f"{staged}/console")
        names, places = page.locator("table.agents tbody tr td:first-child b"), page.locator("nav.pages a")
        found = names.all_text_contents()
        for place in range(2, places.count() + 1):
            places.get_by_text(str(place), exact=True).focus()
            page.keyboard.press("Enter")
            page.wait_for_url(f"**page={place}*", wait_until="load")
            found += names.all_text_contents()
        with urlopen(f"{staged}/v1/report", timeout=60) as reply:
            report = json.load(reply)["rows"]
        assert sorted(found) == sorted(each["agent"] for each in report)
        assert {agent_name(agent) for agent in range(AGENTS)} <= set(found)
        page.goto(f"{staged}/console")
        page.get_by_label("name contains").focus()
        page.keyboard.type("AGENT-1")
        page.keyboard.press("Enter")
        page.wait_for_url("**name=AGENT-1*", wait_until="load")
        assert set(names.all_text_contents()) == {agent_name(n) for n in range(10, 20) if "agent-1" in agent_name(n)}
        page.goto(f"{staged}/console?sort=name")
        listed = [each.casefold() for each in names.all_text_contents()]
        assert listed == sorted(listed)
        page.goto(f"{staged}/console?range=today")
        expect(page.locator("main")).to_contain_text(f"{agent_name(SILENT)} of")
