"""What running the SQL says about an answer, as log-odds: a failure decides, everything else is a small hint."""

from __future__ import annotations

from scoring.database.failures import failed
from scoring.query import RunResult
from scoring.reasons import ReasonCode
from scoring.verdict import Case, Reason

FAILED = -7.0
"""Log-odds of SQL that the database refused: no other evidence outweighs it."""
EMPTY = -0.7
ONLY_NULL = -0.7
WITH_ROWS = 0.1
"""Log-odds of a run with rows: an agent that reports one gains hardly anything."""


def weigh_run(case: Case) -> Reason | None:
    """The reason that the run gives; none where the event says nothing, or the server failed."""
    result = case.query.result
    if result is None:
        return None
    if failed(result):
        return Reason(code=ReasonCode.SQL_FAILED, detail=_why(result), weight=FAILED)
    if result.error or result.executed is False:
        return None
    return _of_rows(result, yes_no=case.question.yes_no)


def _why(result: RunResult) -> str:
    return f"the database says: {result.error}" if result.error else "the database did not run the SQL"


def _of_rows(result: RunResult, *, yes_no: bool) -> Reason | None:
    if result.empty or result.rows == 0:
        # no row may mean no
        return None if yes_no else Reason(code=ReasonCode.RAN_EMPTY, detail="no row came back", weight=EMPTY)
    if result.only_null:
        return Reason(code=ReasonCode.RAN_ONLY_NULL, detail="every value that came back is NULL", weight=ONLY_NULL)
    if not result.rows:
        return None
    detail = f"{result.rows} row{'' if result.rows == 1 else 's'} came back"
    return Reason(code=ReasonCode.RAN_WITH_ROWS, detail=detail, weight=WITH_ROWS)
