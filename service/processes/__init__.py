"""Work on texts that may be costly to read, in processes that can be ended: scoring, references, rules."""
