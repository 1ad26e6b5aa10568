"""A walk through the console, as of a person who is asked: which agent got worse, since when, and why?"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

from service.samples.fortnight import TENANT

pytestmark = pytest.mark.slow
AGENT, VERSION = "ember", "2.1.0"
TO_LABEL = 10
MOST_ROUNDS = 4
PATIENCE = 180_000.0
"""Milliseconds that a page may take on a busy machine: a rule is tried on hundreds of answers."""


@pytest.fixture
def page(chromium: Browser, site: str) -> Iterator[Page]:
    context = chromium.new_context(base_url=site, viewport={"width": 1440, "height": 1000})
    context.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    yield context.new_page()
    context.close()


def posted(site: str, event_id: str) -> tuple[float, float]:
    """Score and `p_correct` of another answer of the two weeks, which has the library's habit."""
    event = {
        "event_id": event_id,
        "tenant": TENANT,
        "agent": "atlas",
        "question": "How many student members joined in March 2024?",
        "sql": "SELECT COUNT(*) FROM members WHERE kind = 'student' AND joined_on >= '2024-03-01'"
        " AND joined_on < '2024-04-01' AND library_code = 'QL'",
    }
    request = Request(f"{site}/v1/events", json.dumps(event).encode(), {"Content-Type": "application/json"})
    with urlopen(request, timeout=60) as reply:
        stored = json.load(reply)["results"][0]
    with urlopen(f"{site}/v1/evaluations/{stored['evaluation_id']}", timeout=60) as reply:
        return stored["score"], json.load(reply)["p_correct"]


def half_width(page: Page) -> float:
    """The interval after the labels so far."""
    progress = page.locator("#progress").inner_text()
    widths = re.findall(r"±\s(\.\d+)", progress)
    assert widths, progress
    return float(widths[-1])


def label_by_keys(page: Page, site: str) -> None:
    """Labels the answer on the page as a person would who knows what is right, and asks for the next."""
    expect(page.locator("#verdict")).to_have_count(0)
    evaluation_id = page.url.partition("?")[0].rpartition("/")[2]
    with urlopen(f"{site}/v1/evaluations/{evaluation_id}", timeout=60) as reply:
        answers = json.load(reply)["attributes"]["answers"]
    # a key that comes before the script is lost
    page.wait_for_load_state("load")
    page.keyboard.press("r" if answers else "w")
    if not answers:
        page.keyboard.press("3")
    page.keyboard.press("Enter")
    expect(page.locator("#labelled")).to_be_visible()
    expect(page.locator("#verdict")).to_have_count(1)
    page.wait_for_load_state("load")


def label_ten(page: Page, site: str) -> tuple[float, float]:
    """Labels ten drawn answers of the agent; half the width of its interval before and after."""
    page.goto(f"/console/review?tenant={TENANT}&agent={AGENT}&reviewer=noor")
    page.get_by_role("button", name="Review").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#label-form")
    before = half_width(page)
    for number in range(TO_LABEL):
        if number:
            page.keyboard.press("Enter")
            page.wait_for_selector("#label-form")
        label_by_keys(page, site)
    return before, half_width(page)


def fit_to_labels(page: Page, site: str) -> None:
    """Fits a calibration. Answers are drawn at random: where the line is no better, ten labels more are given."""
    for _ in range(MOST_ROUNDS):
        page.goto(f"/console/trust?tenant={TENANT}")
        page.get_by_role("button", name="Fit to the labels now").click()
        page.wait_for_load_state("load")
        if page.get_by_role("button", name="Put in force").count():
            return
        label_ten(page, site)
    pytest.fail(page.locator("main").inner_text()[:2000])


def test_the_agent_that_got_worse_is_found_explained_labelled_and_its_rules_improved(page: Page, site: str) -> None:
    # which agent, and since when
    page.goto("/console")
    first = page.locator("table.agents tbody tr").first
    expect(first).to_contain_text("worse than before")
    expect(first).to_contain_text("judged wrong 5 % → 68 %")
    first.get_by_role("link", name=AGENT, exact=True).click()
    expect(page.locator("main")).to_contain_text(VERSION)
    expect(page.locator("main")).to_contain_text("FILTER_MISSING")
    # where it loses most
    page.get_by_role("link", name="Slices").click()
    expect(page.locator("main table tr", has_text=VERSION).first).to_contain_text("< 0.001")
    # why one answer is wrong
    page.goto(f"/console/evaluations?tenant={TENANT}&agent={AGENT}&reason=FILTER_MISSING&order=worst")
    page.locator("main tbody tr a").first.click()
    expect(page.locator("main")).to_contain_text("FILTER_MISSING")
    expect(page.locator("main")).to_contain_text("nothing applies it")

    # ten labels, blind and by keys alone
    wide, narrow = label_ten(page, site)
    assert narrow < wide

    # the tenant's own calibration
    score, p_correct = posted(site, "before")
    fit_to_labels(page, site)
    page.get_by_role("button", name="Put in force").first.click()
    expect(page.get_by_role("status")).to_contain_text("in force")
    assert posted(site, "calibrated")[1] > p_correct
    page.get_by_role("button", name="Roll back").click()
    expect(page.get_by_role("status")).to_contain_text("out of force")
    assert posted(site, "uncalibrated")[1] == p_correct

    # a rule that the answers propose, and back
    page.goto(f"/console/rules?tenant={TENANT}")
    page.get_by_role("button", name=re.compile("^Look through")).click()
    page.locator("tr", has_text="benign_filters").get_by_role("button", name="Accept").click()
    expect(page.get_by_role("status")).to_contain_text("is in force")
    assert posted(site, "with the rule")[0] > score
    page.get_by_role("row", name=re.compile("^0 ")).get_by_role("link", name="into the form").click()
    expect(page.get_by_role("button", name="Store")).to_have_count(0)
    page.get_by_role("button", name=re.compile("^Try on")).first.click()
    expect(page.locator("main")).to_contain_text("would get another score")
    page.get_by_role("button", name="Store").first.click()
    expect(page.get_by_role("status")).to_contain_text("is in force")
    assert posted(site, "without it")[0] == score
