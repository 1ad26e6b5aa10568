"""Fills small databases with rows on which two queries are likely to differ."""
