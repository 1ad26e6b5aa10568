"""The keys of the review: what they open, close and choose."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from service.samples.fortnight import TENANT
from tests.pages.browsing import opened

pytestmark = pytest.mark.slow
PATIENCE = 60_000.0
"""Milliseconds that a page may take on a busy machine."""


def test_error_types_are_closed_while_an_answer_is_not_wrong(chromium: Browser, site: str) -> None:
    expect.set_options(timeout=PATIENCE)
    with opened(chromium, 1440, "light") as page:
        page.set_default_timeout(PATIENCE)
        page.goto(f"{site}/console/review?tenant={TENANT}&agent=atlas&reviewer=kim")
        page.get_by_role("button", name="Review").first.click()
        # a key that comes before the script does nothing
        page.wait_for_url("**/console/review/*", wait_until="load")
        types, chosen = page.locator("#error-join"), page.locator("#error-types input:checked")
        expect(types).to_be_enabled()
        page.keyboard.press("7")
        expect(page.locator("#label-wrong")).to_be_checked()
        expect(chosen).to_have_value("join")
        page.keyboard.press("r")
        expect(types).to_be_disabled()
        page.keyboard.press("7")
        expect(page.locator("#label-right")).to_be_checked()
        expect(chosen).to_have_value("")
        # a draft that the tab kept closes them again
        page.reload()
        expect(page.locator("#label-right")).to_be_checked()
        expect(types).to_be_disabled()
        page.keyboard.press("w")
        expect(types).to_be_enabled()
