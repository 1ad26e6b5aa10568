"""Reads one Kafka topic to the end of each record and commits only what has ended."""
