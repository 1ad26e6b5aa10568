"""The closed list of reason codes: each is documented in `docs/reasons.md` and given by one signal."""

from __future__ import annotations

from enum import StrEnum


class ReasonCode(StrEnum):
    """Why an answer is believed right or wrong."""

    FILTER_MISSING = "FILTER_MISSING"
    """The question asks for a condition that the SQL does not apply."""
