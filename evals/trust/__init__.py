"""How far people and the judge agree, and people among themselves.

Change this here when it concerns:

- how the agreement of people and the judge is measured in the console: `evals/trust/`; then `docs/console.md`
"""
