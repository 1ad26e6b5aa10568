"""Opens pages at the widths and in the themes that people use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, TypeAlias

from playwright.sync_api import Browser, Page

WIDTHS = (1440, 390)
"""Pixels of a desktop and of a phone."""
Theme: TypeAlias = Literal["light", "dark"]


@contextmanager
def opened(
    browser: Browser, width: int, theme: Theme, *, height: int = 1000, script: bool = True, zone: str = "UTC"
) -> Iterator[Page]:
    """An empty page of a browser that knows nothing of others."""
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=theme, java_script_enabled=script, timezone_id=zone
    )
    try:
        yield context.new_page()
    finally:
        context.close()
