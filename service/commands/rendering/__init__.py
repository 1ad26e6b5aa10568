"""What a person at a terminal sees, as rich tables."""
