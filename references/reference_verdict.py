"""Verdicts on answers that have a reference, and their JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from references.equivalence.finding_json import finding_record, plain
from references.equivalence.pair import EquivalenceVerdict, Level, PairFinding, Witness
from references.sandbox import Row
from references.semantics import Semantics

if TYPE_CHECKING:
    # Linting needs the SQL parser, which readers of verdicts do not load.
    from references.lint import ReferenceDoubt


class ReferenceVerdict(StrEnum):
    """The verdict on an answer that has a reference."""

    PENDING = "pending"
    """Not judged yet."""
    EQUIVALENT = "equivalent_up_to_bound"
    """Proved: the two agree on every database with at most `bound` rows per table."""
    NOT_REFUTED = "not_refuted"
    """No difference was found, and nothing was proved."""
    DIFFERENT = "different"
    """They give different results on a small database that was found."""
    UNSUPPORTED = "unsupported"
    """One of the two cannot be run here with its meaning."""
    ERROR = "error"
    """The answer cannot be read or run."""
    UNFIT_REFERENCE = "unfit_reference"
    """The reference cannot be read or run."""
    NOT_JUDGED = "not_judged"
    """The two were not compared; the reason is one of `NotJudged`."""


class NotJudged(StrEnum):
    """Why an answer was not judged by its reference."""

    OFF = "OFF"
    """The settings turn it off."""
    TEXTS_WITHHELD = "TEXTS_WITHHELD"
    """The tenant's texts are not stored or were deleted: there is nothing to run."""
    WAITED_TOO_LONG = "WAITED_TOO_LONG"
    """More references arrived than could be judged; newer ones come first."""
    RAN_OVER = "RAN_OVER"
    """It exceeded its deadline, and its process was killed."""
    PROCESS_ENDED = "PROCESS_ENDED"
    """Its process died, most likely out of memory."""
    FAILED = "FAILED"
    """A bug; the log has the details."""
    GIVEN_UP = "GIVEN_UP"
    """Several processes that took it never finished."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPair:
    """An answer and its reference, as an event carries them."""

    reference: str
    """May stand for several queries, in the notation of `compare`."""
    answer: str
    dialect: str | None = None
    """The dialect of both; `None` is guessed from the answer."""
    schema: str | None = None
    """DDL; when `None`, the schema is inferred from the queries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceFinding:
    """The verdict on an answer, and the finding behind it."""

    verdict: ReferenceVerdict
    finding: PairFinding
    """The finding of the alternative that is most favourable to the answer."""
    semantics: Semantics = Semantics.BAG
    alternative: str | None = None
    """The alternative that counts; `None` when the reference stands for one query."""
    left_out: bool = False
    """Whether the reference stands for more queries than were tried."""
    doubts: tuple[ReferenceDoubt, ...] = ()
    """Doubts about the reference itself."""

    @property
    def level(self) -> Level | None:
        """The level of the witness."""
        return self.finding.level


def not_judged(why: NotJudged) -> ReferenceFinding:
    """Returns a finding that the answer was not judged."""
    return ReferenceFinding(
        verdict=ReferenceVerdict.NOT_JUDGED,
        finding=PairFinding(verdict=EquivalenceVerdict.NOT_REFUTED, reason=why.value),
    )


_LONGEST_CELL = 200
_LONGEST_TEXT = 2_000
_MOST_ROWS = 50
_MOST_DOUBTS = 20


def reference_record(found: ReferenceFinding) -> dict[str, object]:
    """Returns the finding as JSON for the store and the topic. Long texts and results are cut."""
    record = finding_record(found.finding)
    witness = found.finding.witness
    return {
        **record,
        "verdict": found.verdict.value,
        "assumption": _cut(record["assumption"], _LONGEST_TEXT),
        "reason": _cut(found.finding.reason, _LONGEST_TEXT),
        "counterexample": _counterexample(witness) if witness is not None else None,
        "semantics": found.semantics.value,
        "alternative": _cut(found.alternative, _LONGEST_TEXT),
        "left_out": found.left_out,
        "doubts": [
            {"code": each.doubt.value, "detail": _cut(each.detail, _LONGEST_CELL)}
            for each in found.doubts[:_MOST_DOUBTS]
        ],
    }


def _counterexample(witness: Witness) -> dict[str, object]:
    return {
        "tables": {_cut(name): _rows(witness.columns[name], rows) for name, rows in witness.rows.items()},
        "reference": _rows(witness.result_a.columns, witness.result_a.rows),
        "answer": _rows(witness.result_b.columns, witness.result_b.rows),
    }


def _rows(columns: Sequence[str], rows: Sequence[Row]) -> dict[str, object]:
    cells = [[_cut(plain(cell)) for cell in row] for row in rows[:_MOST_ROWS]]
    return {"columns": [_cut(name) for name in columns], "rows": cells, "rows_in_all": len(rows)}


def _cut(value: object, longest: int = _LONGEST_CELL) -> object:
    """Shortens a text and replaces NUL, which no database text may contain. Other values are unchanged.

    >>> _cut("a\\0b"), _cut("abc", 2), _cut(None)
    ('a�b', 'a…', None)
    """
    if not isinstance(value, str):
        return value
    text = value.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
