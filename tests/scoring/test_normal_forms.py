"""Normal forms are Unicode's own, whatever marks a text holds and in whatever order."""

from __future__ import annotations

import random
import sys
from unicodedata import combining, normalize

import pytest

from scoring.normal_forms import Form, normal_form

EVERY = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
BEGINNING = [each for each in EVERY if not each.isascii() and combining(normalize("NFKD", each)[0])]
"""Characters that are a mark, or begin with one when they are taken apart."""


@pytest.mark.parametrize("form", ["NFC", "NFKC", "NFKD"])
def test_a_normal_form_is_the_one_of_unicode(form: Form):
    drawn = random.Random(7)
    others = [*"aeo 각한ﬁ", "\u1100", "\u1161", "\u0958", "\ufb1d", "\ufdfa"]
    for _ in range(2000):
        text = "".join(drawn.choices(BEGINNING + others * 20, k=drawn.randint(1, 120)))
        assert normal_form(form, text) == normalize(form, text)


@pytest.mark.parametrize("form", ["NFC", "NFKC", "NFKD"])
def test_no_mark_is_taken_for_a_letter_that_ends_a_run(form: Form):
    for each in BEGINNING:
        text = "a" + (each + "\u0301\u0316") * 20
        assert normal_form(form, text) == normalize(form, text)
    # a run of any of them that is taken as short would cost seconds
    assert normal_form(form, "a" + "".join(BEGINNING) * 200)
