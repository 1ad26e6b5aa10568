"""Says whether two queries mean the same, by running both and by bounded equivalence on throw-away databases."""
