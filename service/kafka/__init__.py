"""Kafka: the client, the dead-letter topic and the results topic.

Change this here when it concerns:

- how we log in to Kafka: `service/kafka/login.py` (TLS, SASL), `service/kafka/tokens.py`; then `docs/connections.md`,
  `tests/service/test_kafka_logins.py`
"""
