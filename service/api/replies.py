"""Replies written straight to JSON: rows are already of the shape that the schema shows."""

from __future__ import annotations

import orjson
from fastapi.responses import Response


def as_json(body: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A JSON reply; identifiers and times become text."""
    content = orjson.dumps(body, default=str, option=orjson.OPT_UTC_Z)
    return Response(content, status, headers, media_type="application/json")
