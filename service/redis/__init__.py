"""Redis: cached rules, shared budgets and replies. Nothing that cannot be had elsewhere."""
