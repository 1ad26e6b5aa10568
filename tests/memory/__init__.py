"""One in-memory class for each port."""
