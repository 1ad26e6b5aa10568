"""Says when Kafka has deleted records that no worker read: aiokafka goes on behind them and says so in passing."""

from __future__ import annotations

import logging

from service.logs import log

_FETCHER = "aiokafka.consumer.fetcher"
_OUT_OF_RANGE = "Fetch offset %s is out of range for partition %s, resetting offset"


class UnreadRecords(logging.Filter):
    """Replaces the library's line about an offset out of range by a warning of ours."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the library's own line is written."""
        if record.msg != _OUT_OF_RANGE or not isinstance(record.args, tuple):
            return record.levelno >= logging.getLogger().level
        offset, partition = record.args
        log.warning(
            "records_never_read",
            partition=str(partition),
            offset=str(offset),
            effect="Kafka has deleted records from this offset on, or made the topic anew; reading goes on at the first"
            " record that is left",
            fix="keep records for longer than workers may be behind (retention.ms of the topic)",
        )
        return False


def note_unread_records() -> None:
    """Notes them for the rest of the process."""
    fetcher = logging.getLogger(_FETCHER)
    if not any(isinstance(each, UnreadRecords) for each in fetcher.filters):
        fetcher.addFilter(UnreadRecords())
        fetcher.setLevel(logging.INFO)
