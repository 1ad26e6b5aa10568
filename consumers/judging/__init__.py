"""Asks the judges about a case: chooses the judge, writes a model's prompt, calls it and reads its reply."""
