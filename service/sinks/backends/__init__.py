"""One module for each backend: how its requests look.

Change this here when it concerns:

- a tool that scores are sent to: a module in `service/sinks/backends/` (how its requests look), its name in
  `service/sinks/configured_sinks.py`, its settings in `service/settings/sink_settings.py`; when one is sent again:
  `service/sinks/write_scores.py`; then `docs/sinks.md`, `tests/storage/test_sinks.py`
"""
