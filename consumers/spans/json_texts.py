"""Reads JSON that stands in a text of a span."""

from __future__ import annotations

from typing import cast

import orjson


def decoded(text: str, most: int) -> object:
    """What a text of at most `most` characters holds as JSON; `None` for any other text.

    >>> decoded('["SELECT 1"]', 20), decoded("SELECT 1", 20)
    (['SELECT 1'], None)
    """
    if text.lstrip()[:1] not in {"[", "{", '"'} or len(text) > most:
        return None
    try:
        return cast("object", orjson.loads(text))
    except orjson.JSONDecodeError:
        return None
