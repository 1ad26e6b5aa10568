"""Says after every answer whether an agent has become worse, with at most one false alarm in 20 agent-years.

Change this here when it concerns:

- when an agent's alarm goes on or off: `evals/alarms/`: `fall.py` (its own past), `below.py` (the tenant's bound),
  `detector.py` (how many may be false), `repeats.py` and `spread.py` (what counts less); which answers count:
  `service/storage/alarms/`; then `tests/evals/test_alarms.py`, the tables of `sqlassay bench alarms` and `sqlassay
  bench year` in `docs/operations.md`
- when an agent counts as silent: `evals/alarms/rhythm.py`; which answers count:
  `service/storage/alarms/agent_rhythms.py`; then `tests/evals/test_rhythm.py`, the table in `docs/operations.md`
- what an incident says of a fall, or when one opens: `evals/alarms/fall_cause.py` (version and day),
  `service/storage/incidents/` (figures, words, history); the page: `service/console/incident_page.py`; then
  `tests/service/test_incidents.py`, `docs/console.md`
"""
