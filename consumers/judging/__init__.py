"""Asks the judges about a case: chooses the judge, writes a model's prompt, calls it and reads its reply.

Change this here when it concerns:

- what a model is shown, or what its reply may contain: `consumers/judging/prompting.py`, `case_context.py` and
  `opinions.py` there; then the prompt file
"""
