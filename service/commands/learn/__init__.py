"""`sqlassay learn`: what labels teach, as weights of the judge and as calibrations of tenants.

Change this here when it concerns:

- how labels become weights: `learning/fitting.py`, `learning/selection.py` (bounds), `learning/calibration.py`; then
  `docs/trust.md`
- a tenant's own calibration: `learning/tenant_calibration.py` (the fit and its guard), `scoring/calibration.py` (its
  bounds); then `docs/trust.md`
"""
