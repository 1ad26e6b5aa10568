"""Prints what the forgeries score: `make forgeries`."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean

from tests.scoring.forgery.forging import pairs
from tests.scoring.forgery.scores import judged


def table() -> str:
    """One Markdown row for each way to forge: pairs, mean p of right and forged answers, and the worst."""
    found: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for pair in pairs():
        honest, forged = (judged(pair.question, sql, pair.dialect).p_correct for sql in (pair.honest, pair.forged))
        found[pair.kind, pair.way].append((honest, forged))
    lines = ["| changed | how | pairs | mean p, honest | mean p, forged | worst forged |", "|---|---|---|---|---|---|"]
    for (kind, way), scores in found.items():
        lines.append(_row(kind, f"`{way}`", scores))
    lines.append(_row("all", "", [each for scores in found.values() for each in scores]))
    return "\n".join(lines)


def _row(kind: str, way: str, scores: list[tuple[float, float]]) -> str:
    honest, forged = fmean(one for one, _ in scores), fmean(other for _, other in scores)
    worst = max(other for _, other in scores)
    return f"| {kind} | {way} | {len(scores)} | {honest:.2f} | {forged:.2f} | {worst:.2f} |"
