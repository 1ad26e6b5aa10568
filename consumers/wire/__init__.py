"""The wire contract: validates events, envelopes and rules as they arrive.

Change this here when it concerns:

- a field of an event, or of the rules: `consumers/wire/events.py`, `consumers/wire/rules_document.py`; then
  `docs/commands.md`, `docs/method.md`, `make contracts`
- the fields of an event's `result`, or of a schema: `consumers/wire/run_results.py`,
  `consumers/wire/schema_document.py`; what is kept of an error's message: `consumers/wire/masked_errors.py`; then
  `docs/events.md`, `docs/method.md`, `make contracts`
- the earlier turns of an event, or how many are accepted: `consumers/wire/history.py`; then `docs/events.md`, `make
  contracts`
- the fields of a label: `consumers/wire/labels.py`; then `docs/api.md`, `docs/contracts/` (`make contracts`)
- an input: `consumers/wire/envelopes.py`, `consumers/spans/`, `service/otlp/`; then `docs/events.md`
"""
