"""The tutorials work: every edit applies, and every command shows what the page says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tutorials.following import PAGES, follow

NAMES = sorted(path.name for path in PAGES.glob("*.md"))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_tutorial_works_to_the_letter(name: str, tmp_path: Path) -> None:
    follow(name, tmp_path)
