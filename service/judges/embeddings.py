"""Embeddings from any server of the OpenAI protocol."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import orjson

from consumers.judging.ports import ModelFailed
from service.judges.request_forms import endpoint_url
from service.judges.server_errors import call_failure, status_failure
from service.judges.transport import PlainClient, StatusError, TransportError

MAX_EMBEDDINGS = 16 * 1024 * 1024
"""Largest response body read, in bytes."""
TEXTS_AT_ONCE = 32
"""Texts of one call."""


@dataclass(frozen=True, slots=True)
class OpenAIEmbeddings:
    """Turns texts into vectors."""

    client: PlainClient
    url: str
    """Where they are asked for: `embeddings_url`."""
    model: str
    seconds: float

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each of at most `TEXTS_AT_ONCE` texts, all of one length; raises `ModelFailed`."""
        body = {"model": self.model, "input": list(texts), "encoding_format": "float"}
        try:
            async with asyncio.timeout(self.seconds):
                content = await self.client.post_json(self.url, body)
            return _vectors(orjson.loads(content), len(texts))
        except TimeoutError as error:
            raise ModelFailed(f"no embeddings within {self.seconds:.3g} seconds", billed=True) from error
        except StatusError as error:
            raise status_failure(error.response) from error
        except (TransportError, ValueError) as error:
            raise call_failure(error) from error


def embeddings_url(base_url: str) -> str:
    """The URL of the embeddings of a server."""
    return endpoint_url(base_url, "/embeddings")


def _vectors(body: object, texts: int) -> list[list[float]]:
    """The vectors of a response in the order of the texts; raises `ModelFailed` where they are not those."""
    data = cast("Mapping[str, object]", body).get("data") if isinstance(body, dict) else None
    rows = cast("Sequence[object]", data) if isinstance(data, list) else ()
    found: dict[int, list[float]] = {}
    for place, each in enumerate(rows):
        if not isinstance(each, dict):
            continue
        fields = cast("Mapping[str, object]", each)
        index, vector = fields.get("index", place), fields.get("embedding")
        if isinstance(index, int) and isinstance(vector, list):
            found[index] = _numbers(cast("Sequence[object]", vector))
    lengths = {len(each) for each in found.values()}
    if set(found) != set(range(texts)) or len(lengths) != 1 or 0 in lengths:
        raise ModelFailed("the model server sent something other than one embedding for each text", retryable=False)
    return [found[place] for place in range(texts)]


def _numbers(vector: Sequence[object]) -> list[float]:
    numbers = [float(each) for each in vector if isinstance(each, int | float) and math.isfinite(each)]
    return numbers if len(numbers) == len(vector) else []
