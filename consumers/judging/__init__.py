"""Asks the judges about a case: who is asked, what a model is shown, and what its reply may change."""
