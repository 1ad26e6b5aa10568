"""What people keep in the console: saved views, and runs of a benchmark to compare, with every form of both."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

from service.samples.fortnight import TENANT
from tests.evals.runner.weaving import GOLDS, Mill
from tests.pages.browsing import WIDTHS, opened
from tests.pages.page_faults import reading_faults

pytestmark = pytest.mark.slow  # the demo in a browser
PATIENCE = 60_000.0
"""Milliseconds that a page may take on a busy machine."""


def test_a_view_is_saved_shared_and_deleted(chromium: Browser, site: str) -> None:
    expect.set_options(timeout=PATIENCE)
    with opened(chromium, 1440, "light") as page:
        page.set_default_timeout(PATIENCE)
        page.goto(f"{site}/console/evaluations?tenant={TENANT}&agent=ember&order=worst")
        first = page.locator("table.answers tbody a").first.inner_text()
        save(page, "Worst of ember")
        link = page.get_by_role("link", name="Worst of ember", exact=True)
        shared = link.get_attribute("href")
        page.goto(f"{site}/console/slices?tenant={TENANT}&view=changes")
        save(page, "What got worse here")
        expect(page.locator("tbody tr")).to_have_count(2)
    # another browser, at both widths
    for width in WIDTHS:
        with opened(chromium, width, "light") as page:
            page.goto(f"{site}{shared}")
            expect(page.locator("table.answers tbody a").first).to_have_text(first)
            assert not reading_faults(page, [f"{site}/console/views", f"{site}/console/evaluations?tenant={TENANT}"])
    with opened(chromium, 390, "light") as page:
        page.goto(f"{site}/console/views")
        for name, left in (("Worst of ember", 1), ("What got worse here", 0)):
            page.get_by_role("button", name=f"Delete {name}").click()
            expect(page.locator("tbody tr")).to_have_count(left)


def save(page: Page, name: str) -> None:
    page.get_by_text("Saved views", exact=True).click()
    page.get_by_label("name", exact=True).fill(name)
    page.get_by_role("button", name="Save this view").click()
    page.wait_for_url("**/console/views")


def test_two_runs_are_compared_side_by_side_and_deleted(chromium: Browser, site: str, tmp_path: Path) -> None:
    expect.set_options(timeout=PATIENCE)
    mill = Mill(tmp_path)
    right: dict[str, str | None] = {name: sql for name, (_, sql) in GOLDS.items()}
    for name, answers in (("v7", right), ("v8", {**right, "widest": "SELECT name FROM looms WHERE width = 90"})):
        predictions = mill.predictions(answers, f"{name}.jsonl")
        own = ("--predictions", predictions, "--databases", mill.databases, "--out", tmp_path / name)
        # a process of its own: the browser's event loop runs in this thread
        command = [sys.executable, "-m", "service", "eval", "run", "--benchmark", mill.benchmark]
        subprocess.run([*map(str, (*command, "--backend", "recorded", *own))], check=True, timeout=PATIENCE)
    # a program sends the one, a person uploads the other
    send(site, "v7", (tmp_path / "v7" / "cases.jsonl").read_bytes())
    with opened(chromium, 390, "dark") as page:
        page.goto(f"{site}/console/compare/runs?tenant={TENANT}")
        page.get_by_label("name of the run").fill("v8")
        page.get_by_label("its cases.jsonl").set_input_files(tmp_path / "v8" / "cases.jsonl")
        page.get_by_role("button", name="Upload the run").click()
        expect(page.locator("h1")).to_have_text("v8 against v7", timeout=PATIENCE)
    for width in WIDTHS:
        with opened(chromium, width, "light") as page:
            page.set_default_timeout(PATIENCE)
            page.goto(f"{site}/console/compare?tenant={TENANT}")
            page.get_by_role("link", name="Compare runs of a benchmark").click()
            expect(page.locator("h1")).to_have_text("v8 against v7")
            expect(page.locator("main")).to_contain_text("100 % → 75 %")
            runs = page.url
            page.get_by_role("link", name="side by side").click()
            expect(page.locator("main")).to_contain_text(GOLDS["widest"][0])
            expect(page.locator("table").first).to_contain_text("width = 120")
            assert not reading_faults(page, [runs, page.url])
            page.goto(runs)
            page.locator("select[name=run]").select_option("v7")
            page.locator("select[name=against_run]").select_option("v8")
            page.get_by_role("button", name="Show").click()
            expect(page.locator("h1")).to_have_text("v7 against v8")
    with opened(chromium, 1440, "light") as page:
        page.goto(f"{site}/console/compare/runs")
        for name, left in (("v7", 1), ("v8", 0)):
            page.get_by_role("button", name=f"Delete {name}").click()
            expect(page.locator("main")).to_contain_text("There is no run before v8" if left else "No run was sent yet")


def send(site: str, name: str, content: bytes) -> None:
    request = Request(
        f"{site}/v1/tenants/{TENANT}/eval-runs/{name}",
        data=content,
        method="PUT",
        headers={"Content-Type": "application/x-ndjson"},
    )
    with urlopen(request, timeout=60) as reply:
        assert reply.status == 200
