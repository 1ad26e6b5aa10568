"""A model that compares an answer with gold SQL: what it is shown, how it is asked, and what it says.

Change this here when the prompt that shows a model the gold SQL, its
verdicts, or a published baseline changes.
"""
