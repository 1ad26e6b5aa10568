"""Work in separate processes: scoring, and judging by references."""
