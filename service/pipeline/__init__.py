"""What one process runs: intake, worker, backfill, and removal of texts."""
