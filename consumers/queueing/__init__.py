"""Queues that group items and share room fairly. Nothing here knows what an event is."""
