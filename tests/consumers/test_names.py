"""No name holds what readers cannot see, and what an older release stored is still read."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from consumers.wire.events import InvalidEvent, decode_event
from consumers.wire.tenants import is_tenant
from consumers.wire.texts import plain_name

IGNORABLE = [
    *(0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFEFF, 0xFFA0, *range(0x180B, 0x1810)),
    *(*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), *range(0xFE00, 0xFE10)),
    *(*range(0xFFF0, 0xFFF9), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000)),
]
"""Default_Ignorable_Code_Point of Unicode's DerivedCoreProperties.txt."""
BLANK = [0x2800, 0x16FE4, 0x1D159]
REFUSED = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}


@pytest.mark.parametrize("field", ["agent", "tenant", "agent_version"])
@pytest.mark.parametrize("code", [*IGNORABLE[::200], *BLANK, 0x85, 0x600, 0x378, 0xE000, 0x10FFFD, 0x2028])
def test_the_refusal_of_a_name_says_which_character_is_wrong(field: str, code: int):
    with pytest.raises(InvalidEvent) as refused:
        decode_event({"question": "q", "sql": "s", field: f"cru{chr(code)}mb"}, require_id=False)
    assert f"field {field}" in refused.value.detail
    assert f"U+{code:04X}" in refused.value.detail


@pytest.mark.slow  # every character there is
def test_no_name_holds_a_character_without_a_look():
    wrong = {*IGNORABLE, *BLANK}
    for code in range(0x80, sys.maxunicode + 1):
        name = f"a{chr(code)}b"
        if code in wrong or unicodedata.category(chr(code)) in REFUSED:
            assert f"U+{code:04X}" in refusal(name)
        elif code not in range(0xFFF9, 0x10000):
            assert plain_name(name)


def refusal(name: str) -> str:
    """What is said of a name that is refused."""
    # `pytest.raises` takes ten times as long, and the names are a million
    try:
        taken = plain_name(name)
    except ValueError as error:
        return str(error)
    raise AssertionError(f"{taken!r} is taken")


@pytest.mark.parametrize("name", ["Ærø Bøger", "ガラス", "각하", "हिन्दी", "crumb 2", "👩", "a\u00a0b", "Кот"])
def test_a_name_in_any_script_is_taken(name: str):
    read = decode_event({"question": "q", "sql": "s", "agent": name, "tenant": name}, require_id=False)
    assert (read.agent, read.tenant) == (unicodedata.normalize("NFC", name).replace("\u00a0", " "),) * 2


@pytest.mark.parametrize("name", ["old\u2800ovens", "old  ovens", "old\ue000"])
def test_a_tenant_of_an_older_release_is_still_read(name: str):
    assert is_tenant(name)
    with pytest.raises(InvalidEvent):
        decode_event({"question": "q", "sql": "s", "tenant": name}, require_id=False)
