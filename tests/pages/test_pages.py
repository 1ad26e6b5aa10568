"""Every page of the console in Chromium: readable by all, on a phone too, in both themes and without script."""

from __future__ import annotations

from itertools import product

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from tests.pages.browsing import WIDTHS, Theme, opened
from tests.pages.crawling import pages_of

pytestmark = pytest.mark.slow
_HARMFUL = frozenset({"serious", "critical"})
_BROKEN_BADGES = """() => [...document.querySelectorAll("td .code")].filter(badge => {
    const text = document.createRange();
    text.selectNodeContents(badge);
    return !/\\s/.test(badge.textContent.trim()) && new Set([...text.getClientRects()].map(each => each.top)).size > 1;
}).map(badge => badge.textContent)"""
"""Badges of one word that stand on several lines."""


@pytest.fixture(scope="module")
def addresses(site: str, chromium: Browser) -> list[str]:
    with opened(chromium, 1440, "light") as page:
        found = pages_of(page.context, f"{site}/console")
    assert len(found) > 5
    return found


@pytest.mark.parametrize(
    ("width", "theme"),
    [
        pytest.param(width, theme, marks=[pytest.mark.nightly] * (number in (1, 2)))
        for number, (width, theme) in enumerate(product(WIDTHS, ("light", "dark")))
    ],
)
def test_pages_can_be_read_by_all(chromium: Browser, addresses: list[str], width: int, theme: Theme) -> None:
    faults: list[str] = []
    with opened(chromium, width, theme) as page:
        page.on("console", lambda said: faults.append(f"{page.url}: {said.text}") if said.type == "error" else None)
        page.on("pageerror", lambda error: faults.append(f"{page.url}: {error}"))
        for address in addresses:
            page.goto(address)
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            if wide > 0:
                faults.append(f"{address}: {wide} px wider than {width}")
            faults += [f"{address}: {each} is broken" for each in page.evaluate(_BROKEN_BADGES)]
            found = Axe().run(page).response["violations"]
            faults += [_told(address, each) for each in found if each["impact"] in _HARMFUL]
    assert not faults, "\n".join(faults)


def _told(address: str, violation: dict[str, object]) -> str:
    nodes = violation["nodes"]
    assert isinstance(nodes, list)
    return f"{address}: {violation['id']}, {len(nodes)} times, such as {nodes[0]['html'][:200]}"


def test_pages_show_the_same_without_script(chromium: Browser, addresses: list[str]) -> None:
    with opened(chromium, 1440, "light") as page, opened(chromium, 1440, "light", script=False) as plain:
        for address in addresses:
            page.goto(address)
            plain.goto(address)
            headings = "main h1, main h2"
            assert plain.locator(headings).all_inner_texts() == page.locator(headings).all_inner_texts(), address
