"""Tells a prompt (a schema, instructions and a question) from a question, and finds the question in it."""
