"""A model that compares an answer with gold SQL: what it is shown, how it is asked, and what it says."""
