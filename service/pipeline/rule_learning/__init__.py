"""Learning rules with models over HTTP: the models, their budget, the journal of their replies, and their prompts.

Change this here when it concerns:

- how rules are learned from labels: `learning/rules/` (clusters, refinement, choice),
  `service/pipeline/rule_learning/` (models), the prompt files `extract-1`, `refine-1` and `consolidate-1`; then
  `docs/learning.md`, the `learner` of `tests/servers/model_process.py`
"""
