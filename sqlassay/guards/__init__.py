"""Guards for agents: SQL that scores badly goes back to the model, with the reasons, before it is used.

One module for each framework: `pydantic_ai`, `langchain` and `openai_agents`.

Change this here when it concerns:

- a guard for a framework of agents: `sqlassay/guards/`: a module for each framework, which reads its messages; when
  the model is asked again: `guard.py`; then `docs/library.md`, `tests/library/test_guards.py` (its `PACKAGES` for
  `make nightly`)
"""
