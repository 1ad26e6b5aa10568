"""Reads databases that the user named, and lets a query do nothing but read their tables."""
