"""`sqlassay eval run`, `eval compare` and `eval leaderboard`: an agent over a benchmark.

Change this here when it concerns:

- an option of `sqlassay eval run`: `service/commands/eval/runner/run_options.py`; one that decides the result belongs
  to `_identity` in `service/commands/eval/runner/run.py` too; then `docs/commands.md`
- the benchmark that a run has without `--benchmark`: `service/commands/eval/runner/shipped/`; then
  `tests/evals/runner/test_shipped_benchmark.py`
- what reviews become a benchmark: `service/commands/eval/runner/collect_benchmark.py`; then `docs/commands.md`
"""
