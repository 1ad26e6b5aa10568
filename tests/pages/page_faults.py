"""What is wrong with pages of the console for readers: by axe, on narrow screens, and without a mouse."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

_HARMFUL = frozenset({"serious", "critical"})
_BROKEN_BADGES = """() => [...document.querySelectorAll("td .code")].filter(badge => {
    const text = document.createRange();
    text.selectNodeContents(badge);
    return !/\\s/.test(badge.textContent.trim()) && new Set([...text.getClientRects()].map(each => each.top)).size > 1;
}).map(badge => badge.textContent)"""
"""Badges of one word that stand on several lines."""
_NUMBER_STOPS = """() => {
    const all = "a[href], button, input, select, textarea, summary, [tabindex='0']";
    const groups = new Set();
    window.stops = [...document.querySelectorAll(all)].filter(each => {
        if (each.disabled || each.type === "hidden" || each.tabIndex < 0 || !each.checkVisibility()) return false;
        if (each.type !== "radio") return true;
        // a group of choices is one stop
        const first = !groups.has(each.name);
        groups.add(each.name);
        return first;
    });
    window.stops.forEach((each, place) => each.dataset.stop = place);
    // where a page puts the focus first is its own choice: the walk begins at its top
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute("tabindex");
    return window.stops.length;
}"""
_STOP = """() => {
    const own = document.activeElement;
    if (!own || own === document.body) return null;
    const box = own.getBoundingClientRect(), style = getComputedStyle(own);
    const group = own.type === "radio" && window.stops.find(each => each.name === own.name);
    return {
        place: Number((group || own).dataset.stop ?? -1),
        told: own.outerHTML.slice(0, 120),
        // the parts of a date are marked one by one
        marked: own.type === "date"
            || style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== "none",
        seen: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
    };
}"""
"""Where the focus is, whether it can be seen, and whether its place is on the screen."""
_MISSED = """reached => window.stops.filter((_, place) => !reached.includes(place)).map(
    each => each.outerHTML.slice(0, 120))"""
_SLACK = 30
"""Presses beyond the number of stops, after which the focus must have left the page."""


def reading_faults(page: Page, addresses: Iterable[str]) -> list[str]:
    """What keeps people from reading the pages; errors of their scripts too."""
    faults: list[str] = []
    page.on("console", lambda said: faults.append(f"{page.url}: {said.text}") if said.type == "error" else None)
    page.on("pageerror", lambda error: faults.append(f"{page.url}: {error}"))
    for address in addresses:
        page.goto(address)
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if wide > 0:
            faults.append(f"{address}: {wide} px wider than the screen")
        faults += [f"{address}: {each} is broken" for each in page.evaluate(_BROKEN_BADGES)]
        found = Axe().run(page).response["violations"]
        faults += [_told(address, each) for each in found if each["impact"] in _HARMFUL]
    return faults


def _told(address: str, violation: dict[str, Any]) -> str:
    nodes = violation["nodes"]
    return f"{address}: {violation['id']}, {len(nodes)} times, such as {nodes[0]['html'][:200]}"


def keyboard_faults(page: Page, address: str) -> list[str]:
    """What the Tab key alone does not reach on the page, or reaches unseen."""
    page.goto(address)
    stops = int(page.evaluate(_NUMBER_STOPS))
    faults: list[str] = []
    reached = set[int]()
    for _ in range(stops + _SLACK):
        page.keyboard.press("Tab")
        stop = page.evaluate(_STOP)
        # after the last stop comes the browser's own, or the first again
        if stop is None or (stop["place"] == 0 and len(reached) > 1):
            break
        reached.add(stop["place"])
        if not (stop["marked"] and stop["seen"]):
            faults.append(f"{address}: the focus cannot be seen on {stop['told']}")
    else:
        faults.append(f"{address}: the focus does not leave the page")
    missed = page.evaluate(_MISSED, sorted(reached))
    return faults + [f"{address}: Tab does not reach {each}" for each in missed]
