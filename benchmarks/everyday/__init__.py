"""A public benchmark of judges without references on everyday business questions; `docs/everyday.md` is its page.

Change this here when it concerns:

- a label, a question or a company of the everyday benchmark: `benchmarks/everyday/`: the company's folder; how
  answers are run: `execute.py`, `databases.py`, `functions.sql`; then the tables of `docs/everyday.md`,
  `tests/benchmarks/test_everyday.py`; measure a judge on `report` only with a line in that page's log
"""
