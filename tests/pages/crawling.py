"""Finds the pages of the console by their links."""

from __future__ import annotations

import re
from collections import Counter, deque
from urllib.parse import urljoin, urlsplit

from playwright.sync_api import BrowserContext

_OF_A_KIND = 2
"""Pages of each kind that are opened: the second often has a filter."""
_DOWNLOAD = re.compile(r"\.(csv|jsonl?|parquet|svg|css|js)$")
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|(?<=/)\d+")


def kind_of(address: str) -> str:
    """The path without ids: pages of one kind differ in what they show only.

    >>> kind_of("http://h/console/evaluations/6b0f0000-0000-0000-0000-000000000000?tenant=a")
    '/console/evaluations/…'
    """
    return _ID.sub("…", urlsplit(address).path)


def pages_of(context: BrowserContext, start: str) -> list[str]:
    """Addresses of pages below `start` that its links lead to, itself first: the first of each kind that are met."""
    page, waiting, opened = context.new_page(), deque([start]), list[str]()
    seen, kinds = {start}, Counter([kind_of(start)])
    while waiting:
        address = waiting.popleft()
        reply = page.goto(address, wait_until="domcontentloaded")
        assert reply is not None
        assert reply.ok, f"{address} answers {reply.status}"
        opened.append(address)
        for link in page.eval_on_selector_all("a[href]", "all => all.map(each => each.getAttribute('href'))"):
            target = urljoin(address, str(link)).partition("#")[0]
            kind = kind_of(target)
            if not target.startswith(start) or target in seen or _DOWNLOAD.search(kind) or kinds[kind] == _OF_A_KIND:
                continue
            seen.add(target)
            kinds[kind] += 1
            waiting.append(target)
    page.close()
    return opened
