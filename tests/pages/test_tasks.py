"""The tasks of four people, with the pages that each needs; and times as a reader elsewhere sees them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from time import monotonic
from typing import Any
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

from service.samples.fortnight import TENANT
from tests.pages.browsing import opened

pytestmark = pytest.mark.slow  # the demo in a browser
AGENT, VERSION, BEFORE = "ember", "2.1.0", "2.0.3"
PATIENCE = 60_000.0
"""Milliseconds that a page may take on a busy machine."""


@contextmanager
def counted(browser: Browser) -> Iterator[tuple[Page, list[str]]]:
    """A page, and the addresses of all that it showed."""
    expect.set_options(timeout=PATIENCE)
    with opened(browser, 1440, "light") as page:
        page.set_default_timeout(PATIENCE)
        views: list[str] = []
        # parts of the same page are no further view
        page.on("domcontentloaded", lambda shown: views.append(shown.url))
        yield page, views


def fetched(address: str) -> dict[str, Any]:
    with urlopen(address, timeout=60) as reply:
        return json.load(reply)


@pytest.fixture(scope="module")
def incident(site: str) -> dict[str, Any]:
    """The fall of the demo, once its alarm is on."""
    address = f"{site}/v1/incidents?tenant={TENANT}&agent={AGENT}"
    end = monotonic() + 60
    while not (found := fetched(address)["items"]):
        assert monotonic() < end, "no incident was opened"
    return found[0]


def test_on_call_names_version_date_size_and_cause_two_pages_after_the_alert(
    chromium: Browser, site: str, incident: dict[str, Any]
) -> None:
    with counted(chromium) as (page, views):
        # the address in the alert
        page.goto(f"{site}/console/incidents?tenant={TENANT}&agent={AGENT}")
        shown = page.locator("main")
        for said in (AGENT, VERSION, incident["change"], f"{incident['since'][:10]} ", "FILTER_MISSING"):
            expect(shown).to_contain_text(said)
        page.locator("table.answers tbody a").first.click()
        expect(page.locator("main")).to_contain_text(VERSION)
        expect(page.locator("main")).to_contain_text("FILTER_MISSING")
        assert len(views) <= 2, views


def test_a_developer_reaches_the_flipped_questions_with_three_pages(chromium: Browser, site: str) -> None:
    with counted(chromium) as (page, views):
        page.goto(f"{site}/console")
        page.locator("table.agents").get_by_role("link", name=AGENT, exact=True).first.click()
        page.get_by_role("link", name=re.compile("compare|against", re.IGNORECASE)).first.click()
        expect(page.locator("main")).to_contain_text(BEFORE)
        expect(page.locator("table.answers").first).to_contain_text("question before")
        assert page.locator("table.answers tbody tr").count() > 0
        assert len(views) <= 3, views


def test_a_reviewer_labels_with_one_key_and_gets_the_next_answer(chromium: Browser, site: str) -> None:
    with counted(chromium) as (page, _):
        page.goto(f"{site}/console/review?tenant={TENANT}&agent=atlas&reviewer=ines&quick=true")
        page.get_by_role("button", name="Review").first.click()
        page.wait_for_url("**/console/review/*", wait_until="load")
        answers: list[str] = []
        for key in ("r", "3", "u"):
            answers.append(page.url.partition("?")[0])
            page.keyboard.press(key)
            page.wait_for_url(lambda url, last=answers[-1]: not url.startswith(last), wait_until="load")
            expect(page.locator("#label-form")).to_be_visible()
        labels = fetched(f"{site}/v1/labels?tenant={TENANT}&reviewer=ines")["items"]
        said = {each["evaluation_id"]: (each["label"], each["error_type"], each["blind"]) for each in labels}
        wanted = [("right", None, True), ("wrong", "time", True), ("unsure", None, True)]
        assert [said[each.rpartition("/")[2]] for each in answers] == wanted


def percent(share: float) -> str:
    return f"{share * 100:.0f} %"


def test_the_head_of_data_sees_on_one_page_who_got_worse_and_how_many_answers_are_right(
    chromium: Browser, site: str, incident: dict[str, Any]
) -> None:
    report = {(each["tenant"], each["agent"]): each for each in fetched(f"{site}/v1/report")["rows"]}
    measured = [each for each in report.values() if each["labels"]]
    assert measured
    with counted(chromium) as (page, views):
        page.goto(f"{site}/console")
        rows = page.locator("table.agents tbody tr")
        first = rows.first
        # who, by which release, since when, and from how much to how much
        for said in (AGENT, VERSION, incident["change"], f"{incident['since'][:10]}"):
            expect(first).to_contain_text(said)
        alarmed = rows.filter(has=page.locator("[data-label='alarm'] .badge"))
        assert alarmed.locator("td:first-child b").all_inner_texts() == [AGENT]
        assert rows.count() == len(report)
        for row in rows.all():
            agent = row.locator("td").first.locator("b").inner_text()
            tenant = row.locator("td").first.locator(".note").first.inner_text().split("\n")[0]
            figures = report.pop((tenant, agent))
            right = row.locator("[data-label='right (estimate)']").first
            if figures["labels"]:
                # the share that labels measure leads, with its interval and how it came about
                expect(right.locator("b").first).to_have_text(percent(figures["estimate"]))
                expect(right).to_contain_text(f"{percent(figures['low'])} – {percent(figures['high'])}")
                expect(right).to_contain_text(f"measured by {figures['labels']} label")
            else:
                expect(right).to_contain_text("not measured yet")
            expect(row.locator("[data-label='judged wrong']")).to_contain_text(percent(figures["judged_wrong"]))
            expect(row.locator("[data-label='received']")).to_have_text(str(figures["received"]))
            expect(row).to_contain_text("last answer")
        assert not report
        assert len(views) == 1, views


def test_times_are_in_the_zone_of_the_reader_and_say_utc_on_hover_and_focus(
    chromium: Browser, site: str, incident: dict[str, Any]
) -> None:
    with opened(chromium, 1440, "light", zone="Asia/Kolkata") as page:
        for address in (f"incidents/{incident['id']}", "status", "evaluations"):
            page.goto(f"{site}/console/{address}")
            times = page.locator("main time[datetime]")
            assert times.count() > 0
            for each in times.all()[:20]:
                own, utc = each.inner_text(), each.get_attribute("title") or ""
                assert utc.endswith(" UTC")
                assert own.endswith(" UTC+05:30")
                ahead = read_time(own.removesuffix(" UTC+05:30")) - read_time(utc.removesuffix(" UTC"))
                assert ahead.total_seconds() == 5.5 * 3600
        page.goto(f"{site}/console/status")
        time = page.locator("main time[datetime]").first
        own, utc = time.inner_text(), time.get_attribute("title") or ""
        time.focus()
        expect(time).to_have_text(utc)
        time.blur()
        expect(time).to_have_text(own)
    with opened(chromium, 1440, "light", script=False, zone="Asia/Kolkata") as page:
        page.goto(f"{site}/console/status")
        expect(page.locator("main time[datetime]").first).to_have_text(utc)


def read_time(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%d %H:%M")
