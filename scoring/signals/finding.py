"""How signals word a finding."""

from __future__ import annotations

from scoring.verdict import Finding

EXPECTED_ACTUAL = "expected → actual"
"""Begins a detail that shows what the question asks for → what the SQL has."""


def differing(expected: str, actual: str) -> Finding:
    """A finding of full strength that shows both sides.

    >>> differing("AVG", "SUM").detail
    'expected → actual: AVG → SUM'
    """
    return Finding(1.0, f"{EXPECTED_ACTUAL}: {expected} → {actual}")


def counted(items: list[str], of: str, most: int = 3) -> Finding | None:
    """A finding whose strength grows with the number of items, full at `most`.

    >>> counted(["a", "b"], "missing", most=4)
    Finding(strength=0.5, detail='missing: a; b')
    """
    if not items:
        return None
    return Finding(min(1.0, len(items) / most), f"{of}: {'; '.join(items[:5])}")
