"""Learning rules with models over HTTP: the models, their budget, the journal of their replies, and their prompts."""
