"""A study of several methods on one benchmark: EX-TEST, EX-SPOTIT and EX-SPOTIT⁺ side by side.

Change this here when it concerns:

- what a study of methods counts: `evals/study/`; how answers are verified:
  `service/commands/eval/runner/verifying_answers.py`; then `docs/study.md` (`make study`)
"""
