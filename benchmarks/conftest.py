"""Keeps pytest from collecting the generators of rows: they have no doctests, and all have the same name."""

collect_ignore_glob = ["everyday/*/*/data.py"]
