"""Signals about sums that run on though each period is asked for, and about what is to be taken off and is added."""

from __future__ import annotations

import re

from scoring.signals.finding import Finding
from scoring.signals.mistakes.wording import cue, shapes
from scoring.specification.shapes import ShapeKind
from scoring.sql.shapes.naming import table_words
from scoring.verdict import Case
from scoring.words import stem

_EACH_PERIOD = re.compile(
    r"\b(?:each|every|per|by) (?:day|week|month|quarter|year)\b|\b(?:dai|week|month|quarter|year)ly\b"
)
_RUNS_ON = re.compile(
    r"\b(?:running|cumul\w*|accumulat\w*|rolling|moving|to date|ytd|mtd|qtd|so far|growth|grow\w*|grew|balance"
    r"|stock|over time|up to|until|till|as of|at the end|by the end|adds? up|adding up|builds? up|overall|active|open"
    r"|base|headcount"
    r"|progress|burn\w*|remaining|left)\b"
)


def sum_runs_on(case: Case) -> Finding | None:
    """The number of each period is asked for, and the only number shown is a sum from the first period on.

    >>> sum_runs_on(case("New pilots per month", "SELECT month, SUM(n) OVER (ORDER BY month) FROM joined")).detail
    'SUM(n) OVER (ORDER BY month) runs on from period to period'
    """
    running = [each for each in shapes(case, ShapeKind.RUNNING) if not each.words]
    if len(running) != 1 or _EACH_PERIOD.search(case.said) is None or _RUNS_ON.search(case.said) is not None:
        return None
    measured = [each for each in case.answer if each.operand.func is not None]
    alone = len(measured) == 1 and " over (" in measured[0].operand.name and "/" not in measured[0].operand.name
    odd = alone and len(case.answer) > 1
    return Finding(1.0, f"{running[0].text} runs on from period to period") if odd else None


_TAKEN_OFF = cue(
    "minus less net off deduct subtract",
    r"\b([a-z]+) (?:are |is |to be |should be )?(?:taken|take) off\b"
    r"|\b(?:minus|less|net of|after deducting|subtract(?:ing)?|deduct(?:ing)?)(?: the| all| any| our)? ([a-z]+)\b",
)
_SUBTRACTS = re.compile(r"(?<!-)-(?!-)(?![^']*'(?:[^']*'[^']*')*[^']*$)|\bminus\b|\bsubtract|\bexcept\b", re.IGNORECASE)


def taken_off_is_added(case: Case) -> str | None:
    """Amounts are to be taken off, and a UNION ALL puts their rows beside the others without a sign.

    >>> taken_off_is_added(case("Fares per route, refunds taken off", "SELECT route, SUM(fare) FROM (SELECT route, "
    ...     "fare FROM trips UNION ALL SELECT route, fare FROM refunds) t GROUP BY route"))
    'refunds are added, not taken off'
    """
    found = _TAKEN_OFF.search(case.asked)
    if found is None or not any(each.kind == "union all" for each in case.sql.set_operations):
        return None
    thing = stem(found[1] or found[2])
    arms = {each.right for each in case.sql.set_operations}
    tables = [table for block in case.sql.blocks if block.path in arms for table in block.tables]
    added = any(thing in table_words(table) for table in tables) and _SUBTRACTS.search(case.written) is None
    return f"{found[1] or found[2]} are added, not taken off" if added else None
