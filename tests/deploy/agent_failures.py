"""The rows of docs/failures.csv that are about one agent: its answers, its labels and its canaries."""

from __future__ import annotations

from tests.deploy.failures import AGENT, BY, Failure, constant, growing, of, then


def _alarm(kind: str) -> dict[str, str]:
    """Both workers show the agent's alarm, one of them a minute later."""
    shown = {name: f'sqlassay_agent_alarm{{{of(name)}, {BY}, kind="{kind}"}}' for name in ("w1", "w2")}
    return {shown["w1"]: then(0, 1), shown["w2"]: then(0, 1)}


def _labelled(high: float, surely_below: float) -> dict[str, str]:
    here = f"{of('w1')}, {AGENT}"
    return {
        f"sqlassay_estimate{{{here}}}": then(0.9, high - 0.1),
        f"sqlassay_estimate_high{{{here}}}": then(0.95, high),
        f"sqlassay_estimate_surely_below{{{here}}}": then(0.98, surely_below),
        f"sqlassay_estimate_labels{{{here}}}": constant(30),
    }


def _canaries(right: int, failed: int = 0) -> dict[str, str]:
    """Twenty canaries, of which so many are answered right from the failure on, and so many not at all."""
    here, wrong = f"{of('w1')}, {AGENT}", 20 - failed - right
    asked = f"sqlassay_canary_questions{{{here}, result="
    return {
        f"sqlassay_canary_right_ratio{{{here}}}": then(0.95, right / (right + wrong)),
        f'{asked}"right"}}': then(19, right),
        f'{asked}"wrong"}}': then(1, wrong),
        f'{asked}"failed"}}': then(0, failed),
    }


def _new_agent(usable: str) -> dict[str, str]:
    """The counter of an agent that begins with the failure, and gives an answer every three minutes."""
    begun = " ".join(f"{count}x2" for count in range(1, 21))
    series = f'sqlassay_answers_total{{{of("w1")}, tenant="library", agent="newcomer", usable='
    return {f'{series}"{each}"}}': f"_x39 0x0 {begun}" if each == usable else "_x39 0x60" for each in ("no", "unknown")}


AGENT_FAILURES = (
    Failure(
        what="An agent's answers become worse than its own earlier ones",
        alert="SQLAssayAgentAlarm",
        within=6,
        more=_alarm("fall"),
    ),
    Failure(
        what="An agent's mean score is below the tenant's bound, from its first answer or later",
        alert="SQLAssayAgentAlarm",
        within=6,
        more=_alarm("below"),
    ),
    Failure(
        what="A new agent of 20 answers an hour writes no SQL that runs",
        alert="SQLAssayAnswersUnusable",
        within=56,
        more=_new_agent("no"),
    ),
    Failure(
        what="Too many of an agent's answers are judged wrong, from its first answer or later",
        alert="SQLAssayJudgedWrongHigh",
        within=6,
        more=_alarm("wrong"),
    ),
    Failure(
        what="Labels say that surely less than half of an agent's answers are right",
        alert="SQLAssayWrongByLabels",
        within=6,
        more=_labelled(0.4, 0.45),
    ),
    Failure(
        what="Labels say that too many of an agent's answers are wrong",
        alert="SQLAssayWrongByLabels",
        within=6,
        more=_labelled(0.75, 0.85),
    ),
    Failure(
        what="An agent answers nearly all canaries wrong",
        alert="SQLAssayCanaryWrong",
        within=6,
        more=_canaries(right=2),
    ),
    Failure(
        what="An agent answers some canaries wrong",
        alert="SQLAssayCanaryWrong",
        within=6,
        more=_canaries(right=12),
    ),
    Failure(
        what="An agent's canaries cannot be asked",
        alert="SQLAssayCanaryFailing",
        within=6,
        more=_canaries(right=8, failed=11),
    ),
    Failure(
        what="An agent spends its error budget too fast",
        alert="SQLAssayErrorBudgetBurn",
        within=30,
        change={f'tier_total & {AGENT}, tier="good"': growing(10, 0)},
        more={f'sqlassay_tier_total{{{of("w1")}, {AGENT}, tier="poor"}}': growing(20, 40)},
    ),
    Failure(
        what="All answers of an agent of 20 an hour are without a score",
        alert="SQLAssayCoverageLow",
        within=40,
        more={
            f'sqlassay_score_count{{{of("w1")}, tenant="library", agent="quiet", judge="local/2", evaluator="2"}}': (
                "0x2 1x2 2x2 3x2 4x2 5x2 6x2 7x2 8x2 9x2 10x2 11x2 12x2 13x60"
            ),
            f'sqlassay_unscored_total{{{of("w1")}, tenant="library", agent="quiet", reason="EMPTY_SQL"}}': (
                "0x38 " + " ".join(f"{count}x2" for count in range(1, 21))
            ),
        },
    ),
    Failure(
        what="An agent publishes no more, or does not come back after its weekend",
        alert="SQLAssayAgentSilent",
        within=6,
        more={
            f"sqlassay_agent_silence{{{of('w1')}, {AGENT}}}": then(0.2, 1.1),
            f"sqlassay_agent_silence{{{of('w2')}, {AGENT}}}": then(0.1, 1.2),
        },
    ),
    Failure(
        what="Enriched questions lose the user's meaning",
        alert="SQLAssayEnrichmentLosingMeaning",
        within=40,
        more={
            f'sqlassay_enrichment_status_total{{{of("w1")}, {AGENT}, status="faithful"}}': growing(20, 10),
            f'sqlassay_enrichment_status_total{{{of("w1")}, {AGENT}, status="lossy"}}': growing(0, 10),
        },
    ),
    Failure(
        what="The rules of a tenant have changed",
        alert="SQLAssayJudgeChanged",
        within=1,
        more={f'sqlassay_rules_version{{{of("w1")}, tenant="library"}}': then(3, 4)},
    ),
)
"""An alarm comes some answers after its cause, as simulated agents show. The time here begins with the alarm."""
