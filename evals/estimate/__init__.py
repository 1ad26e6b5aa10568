"""Estimates which share of an agent's answers is right, with an interval, from labels of some and scores of all.

Change this here when it concerns:

- how the share of right answers is estimated: `evals/estimate/`: `right_share.py` (from labels), `exact_intervals.py`
  (the interval of a few labels), `random_draw.py` (labels that are no random draw); what labels the service uses:
  `service/storage/scores/estimated_reports.py`; then the table in `docs/trust.md`
"""
