"""What the status page reads from PostgreSQL."""
