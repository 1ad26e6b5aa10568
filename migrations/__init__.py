"""The schema's history. Revisions only upgrade, under a lock that one process holds."""
