"""What one process runs: intake, worker, backfill, and forgetting a tenant, an event or a reviewer.

Change this here when it concerns:

- what rules in the console are tried on: `service/pipeline/rules_effect.py` (the figures),
  `service/processes/effect_process.py` (the process that scores); then `docs/console.md`
- what counts as a server that is down: `service/pipeline/dependency_watch.py` (when),
  `service/pipeline/dependency_probes.py` (how); then `docs/metrics.md`
"""
