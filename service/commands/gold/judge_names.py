"""The judges that `eval run` and `eval judge` can be told to use, and the gold queries that they are shown."""

from __future__ import annotations

from consumers.judging.comparing.gold_judges import BASELINES, COMPARISON, GOLD_JUDGES, PAIR_JUDGE, GoldJudge
from references.comparison.alternatives import MalformedReferenceError, expand
from scoring.rules import JudgePolicy
from service.commands.exits import refuse

_MOST_GOLDS = 8
JUDGE_NAMES = (*(each.value for each in JudgePolicy), *(each.name for each in BASELINES))
"""Every name of a judge of `eval run`; `eval judge` has `pair_score` too."""


def checked_judge(name: str) -> None:
    """Ends the command when no judge has this name."""
    if name not in JUDGE_NAMES:
        refuse(f"--judge is one of {', '.join(JUDGE_NAMES)}, not {name!r}")


def gold_judges_of(names: str, *, with_reference: bool) -> tuple[GoldJudge, ...]:
    """The judges in a list of names with commas that are shown the reference; none where the one judge is not.

    Ends the command when a name is unknown, or when such judges stand beside others.
    """
    listed = tuple(dict.fromkeys(each.strip() for each in names.split(",")))
    for each in listed:
        if each != PAIR_JUDGE.name:
            checked_judge(each)
    if with_reference and COMPARISON.name not in listed:
        refuse(f"--with-reference is for --judge {COMPARISON.name}: the baselines see the reference anyhow")
    alone = {each.value for each in JudgePolicy} - ({COMPARISON.name} if with_reference else set())
    if len(listed) > 1 and (other := alone.intersection(listed)):
        hint = f"; for {COMPARISON.name}, add --with-reference" if COMPARISON.name in other else ""
        refuse(f"--judge {names}: {', '.join(sorted(other))} sees no reference, and is measured by itself{hint}")
    return () if alone.intersection(listed) else tuple(GOLD_JUDGES[each] for each in listed)


def scoring_policy(name: str) -> JudgePolicy:
    """Who scores the answers alone: a baseline compares only, so the local judge does."""
    return JudgePolicy(name) if name in set(JudgePolicy) else JudgePolicy.LOCAL


def gold_judge_of(name: str) -> GoldJudge | None:
    """The judge that compares with gold SQL; `None` where no model does."""
    return GOLD_JUDGES.get(name)


def gold_queries(reference: str) -> tuple[str, ...]:
    """The queries that a reference stands for, as many as are shown."""
    try:
        found = expand(reference, _MOST_GOLDS, written_out=True).alternatives
    except MalformedReferenceError:
        found = ()
    return tuple(dict.fromkeys(each.sql for each in found)) or (reference,)
