"""Wires: settings, adapters, HTTP, metrics, health and commands. Nothing imports it.

Change this here when it concerns:

- what a model is told: a new file in `service/prompts/`, its name in `service/judges/configured_panel.py`; then
  `docs/judges.md`
- how a CSV file is written: `service/csv_tables.py`; it keeps texts from being formulas
"""
