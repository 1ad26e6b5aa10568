"""The stages of a record in the pool, and which result of a stage leads to which next stage.

    DECODING → LOOKING_UP → EXAMINING → WRITING → PUBLISHING → ENDED
                                └→ ASKING ┘

An event that cannot be scored yet leaves for DEFERRING. A record of an event that is on its way already is FOLLOWING.
An event that takes long in EXAMINING goes on in EXAMINING_ALONE.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class Stage(StrEnum):
    """Where a record is."""

    DECODING = "decoding"
    """It is not known to be an event yet."""
    FOLLOWING = "following"
    """Another record of the same event is worked on; this one waits for its outcome."""
    LOOKING_UP = "looking_up"
    """It waits for the claim on its key, and for its tenant's rules."""
    EXAMINING = "examining"
    """It is scored as far as no model is needed."""
    EXAMINING_ALONE = "examining_alone"
    """It took long in its chunk, and is scored alone."""
    ASKING = "asking"
    """It waits for a model."""
    WRITING = "writing"
    """Its row waits for a transaction."""
    DEFERRING = "deferring"
    """Its deferral waits for a transaction."""
    PUBLISHING = "publishing"
    """Its result waits to be published."""
    ENDED = "ended"
    """It has an outcome, and its receipt is resolved."""


class StageResult(StrEnum):
    """What came of a stage."""

    FIRST_OF_EVENT = "first_of_event"
    """No other record of the event is worked on."""
    ANOTHER_OF_EVENT = "another_of_event"
    """A record of the same event is worked on."""
    NEW = "new"
    """The event is not stored, and its rules are known."""
    EVALUATED = "evaluated"
    """There is a row to write."""
    NOT_REACHED = "not_reached"
    """The tenant's other events in the chunk took all its time."""
    TOOK_LONG = "took_long"
    """The event took more time than its tenant has in a chunk, or ended its process."""
    NEEDS_MODEL = "needs_model"
    """The local judge does not decide alone."""
    STORED = "stored"
    """A row is stored under the event's key: this event's or an earlier one's."""
    MUST_WAIT = "must_wait"
    """Something is missing, and the event is tried again later."""
    TRIED_TOO_OFTEN = "tried_too_often"
    """Something is missing after the last try: the event is stored without a score."""
    HAS_OUTCOME = "has_outcome"
    """Nothing is left to do for the record."""


TRANSITIONS: Mapping[Stage, Mapping[StageResult, Stage]] = MappingProxyType(
    {
        Stage.DECODING: {
            StageResult.FIRST_OF_EVENT: Stage.LOOKING_UP,
            StageResult.ANOTHER_OF_EVENT: Stage.FOLLOWING,
            StageResult.HAS_OUTCOME: Stage.ENDED,
        },
        Stage.FOLLOWING: {
            # the event it followed had other content and was not stored
            StageResult.FIRST_OF_EVENT: Stage.LOOKING_UP,
            StageResult.ANOTHER_OF_EVENT: Stage.FOLLOWING,
            StageResult.HAS_OUTCOME: Stage.ENDED,
        },
        Stage.LOOKING_UP: {
            StageResult.NEW: Stage.EXAMINING,
            StageResult.STORED: Stage.PUBLISHING,
            StageResult.MUST_WAIT: Stage.DEFERRING,
            StageResult.TRIED_TOO_OFTEN: Stage.WRITING,
            StageResult.HAS_OUTCOME: Stage.ENDED,
        },
        Stage.EXAMINING: {
            StageResult.NOT_REACHED: Stage.LOOKING_UP,
            StageResult.TOOK_LONG: Stage.EXAMINING_ALONE,
            StageResult.EVALUATED: Stage.WRITING,
            StageResult.NEEDS_MODEL: Stage.ASKING,
            StageResult.MUST_WAIT: Stage.DEFERRING,
            StageResult.TRIED_TOO_OFTEN: Stage.WRITING,
            StageResult.HAS_OUTCOME: Stage.ENDED,
        },
        Stage.EXAMINING_ALONE: {
            StageResult.EVALUATED: Stage.WRITING,
            StageResult.NEEDS_MODEL: Stage.ASKING,
            StageResult.MUST_WAIT: Stage.DEFERRING,
            StageResult.TRIED_TOO_OFTEN: Stage.WRITING,
            StageResult.HAS_OUTCOME: Stage.ENDED,
        },
        Stage.ASKING: {
            StageResult.EVALUATED: Stage.WRITING,
            StageResult.MUST_WAIT: Stage.DEFERRING,
            StageResult.TRIED_TOO_OFTEN: Stage.WRITING,
            StageResult.HAS_OUTCOME: Stage.ENDED,
        },
        Stage.WRITING: {
            StageResult.STORED: Stage.PUBLISHING,
            StageResult.MUST_WAIT: Stage.DEFERRING,
            StageResult.TRIED_TOO_OFTEN: Stage.WRITING,
            StageResult.HAS_OUTCOME: Stage.ENDED,
        },
        Stage.DEFERRING: {StageResult.HAS_OUTCOME: Stage.ENDED},
        Stage.PUBLISHING: {StageResult.HAS_OUTCOME: Stage.ENDED},
        Stage.ENDED: {},
    }
)
"""The whole way of a record. A result that a stage does not list is a bug and raises `KeyError`."""
