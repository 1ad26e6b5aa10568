"""Reads one Kafka topic to the end of each record and commits only what has ended.

Change this here when it concerns:

- what is committed, retried, dead-lettered or deferred: decisions: `offsets.py`, `progress.py`, `commits.py`,
  `backlog.py`, `dead_letters.py`, `dead_letter_limit.py` and `dead_letter_queue.py` in `consumers/stream/`,
  `consumers/evaluation/deferrals.py`, `consumers/queueing/shares.py`, `consumers/queueing/retrying.py`;
  `consumers/stream/driver.py` and `consumers/pool/pool.py` carry them out; then `docs/stream.md`
- what a dead letter holds, its key or its headers: `consumers/stream/dead_letters.py`; then `docs/stream.md`, `make
  contracts`
- how Kafka is read or written: `consumers/stream/routers.py`, `service/kafka/consumer.py`, `service/kafka/client.py`,
  `service/kafka/library/` (all that is replaced inside aiokafka)
"""
