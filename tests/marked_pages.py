"""Puts a generated table on a page of the documentation, between two marks."""

from __future__ import annotations

import re
from pathlib import Path


def write_between(page: Path, begin: str, end: str, text: str) -> None:
    """Replaces what stands between the marks; ends the program where the page lacks them."""
    between = re.compile(f"(?<={re.escape(begin)}\n).*?(?=\n{re.escape(end)})", re.DOTALL)
    written, count = between.subn(lambda _: f"\n{text}\n", page.read_text(encoding="utf-8"))
    if count != 1:
        raise SystemExit(f"{page} lacks the marks {begin} and {end}: put them where the table belongs")
    page.write_text(written, encoding="utf-8")
