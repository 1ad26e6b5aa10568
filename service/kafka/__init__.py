"""Kafka: the client, the dead-letter topic and the results topic."""
