"""What is said of an answer that came with a reference, and how it is written down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from references.equivalence.pair import EquivalenceVerdict, Finding, Rung, Witness
from references.equivalence.record import finding_record, plain
from references.sandbox import Row
from references.semantics import Semantics

if TYPE_CHECKING:
    # to say what a finding is, nobody needs the parser that linting does
    from references.lint import ReferenceDoubt


class ReferenceVerdict(StrEnum):
    """What is said of an answer that came with a reference."""

    PENDING = "pending"
    """Not judged yet."""
    EQUIVALENT = "equivalent_up_to_bound"
    """Proved: no database with at most `bound` rows a table tells the two apart."""
    NOT_REFUTED = "not_refuted"
    """Nothing tells them apart, and nothing was proved."""
    DIFFERENT = "different"
    """A small database was found on which they give different results."""
    UNSUPPORTED = "unsupported"
    """One of the two cannot be run here without another meaning."""
    ERROR = "error"
    """The answer cannot be read or run."""
    UNFIT_REFERENCE = "unfit_reference"
    """The reference cannot be read or run."""
    NOT_JUDGED = "not_judged"
    """The two were not looked at; the reason is one of `NotJudged`."""


class NotJudged(StrEnum):
    """Why an answer was not judged by its reference."""

    OFF = "OFF"
    """The settings say so."""
    TEXTS_WITHHELD = "TEXTS_WITHHELD"
    """The tenant's texts are not stored, or were forgotten: there is nothing to run."""
    WAITED_TOO_LONG = "WAITED_TOO_LONG"
    """More references came than could be judged, and newer ones went first."""
    RAN_OVER = "RAN_OVER"
    """It went on past its deadline, and its process was ended."""
    PROCESS_ENDED = "PROCESS_ENDED"
    """It ended its process, most likely by the memory it wanted."""
    FAILED = "FAILED"
    """A bug; the log names it."""
    GIVEN_UP = "GIVEN_UP"
    """Whoever took it did not come back, several times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPair:
    """An answer and its reference, as an event carries them."""

    reference: str
    """May stand for several queries, as `compare` reads them."""
    answer: str
    dialect: str | None = None
    """Of both; `None` is guessed from the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceFinding:
    """What is said of an answer, and what it rests on."""

    verdict: ReferenceVerdict
    finding: Finding
    """Of the alternative that says most for the answer."""
    semantics: Semantics = Semantics.BAG
    alternative: str | None = None
    """Which of several queries the reference stands for; `None` where it stands for one."""
    left_out: bool = False
    """It stands for more queries than were tried."""
    doubts: tuple[ReferenceDoubt, ...] = ()
    """What leaves the reference's own answer open."""

    @property
    def rung(self) -> Rung | None:
        """Of the witness."""
        return self.finding.rung


def not_judged(why: NotJudged) -> ReferenceFinding:
    """That an answer was not judged, and why."""
    return ReferenceFinding(
        verdict=ReferenceVerdict.NOT_JUDGED,
        finding=Finding(verdict=EquivalenceVerdict.NOT_REFUTED, reason=why.value),
    )


_LONGEST_CELL = 200
_LONGEST_TEXT = 2_000
_MOST_ROWS = 50
_MOST_DOUBTS = 20


def reference_record(found: ReferenceFinding) -> dict[str, object]:
    """The finding as JSON that a database and a topic can hold, whatever the queries gave: texts and rows are cut."""
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
    """A text shortened, without what no database text holds; anything else as it is.

    >>> _cut("a\\0b"), _cut("abc", 2), _cut(None)
    ('a�b', 'a…', None)
    """
    if not isinstance(value, str):
        return value
    text = value.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
