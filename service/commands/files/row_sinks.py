"""What takes the rows of a run, one line of JSON at a time; in a table a nested field is JSON text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, cast

import orjson


class RowSink(Protocol):
    """Writes a row, which is one line of JSON."""

    def write(self, content: bytes, /) -> object: ...


def flat_row(content: bytes, fields: Iterable[str]) -> dict[str, str | float | bool | None]:
    """The fields of a row, of which a table holds the nested ones as JSON text.

    >>> flat_row(b'{"score": 90.0, "reasons": [{"code": "A"}]}', ("score", "tier", "reasons"))
    {'score': 90.0, 'tier': None, 'reasons': '[{"code":"A"}]'}
    """
    return flat_fields(cast("dict[str, object]", orjson.loads(content)), fields)


def flat_fields(row: Mapping[str, object], fields: Iterable[str]) -> dict[str, str | float | bool | None]:
    """The fields of a row that is not encoded, as `flat_row` gives them."""
    return {name: _cell(row.get(name)) for name in fields}


def _cell(value: object) -> str | float | bool | None:
    return value if isinstance(value, str | float | int | None) else orjson.dumps(value).decode()
