"""Work that runs in processes of its own: scoring, and judging by references."""
