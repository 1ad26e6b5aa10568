"""Unicode's normal forms of a text, at a cost of no more than its size.

`unicodedata.normalize` sorts each run of combining marks by inserting one after the other: the square of its length.
"""

from __future__ import annotations

import unicodedata
from itertools import groupby
from typing import Literal, TypeAlias

from scoring.patterns import lazy

Form: TypeAlias = Literal["NFC", "NFKC", "NFKD"]
_LONG_RUN = lazy("[^\x00-\u02ff\u3100-\ua66e\uac00-\ufb1d]{32}")
"""Characters that may be combining marks, or begin with one when they are taken apart: no other is."""


def normal_form(form: Form, text: str) -> str:
    """What `unicodedata.normalize` gives.

    >>> normal_form("NFC", "Cafe" + chr(0x301)) == "Caf" + chr(0xE9)
    True
    """
    if text.isascii():
        return text
    return unicodedata.normalize(form, text if _LONG_RUN.search(text) is None else _in_order(form, text))  # noqa: TID251 in order


def _in_order(form: Form, text: str) -> str:
    """The text taken apart, each run of marks in the order in which the normal form has them."""
    parted: Form | Literal["NFD"] = "NFD" if form == "NFC" else "NFKD"
    apart = "".join([unicodedata.normalize(parted, each) for each in text])  # noqa: TID251 one character each
    runs = groupby(apart, key=lambda each: unicodedata.combining(each) != 0)
    return "".join(["".join(sorted(run, key=unicodedata.combining) if marks else run) for marks, run in runs])
