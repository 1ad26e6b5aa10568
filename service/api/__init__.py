"""The HTTP API: events in, evaluations, reports and rules out."""
