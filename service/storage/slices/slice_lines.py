"""Slices as plain values: what the API replies and the command prints."""

from __future__ import annotations

from typing import Any

from evals.slices.changes import WorseAgent, WorseSlice
from evals.slices.counts import AgentLoss, Loss, SliceCounts
from evals.slices.since import WorseSince
from evals.slices.worst import WorstSlice

Line = dict[str, Any]


def agent_line(each: AgentLoss) -> Line:
    """All answers of one agent that were read."""
    names = {"tenant": each.tenant, "agent": each.agent}
    return {**names, **_sizes(each.all), "wrong_share": _rounded(each.all.share), **_people(each), **_times(each)}


def slice_line(each: WorstSlice) -> Line:
    """One slice of an agent, against all its answers."""
    return {
        **_names(each.counts),
        "same_as": list(each.same_as),
        "wrong_share": _rounded(each.share),
        "low": _rounded(each.low),
        "high": _rounded(each.high),
        "agent_share": _rounded(each.agent_share),
        **_tested(each),
        **_found(each.counts),
    }


def changed_agent_line(each: WorseAgent, since: WorseSince | None) -> Line:
    """One agent now, against the period before, with the day since which it is worse."""
    return {
        "tenant": each.now.tenant,
        "agent": each.now.agent,
        **_sizes(each.now.all),
        "wrong_share": _rounded(each.now.all.share),
        "before": _before(each.before.all),
        **_tested(each),
        "worse_since": None if since is None else since.day,
    }


def changed_slice_line(each: WorseSlice) -> Line:
    """One slice of an agent now, against the same slice before."""
    return {
        **_names(each.counts),
        "new": each.new,
        "wrong_share": _rounded(each.now.share),
        "before": _before(each.before),
        **_tested(each),
        **_found(each.counts),
    }


def _names(counts: SliceCounts) -> Line:
    who = {"tenant": counts.tenant, "agent": counts.agent}
    return {**who, "kind": counts.kind.value, "value": counts.value, **_sizes(counts.own)}


def _sizes(loss: Loss) -> Line:
    return {"answers": loss.answers, "questions": loss.questions}


def _before(loss: Loss) -> Line:
    return {**_sizes(loss), "wrong_share": _rounded(loss.share)}


def _tested(each: WorstSlice | WorseSlice | WorseAgent) -> Line:
    chance = {"p_value": each.p_value, "adjusted": each.adjusted}
    return {"lost": round(each.lost, 2), **chance, "sure": each.sure}


def _found(counts: SliceCounts) -> Line:
    return {**_people(counts), "example": counts.example}


def _people(each: AgentLoss | SliceCounts) -> Line:
    """What people say of the answers: reviewers, and users."""
    return {"labelled": each.labelled, "labelled_wrong": each.labelled_wrong, "complained": each.complained}


def _times(each: AgentLoss) -> Line:
    return {"first": each.first, "last": each.last}


def _rounded(share: float) -> float:
    return round(share, 4)
