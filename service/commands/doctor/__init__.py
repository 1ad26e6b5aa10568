"""`sqlassay doctor`: what is wrong with an installation, and how to correct it.

Change this here when it concerns:

- a check of `sqlassay doctor`: `service/commands/doctor/`: `database_checks.py`, `role_checks.py`,
  `index_checks.py`, `kafka_checks.py`, `topic_checks.py`, `right_checks.py`, `member_checks.py`, `other_checks.py`;
  then `docs/commands.md`; a planted fault in `tests/service/commands/test_doctor.py`
"""
