"""Signals of answers that only seem right: conditions, outputs and definitions that do nothing, or too much.

`VOIDS` says that the SQL only seems to do what is asked; `definition_weakens` says that the enriched question excuses
what the SQL leaves out. `scoring/sql/voids/` notes what does nothing while a query is read; here it is a forgery unless
the words of the question allow it. `docs/forgery.md` is the page of both rooms.

Change this here when it concerns:

- an honest answer that has the reason of a forgery, or a forgery that is not found: `scoring/forgery/`; then a case in
  `tests/cases/forgeries.yaml` or `tests/cases/harmless.yaml`, `make forgeries`
- which codes are forgeries, and their weights: `FORGERIES` in `scoring/reason_kinds.py`; then `scoring/weights.json`
"""

from __future__ import annotations

from scoring.forgery import arithmetic, voids

VOIDS = (
    voids.condition_void,
    voids.condition_dead,
    voids.result_empty,
    voids.output_constant,
    arithmetic.arithmetic_unasked,
    voids.order_constant,
    voids.rows_sampled,
)
"""The signals of SQL that only seems to answer, in the order of `docs/reasons.md`."""
