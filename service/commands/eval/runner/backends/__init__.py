"""What gives SQL for a case: recorded predictions, an async callable, an HTTP endpoint, or a model with a prompt.

Change this here when it concerns:

- what gives the SQL of a run: `service/commands/eval/runner/backends/`; then `docs/eval.md`
"""
