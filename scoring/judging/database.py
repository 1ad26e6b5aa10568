"""What the database says, in fixed, bounded weights beside the fitted ones."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.database.run_evidence import weigh_run
from scoring.database.schema_evidence import weigh_schema
from scoring.reason_kinds import FORGERIES
from scoring.verdict import Case, Reason


def database_reasons(case: Case, seen: Sequence[Reason]) -> list[Reason]:
    """What the database says about an answer. Nothing speaks for one that only seems to answer."""
    ran = weigh_run(case)
    found = [*([ran] if ran is not None else []), *weigh_schema(case, seen)]
    if any(each.code in FORGERIES for each in seen):
        found = [each for each in found if each.weight < 0]
    return found
