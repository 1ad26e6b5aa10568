"""Aligns what the question asks with what the SQL does: filters first, then the other dimensions.

Change this here when it concerns:

- which conventions are known without rules: `scoring/alignment/conventions.py`; then
  `tests/cases/everyday_faults.yaml`, `docs/method.md`
- how filters are aligned: `scoring/alignment/filters.py`, `scoring/alignment/matching.py`,
  `scoring/alignment/requirements.py`; then `docs/method.md`
- a normalisation rule: `scoring/alignment/normalization.py` (tutorial: `docs/tutorials/add-a-normalisation-rule.md`);
  then `docs/method.md`
"""
