"""Aligns what the question asks with what the SQL does: filters first, then the other dimensions."""
