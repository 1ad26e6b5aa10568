"""`sqlassay eval`: the commands that measure judges and agents."""
