"""Values that nothing changes: the type checker forbids it, so that making one need not pay for a guard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

Class = TypeVar("Class")


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def immutable(*, kw_only: bool = True) -> Callable[[type[Class]], type[Class]]:
    """A slotted dataclass that is equal and hashed by its fields; assigning to one is an error of `make check`.

    `dataclass(frozen=True)` sets each field through a call: an event makes some two hundred of these values and is
    scored in 5 % less time without.
    """
    return dataclass(slots=True, kw_only=kw_only, unsafe_hash=True)
