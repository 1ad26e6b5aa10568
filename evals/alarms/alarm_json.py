"""The state of an agent's alarms as JSON, so that another process goes on where one stopped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from evals.alarms.agent_alarm import AgentAlarm
from evals.alarms.below import STAKES, BelowAlarm
from evals.alarms.detector import Detector
from evals.alarms.fall import BINS, FALLS, FallAlarm, Past
from evals.alarms.repeats import LatelyAsked
from evals.alarms.spread import NeighbourSpread

FORM = f"3/{BINS}/{len(FALLS)}/{len(STAKES)}"
"""What the numbers mean. State of another form is not read, and the alarms begin anew."""


def to_json(alarm: AgentAlarm) -> dict[str, object]:
    """The state as JSON, which later answers do not change.

    >>> alarm = AgentAlarm()
    >>> from_json(to_json(alarm)) == alarm
    True
    """
    fall = alarm.fall
    return {
        "form": FORM,
        "moment": alarm.moment,
        "answers": alarm.answers,
        "asked": [[question, times, first] for question, (times, first) in alarm.lately.questions.items()],
        "fall": {
            "past": list(fall.past.counts),
            "recent": list(fall.recent),
            "spread": asdict(fall.spread),
            "growth": fall.growth,
            "evidence": list(fall.detector.evidence),
            "bet": fall.bet,
            "recovery": fall.recovery,
        },
        "below": _below_json(alarm.below),
        "wrong": _below_json(alarm.wrong),
    }


def _below_json(below: BelowAlarm) -> dict[str, object]:
    return {
        "bound": below.bound,
        "evidence": list(below.detector.evidence),
        "on": below.on,
        "recovery": below.recovery,
    }


def from_json(stored: Mapping[str, Any]) -> AgentAlarm:
    """The state of what `to_json` made; without evidence and past where the form is another one."""
    if stored.get("form") != FORM:
        return AgentAlarm()
    fall = stored["fall"]
    return AgentAlarm(
        fall=FallAlarm(
            past=Past(list(fall["past"])),
            recent=list(fall["recent"]),
            spread=NeighbourSpread(**fall["spread"]),
            growth=fall["growth"],
            detector=Detector(list(fall["evidence"])),
            bet=fall["bet"],
            recovery=fall["recovery"],
        ),
        below=_below(stored["below"]),
        # older state has none
        wrong=_below(stored["wrong"]) if "wrong" in stored else BelowAlarm(),
        lately=LatelyAsked({question: (times, first) for question, times, first in stored["asked"]}),
        moment=stored["moment"],
        answers=stored["answers"],
    )


def _below(stored: Mapping[str, Any]) -> BelowAlarm:
    return BelowAlarm(
        bound=stored["bound"],
        detector=Detector(list(stored["evidence"])),
        on=stored["on"],
        recovery=stored["recovery"],
    )
