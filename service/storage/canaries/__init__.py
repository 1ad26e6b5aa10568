"""Answers to canaries: kept apart from all other answers, so that no mean, list or alarm can read them."""
