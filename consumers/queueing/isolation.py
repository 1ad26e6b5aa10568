"""One item that fails must not cost its neighbours."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")
Failure = TypeVar("Failure", bound=Exception)


async def isolate_failures(
    call: Callable[[Sequence[Item]], Awaitable[None]], items: Sequence[Item], failure: type[Failure]
) -> list[tuple[Item, Failure]]:
    """Calls `call` with all items and, where it raises `failure`, with each half of them, and so on.

    Returns the items for which it fails alone, each with its error. Other exceptions end the search.
    """
    try:
        await call(items)
    except failure as error:
        if len(items) == 1:
            return [(items[0], error)]
        middle = len(items) // 2
        first = await isolate_failures(call, items[:middle], failure)
        return first + await isolate_failures(call, items[middle:], failure)
    return []
