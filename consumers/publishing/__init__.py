"""What the service publishes: events for its workers, and results for other systems."""
