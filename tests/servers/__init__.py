"""Real servers for tests: Apache Kafka, PostgreSQL 15 and 18, Redis; on loopback ports and in folders of their own.

`python -m tests.servers` installs what they need where it may, and says what is missing where it may not.
"""
