"""`sqlassay rules mine` and `rules accept`: rules that a tenant's own answers propose.

Change this here when it concerns:

- which habits are proposed as rules, and how sure they must be: `learning/mining/`: `evidence.py` (the bars),
  `added_conditions.py`, `mappings.py`, `decisions.py` (decision rules; `decision_gains.py`: their test); where
  answers come from: `service/commands/mining/`; then `tests/learning/test_mining.py`, `docs/method.md`
- what is read from a data dictionary: `learning/dictionary/`: one module for each kind of file (`markdown.py`,
  `ddl.py`, `dbt.py`) and of statement (`codes.py`, `definitions.py`, `exclusions.py`, `states.py`, `units.py`); then
  `tests/cases/dictionaries.yaml`
- a kind of proposed rule: `ProposalKind` and `ProposedRule` in `learning/mining/proposals.py`, what finds it in
  `learning/mining/`, `mine_rules.py` there; then `tests/learning/test_mining.py`, `docs/method.md`
"""
