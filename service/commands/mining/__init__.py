"""`sqlassay rules mine` and `rules accept`: rules that a tenant's own answers propose."""
