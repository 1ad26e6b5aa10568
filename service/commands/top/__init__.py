"""`sqlassay top`: what an installation does now, for whoever is on call."""
