"""Pages for people: they show agents and explain answers, and people label answers and change rules on them."""
