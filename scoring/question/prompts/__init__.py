"""Tells a prompt (a schema, instructions and a question) from a question, and finds the question in it.

Change this here when a question is not found in a prompt, or a question is taken for a prompt.
"""
