"""What people and programs keep for the console: runs of benchmarks to compare, and views of its lists.

Change this here when it concerns:

- a saved view, or which lists have views: `service/storage/console/saved_views.py`,
  `service/console/saved_views_page.py`; then `docs/console.md`
- what is kept of a run, or how many runs: `service/storage/console/eval_runs.py`, `service/api/runs/eval_runs.py`;
  then `docs/console.md`
"""
