"""Says after every answer whether an agent has become worse, with at most one false alarm in 20 agent-years."""
