"""Compares an answer with a reference by running both."""
