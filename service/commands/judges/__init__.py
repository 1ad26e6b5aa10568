"""`sqlassay judges`: the model that judges."""
