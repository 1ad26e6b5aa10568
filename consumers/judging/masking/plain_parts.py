"""Masks a text that the program wrote: its own counts and the names that stand in the SQL stay as they are."""

from __future__ import annotations

import re
from collections.abc import Collection

from consumers.judging.masking.masker import Masker

_COUNT = (
    r"\b\d+(?= (?:small |further )?(?:columns?|rows?|databases?|seconds?|tables?)\b)"
    r"|(?<=\bexpected )\d+\b(?!\.\d)|(?<=\bup to )\d+(?= )"
)
_PLACE = "\x1e"
"""Stands in a text for a part that stays. No letter and no digit, so nothing masks it."""


def masked_finding(text: str, masker: Masker, names: Collection[str]) -> str:
    """The text masked, but for counts of rows and columns and those `names` that stay in SQL.

    >>> said = "3 columns, expected 41: no column holds the values of n_varga"
    >>> masked_finding(said, Masker(), {"n_varga"}), masked_finding("no n_total in 4711", Masker(), {"n_total"})
    ('3 columns, expected 41: no column holds the values of TEXT_1', 'no n_total in VALUE_1')
    """
    kept = sorted((re.escape(each) for each in names if masker.words.name_stays(each)), key=len, reverse=True)
    named = rf"|(?<![\w'\"]){'(?:' + '|'.join(kept) + ')'}(?![\w'\"])" if kept else ""
    plain = re.compile(_COUNT + named)
    held = plain.findall(text) if _PLACE not in text else []
    masked = masker.text(plain.sub(_PLACE, text)) if held else ""
    if not held or masked.count(_PLACE) != len(held):
        return masker.text(text)
    parts = iter(held)
    return re.sub(_PLACE, lambda _: next(parts), masked)
