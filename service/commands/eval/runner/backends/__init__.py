"""What gives SQL for a case: recorded predictions, an async callable, an HTTP endpoint, or a model with a prompt."""
