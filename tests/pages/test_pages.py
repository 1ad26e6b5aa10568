"""Every page of the console in Chromium: readable by all, on a phone too, in both themes and without script."""

from __future__ import annotations

from itertools import product

import pytest
from playwright.sync_api import Browser

from tests.pages.browsing import WIDTHS, Theme, opened
from tests.pages.crawling import pages_of
from tests.pages.page_faults import reading_faults

pytestmark = pytest.mark.slow


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
    with opened(chromium, width, theme) as page:
        faults = reading_faults(page, addresses)
    assert not faults, "\n".join(faults)


def test_pages_show_the_same_without_script(chromium: Browser, addresses: list[str]) -> None:
    with opened(chromium, 1440, "light") as page, opened(chromium, 1440, "light", script=False) as plain:
        for address in addresses:
            page.goto(address)
            plain.goto(address)
            headings = "main h1, main h2"
            assert plain.locator(headings).all_inner_texts() == page.locator(headings).all_inner_texts(), address
