"""Collects what two queries compare: literals, columns that are compared with each other, and numbers of rows.

Change this here when it concerns:

- which databases `verify` tries: `references/equivalence/facts/` (what the queries compare),
  `references/equivalence/data/` (values and sizes), `references/equivalence/search/` (order of trials); then a case
  in `tests/cases/equivalence.yaml`
- when two queries are not equal because nothing was seen of what they differ in: `differing.py`,
  `references/equivalence/search/exercised.py`; what is read inside values: `readings.py`; then a case in
  `tests/cases/unseen.yaml`
"""
