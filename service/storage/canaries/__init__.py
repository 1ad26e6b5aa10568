"""Answers to canaries: kept apart from all other answers, so that no mean, list or alarm can read them.

Change this here when a canary's answer is stored or removed in another way; then `docs/references.md`.
"""
