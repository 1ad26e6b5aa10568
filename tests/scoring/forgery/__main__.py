"""Prints what forged answers get: `python -m tests.scoring.forgery`."""

from __future__ import annotations

from collections.abc import Iterable

from service.judges.weights import local_judge
from tests.examples import example_case
from tests.scoring.forgery.definitions import pairs
from tests.scoring.forgery.table import table


def definitions() -> Iterable[tuple[str, int, int, float]]:
    """Each form of an enriched question that excuses the SQL: tries, tries on the right side, highest p_correct."""
    judge = local_judge()
    found: dict[str, list[float]] = {}
    for each in pairs():
        case = example_case(each.sample.question, each.sample.wrong, each.enriched)
        found.setdefault(each.form, []).append(judge.judge(case).p_correct)
    for form, got in found.items():
        yield form, len(got), sum(p_correct >= 0.5 for p_correct in got), max(got)


def main() -> None:
    print(table(), end="\n\n")
    rows = list(definitions())
    print(f"{'an enriched question that excuses what the SQL leaves out':72} tries  right  p_correct up to")
    for form, *figures in rows:
        print("{!r:72.72} {:5} {:6} {:10.3f}".format(form, *figures))
    print(
        f"{'in all':72} {sum(row[1] for row in rows):5} {sum(row[2] for row in rows):6} {max(r[3] for r in rows):10.3f}"
    )


if __name__ == "__main__":
    main()
