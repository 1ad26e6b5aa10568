"""Says whether two queries mean the same: execution comparison and bounded equivalence, on throw-away databases."""
