"""Shows characters that cannot be seen, or that turn the direction of writing, as marks, so that readers see them."""

from __future__ import annotations

import re
import unicodedata

from consumers.wire.texts import UNSEEN

_JOINERS = "\u200c\u200d"
"""They shape letters of some scripts and join emojis, and hide nothing between such characters."""
_SELECTORS = "\ufe0e\ufe0f"
"""They choose between a sign and its emoji."""
_UNSEEN = re.compile(rf"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{UNSEEN}]")
_KEPT = re.compile(rf"(?<=[^\x00-\x7f])[{_JOINERS}](?=[^\x00-\x7f])|(?<=[^\x00-\x7f])[{_SELECTORS}]")
_TAG = re.compile(r"(<[^>]*>)")
_VERBATIM = re.compile(r"<(/?)(textarea|title|option|script|style)\b", re.IGNORECASE)
"""Elements that hold text alone: it is sent or copied as it is, and a mark in it would be text."""


def marked_page(html: str) -> str:
    """The page with a mark, number and name, for each such character in the text of its elements.

    Attributes and what a form sends stay as they are. The page must write `>` in attributes as an entity.

    >>> marked_page("<p title='" + chr(0x200B) + "'>a" + chr(0x202E) + "b</p>").encode("ascii", "replace").decode()
    '<p title=\\'?\\'>a<span class="unseen" title="RIGHT-TO-LEFT OVERRIDE">U+202E</span>b</p>'
    """
    if _UNSEEN.search(html) is None:
        return html
    parts, inside = _TAG.split(html), 0
    for place, part in enumerate(parts):
        if place % 2:
            found = _VERBATIM.match(part)
            inside += 0 if found is None else -1 if found[1] else 1
        elif not inside:
            parts[place] = _marked(part)
    return "".join(parts)


def _marked(text: str) -> str:
    kept = {found.start() for found in _KEPT.finditer(text)}
    return _UNSEEN.sub(lambda found: found.group() if found.start() in kept else _mark(found.group()), text)


def _mark(character: str) -> str:
    name = unicodedata.name(character, "a character without a name")
    return f'<span class="unseen" title="{name}">U+{ord(character):04X}</span>'
