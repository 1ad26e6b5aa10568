"""Signals of answers that only seem right: conditions, outputs and definitions that do nothing, or too much.

`VOIDS` says that the SQL only seems to do what is asked; `definition_weakens` says that the enriched question excuses
what the SQL leaves out. What does nothing in a query is noted while the query is read (`scoring/sql/`), as a `Void`;
here it is a forgery unless the words of the question allow it. `docs/forgery.md` is the page of this room.

Change this here when it concerns:

- an honest answer that has the reason of a forgery, or a forgery that is not found: `scoring/forgery/`; then a case in
  `tests/cases/forgeries.yaml` or `tests/cases/harmless.yaml`, `make forgeries`
- a part of SQL that does nothing and is not noted yet: `scoring/specification/voids.py`, `scoring/sql/`; then a case
  in `tests/cases/forgeries.yaml`
- which codes are forgeries, and their weights: `FORGERIES` in `scoring/reason_kinds.py`; then `scoring/weights.json`
"""

from __future__ import annotations

from scoring.forgery import voids

VOIDS = (
    voids.condition_void,
    voids.condition_dead,
    voids.result_empty,
    voids.output_constant,
    voids.arithmetic_unasked,
    voids.order_constant,
    voids.rows_sampled,
)
"""The signals of SQL that only seems to answer, in the order of `docs/reasons.md`."""
