"""What one process runs: intake, worker, backfill, and forgetting a tenant, an event or a reviewer."""
