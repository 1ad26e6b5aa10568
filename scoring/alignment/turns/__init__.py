"""Holds the answer to a follow-up against the SQL before it: conditions, groups, measures and values that it keeps.

Change this here when an answer is taken to have lost a part of the turn before which it has, or the other way round;
then a case in `tests/cases/follow_ups.yaml`, `docs/method.md`.
"""
