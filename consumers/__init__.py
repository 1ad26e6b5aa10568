"""Handles: one event in, one counted outcome out. Knows scoring and ports, never an adapter.

Change this here when it concerns:

- what happens to an event: `consumers/decoding.py`, `consumers/score_events.py`, the stages of the pool in
  `consumers/pool/stages.py`
"""
