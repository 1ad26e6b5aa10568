"""The HTTP API: accepts events and labels; serves evaluations, reports and rules.

Change this here when it concerns:

- a route: `service/api/`; then `docs/api.md`, `make contracts`
- a filter of the list of answers: `ListQuery` in `service/api/evaluations.py`; `EvaluationFilter` and its conditions
  in `service/storage/scores/evaluation_pages.py`; in the console `_CHOICES` in `service/console/answer_list_page.py`,
  or `ListForm` in `service/console/forms.py` where the API lacks it; then `docs/api.md`, `docs/console.md`, `make
  contracts`
"""
