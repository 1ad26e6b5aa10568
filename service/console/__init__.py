"""Pages for people: they show agents and explain answers, and people label answers and change rules on them.

Change this here when it concerns:

- a column of the list of answers: in the console `service/console/templates/answers.html`; in its files and in what is
  read, its `Use` in `service/storage/tables/events.py`; in the API `EvaluationItem` in `service/api/evaluations.py`;
  then `docs/api.md`, `make contracts`
- a page of the console: `service/console/`; then `tests/pages/` opens it in Chromium; `docs/console.md`
- a key of the review, or the words of an error type: `service/console/review_keys.py`; what a key does:
  `service/console/static/review.js`; then the table in `docs/trust.md`
"""
