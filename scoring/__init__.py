"""Decides: reads a question and its SQL, aligns them, judges and scores. Pure: same arguments, same score, for ever.

Change this here when it concerns:

- a signal, or what its reason says: `scoring/signals/`, `scoring/reasons.py` (tutorial:
  `docs/tutorials/add-a-signal.md`); then `scoring/weights.json`, `make contracts` (writes its documentation from its
  docstring)
- a reason that is not a signal: `ReasonCode` in `scoring/reasons.py` and the set of its source (`FROM_DATABASE`, …)
  in `scoring/reason_kinds.py`; `UnscoredReason` in `scoring/query.py`, `InvalidReason` in `consumers/wire/events.py`,
  `DeferredReason` in `consumers/evaluation/outcomes.py`; then its row in `docs/reasons.md`, then `make contracts`
  (the console reads its words from there)
- of which kind a reason is, or how much a hint may count: `FORMS`, `HINTS`, `IN_FAVOUR` and `PROOFS` in
  `scoring/reason_kinds.py`; then `scoring/weights.json`, `make contracts`
- the composite score: `scoring/composite.py`; then `scoring.EVALUATOR_VERSION`, `docs/method.md`
- whether projection, aggregation and grouping match: `scoring/matches.py`; then `tests/scoring/test_matches.py`
- the judge's weights: `scoring/weights.json`, written by `sqlassay learn calibrate`; then README's tour:
  `SQLASSAY_TEST_WRITE_README=1 make test ARGS="-k readme"` updates it
- a field of the line out: `scoring/record.py`; then `sqlassay/answers.py`, `docs/commands.md`
- what a decision rule may name, and how far it may move an answer: `scoring/decision_rules.py`; how it is applied:
  `scoring/judging/decided.py`; then `tests/scoring/test_decision_rules.py`, `docs/method.md`
- what a learned rule may say, or how it stands in a prompt: `scoring/learned_rules.py`,
  `consumers/judging/ruled_prompts.py`, `service/prompts/rules-1.md`; then
  `tests/consumers/test_learned_rule_documents.py`
"""

EVALUATOR_VERSION = "1.6.0"
"""Changes whenever the same event could get another score from the same rules and weights."""
