"""The local judge, the ceiling on a model's verdict, and the filters a model may propose.

Change this here when it concerns:

- how far one fault or a proof may lower `p_correct`: `ALONE`, `SECOND` and `LEAST_PROVED` in
  `scoring/judging/probability.py`; then `docs/method.md`
- how the record moves a model, and how sure it must be: `scoring/judging/combination.py`; then
  `tests/scoring/test_combination.py`, `docs/judges.md`
- the best verdict a model may give where something is proved or a text gives orders: `scoring/judging/ceiling.py`,
  `scoring/judging/orders.py`; then `docs/judges.md`, `tests/injections.py`
"""
