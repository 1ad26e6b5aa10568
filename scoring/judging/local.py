"""The local judge: combines weighted signals into the probability that the SQL answers the question."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import cast

from scoring import EVALUATOR_VERSION
from scoring.calibration import TenantCalibration
from scoring.judging.added_reasons import moved, with_reasons
from scoring.judging.database import database_reasons
from scoring.judging.decided import decision_reasons
from scoring.judging.letters import doubted
from scoring.judging.probability import Probability, counted
from scoring.reason_kinds import FORGERIES, FORMS
from scoring.reasons import ReasonCode
from scoring.signals import SIGNALS, Signal, read_signals
from scoring.signals.finding import Finding
from scoring.verdict import Case, Reason, Reply, Verdict

MOST_REASONS = 8
"""Most reasons a reply carries."""
LEAST_MOVE = 0.02
"""Smallest move of the log-odds that is given as a reason."""


class InvalidWeightsError(ValueError):
    """The weights document does not fit this evaluator's signals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Least `p_correct`, in [0, 1], of each verdict but `Incorrect`; strictly falling."""

    correct: float
    likely: float
    potentially: float

    def verdict(self, p_correct: float) -> Verdict:
        """The verdict of a probability.

        >>> Thresholds(correct=0.7, likely=0.5, potentially=0.3).verdict(0.5).value
        'Likely Correct'
        """
        if p_correct >= self.correct:
            return Verdict.CORRECT
        if p_correct >= self.likely:
            return Verdict.LIKELY_CORRECT
        return Verdict.POTENTIALLY_INCORRECT if p_correct >= self.potentially else Verdict.INCORRECT


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The log-odds that each signal moves, and the thresholds of the verdicts; read from a versioned data file."""

    version: str
    probability: Probability
    """The intercept, and the range of `p_correct`."""
    weights: Mapping[ReasonCode, float]
    """Log-odds that a signal of strength 1 adds; negative counts against the answer. A form's counts in strict form."""
    thresholds: Thresholds


def load_weights(document: Mapping[str, object]) -> Weights:
    """Reads a weights document; raises `InvalidWeightsError` that names what is wrong.

    Every signal must have a weight and every weight a signal, so that a renamed code loses none.
    """
    try:
        given = {ReasonCode(code): _number(value) for code, value in _object(document, "weights").items()}
        bounds = {name: _number(value) for name, value in _object(document, "thresholds").items()}
        thresholds = Thresholds(**bounds)
        version = str(document["version"])
        least, most = _range(document)
        probability = Probability(intercept=_number(document["intercept"]), least=least, most=most)
    except KeyError as error:
        raise InvalidWeightsError(f"weights file lacks {error}; make one with `sqlassay learn calibrate`") from error
    except (ValueError, TypeError) as error:
        raise InvalidWeightsError(f"weights file: {error}; make one with `sqlassay learn calibrate`") from error
    lacking = sorted(SIGNALS.keys() - given.keys())
    if lacking:
        raise InvalidWeightsError(f"weights file {version} has no weight for {', '.join(lacking)}")
    return Weights(version=version, probability=probability, weights=given, thresholds=thresholds)


def _object(document: Mapping[str, object], key: str) -> dict[str, object]:
    value = document[key]
    if not isinstance(value, dict):
        raise TypeError(f"'{key}' is not an object")
    return cast("dict[str, object]", value)


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is not a finite number")
    return float(value)


def _range(document: Mapping[str, object]) -> tuple[float, float]:
    """The range of `p_correct`. Weights files before version 4 keep the same `label_noise` from both ends."""
    noise = _number(document.get("label_noise", 0.0))
    least = _number(document.get("least_p_correct", noise))
    most = _number(document.get("most_p_correct", 1 - noise))
    if not 0 <= least < 0.5 < most <= 1:
        raise ValueError(f"p_correct from {least} to {most}: needs 0 ≤ least < 0.5 < most ≤ 1")
    return least, most


@dataclass(frozen=True, slots=True)
class LocalJudge:
    """Weighs the signals of a case: Stage 4 without a model."""

    weights: Weights
    heeded: Mapping[ReasonCode, Signal]
    """The signals that can move this judge: those with a weight."""

    @classmethod
    def of(cls, weights: Weights) -> LocalJudge:
        """The judge that uses `weights`."""
        heeded = {code: signal for code, signal in SIGNALS.items() if weights.weights[code] != 0}
        return cls(weights, MappingProxyType(heeded))

    @property
    def name(self) -> str:
        """The judge's name in a stored score."""
        return f"local/{self.weights.version}"

    def judge(self, case: Case) -> Reply:
        """The verdict on a case, with the reasons that moved it most."""
        reply = self._judged(case)
        calibration = case.rules.calibration
        if calibration is None or not calibration.applies_to(self.name, EVALUATOR_VERSION):
            return reply
        return self._calibrated(case, reply, calibration)

    def _judged(self, case: Case) -> Reply:
        if case.unparseable is not None:
            return self._unparseable(case.unparseable)
        findings = doubted(read_signals(case, self.heeded), case)
        reply = self.weigh(findings, strict_form=case.rules.strict_form)
        said = database_reasons(case, reply.reasons)
        reply = self._with(reply, said)
        if not case.rules.decision_rules:
            return reply
        fired = findings.keys() | {each.code for each in said}
        return self._with(reply, decision_reasons(case, reply, lambda code: code in fired or self._fires(code, case)))

    def _fires(self, code: ReasonCode, case: Case) -> bool:
        """Whether a signal without a weight fires: only decision rules ask for it."""
        return code in SIGNALS and code not in self.heeded and SIGNALS[code](case) is not None

    def _calibrated(self, case: Case, reply: Reply, calibration: TenantCalibration) -> Reply:
        """The reply by the tenant's calibration. What is proved, or did not run, keeps its probability."""
        proved = case.ran_nothing or any(each.code in FORGERIES for each in reply.reasons)
        p_correct = reply.p_correct if proved else round(calibration.of(reply.p_correct), 4)
        return replace(
            reply,
            verdict=self.weights.thresholds.verdict(p_correct),
            confidence=reply.confidence if proved else round(max(p_correct, 1 - p_correct), 4),
            p_correct=p_correct,
            p_judge=reply.p_correct,
            judge=calibration.name,
        )

    def _with(self, reply: Reply, found: Sequence[Reason]) -> Reply:
        """The reply with these reasons, if there are any."""
        if not found:
            return reply
        p_correct = moved(reply.p_correct, math.fsum([each.weight for each in found]))
        return with_reasons(reply, found, self.weights.thresholds.verdict(p_correct), p_correct, MOST_REASONS)

    def _unparseable(self, why: str) -> Reply:
        """SQL that does not parse is certainly no answer."""
        reason = Reason(code=ReasonCode.SQL_UNPARSEABLE, detail=why)
        return Reply(verdict=Verdict.INCORRECT, confidence=1.0, p_correct=0.0, reasons=(reason,), judge=self.name)

    def weigh(self, findings: Mapping[ReasonCode, Finding], *, strict_form: bool = False) -> Reply:
        """`p_correct` of the moves weight × strength; γ = max(p, 1 − p). Forms move it in `strict_form` only.

        Reasons come strongest first, ties in the order of `SIGNALS`; forms come after all others.
        """
        by_code = self.weights.weights
        moves = [
            (code, by_code[code] * finding.strength if strict_form or code not in FORMS else 0.0)
            for code, finding in findings.items()
        ]
        moves = counted(moves)
        p_correct = self.weights.probability.of(moves)
        ranked = sorted([(code in FORMS, -abs(move), place, code, move) for place, (code, move) in enumerate(moves)])
        shown = [each for each in ranked if each[0] or abs(each[4]) >= LEAST_MOVE]
        return Reply(
            verdict=self.weights.thresholds.verdict(p_correct),
            confidence=round(max(p_correct, 1 - p_correct), 4),
            p_correct=round(p_correct, 4),
            reasons=tuple(
                [
                    Reason(code=code, detail=findings[code].detail, weight=round(move, 3))
                    for _, _, _, code, move in shown[:MOST_REASONS]
                ]
            ),
            judge=self.name,
        )
