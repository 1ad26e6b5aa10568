"""The terminal shows everything that explains a score, and no event can rewrite the screen."""

import io

from rich.console import Console, RenderableType

from scoring.query import Query, Unscored
from scoring.rules import Rules
from scoring.verdict import Score
from service.commands.rendering.answer import explanation, refusal
from service.commands.rendering.report_tables import report_table, worst_answers
from service.commands.score_lines import LocalScorer
from service.judges.weights import local_judge


def drawn(part: RenderableType, width: int = 200) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=False, color_system=None)
    console.print(part)
    return out.getvalue()


def scored(question: str, sql: str, enriched: str | None = None) -> Score | Unscored:
    return LocalScorer(Rules(), local_judge())(Query(question=question, sql=sql, enriched_question=enriched))


def test_an_explanation_shows_every_stage_and_the_arithmetic() -> None:
    result = scored(
        "How many loans are there per branch in Lisbon?",
        "SELECT branch, COUNT(*) FROM loans WHERE city = 'Lisbon' AND late = 1 GROUP BY branch ORDER BY COUNT(*) DESC"
        " LIMIT 5000",
        "How many loans are there per branch in Lisbon (Lisbon refers to city = 'Lisbon')?",
    )
    assert isinstance(result, Score)
    text = drawn(explanation(result))
    for stage in (
        "Specifications",
        "Alignment",
        "Excused",
        "Enriched question",
        "Reasons",
        "How the number came about",
    ):
        assert stage in text
    for rule in ("required_group_by", "default_order_by", "safety_limit"):
        assert rule in text
    composite = result.composite
    assert f"(σ_filters {composite.filters} + σ_verdict {composite.verdict} + δ {composite.leniency}) × 10" in text
    assert f"= {composite.score:.2f} → {result.tier.value}" in text
    assert "late = 1" in text
    for reason in result.reply.reasons:
        assert reason.code.value in text


def test_texts_of_an_event_cannot_move_the_cursor_or_change_colours() -> None:
    result = scored(
        "How many [bold red]loans[/] are \x1b[2J there?", "SELECT COUNT(*) FROM loans -- \x1b]0;title\x07 [/]"
    )
    assert isinstance(result, Score)
    text = drawn(explanation(result))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "[bold red]loans[/]" in text


def test_an_answer_without_a_score_says_why() -> None:
    query = Query(question="How many loans?", sql="DROP TABLE loans")
    result = LocalScorer(Rules(), local_judge())(query)
    assert isinstance(result, Unscored)
    text = drawn(refusal(query, result))
    assert "NOT_A_SELECT" in text
    assert "DROP TABLE loans" in text


def test_a_missing_figure_is_a_dash_and_not_zero() -> None:
    row = dict.fromkeys(("mean", "p90", "coverage", "mean_p_correct", "judged_wrong", "estimate"))
    known = {
        "tenant": "t",
        "agent": "a",
        "agent_version": None,
        "received": 3,
        "low": 0.0,
        "high": 1.0,
        "labels": 0,
        "more_labels": None,
    }
    text = drawn(report_table([known | row]))
    [line] = [line for line in text.splitlines() if line.startswith("t ")]
    assert line.count(" –") == 7
    assert "Φ below 50, poor: review it at once" in text
    assert "0–100%" not in text
    assert "not measured yet" in text


def test_the_worst_answers_show_what_counts_against_them() -> None:
    answer = {
        "tenant": "library",
        "agent": "comet",
        "p_correct": 0.1,
        "score": 0.0,
        "verdict": "Incorrect",
        "question": "How many loans?",
        "sql": "SELECT 1",
        "record": {
            "reasons": [
                {"code": "FILTER_MISSING", "detail": "city", "weight": -1.5},
                {"code": "OUTPUT_LINKED", "detail": "loans", "weight": 0.5},
            ]
        },
    }
    text = drawn(worst_answers([answer]))
    assert "-1.50 FILTER_MISSING: city" in text
    assert "OUTPUT_LINKED" not in text
