"""The HTTP API: accepts events and labels; serves evaluations, reports and rules."""
