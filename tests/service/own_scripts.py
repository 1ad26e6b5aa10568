"""Which script elements of a page are not the console's own."""

from __future__ import annotations

import re

_OWN = {f'<script src="/console/{name}.js" defer>' for name in ("review", "times")}


def foreign_scripts(page: str) -> list[str]:
    """The opening tags of script elements that the console did not write."""
    return [each for each in re.findall(r"<script[^>]*>?", page, re.IGNORECASE) if each.lower() not in _OWN]
