"""`sqlassay dead-letters` and `skip`: what could not be scored, and what cannot be read."""
