"""Questions as people ask them at work, each with right answers and with wrong ones."""

import pytest

from consumers.wire.events import decode_event
from scoring.evaluation import examine
from scoring.rules import Rules
from scoring.verdict import Case
from service.judges.weights import local_judge

JUDGE = local_judge()
COUNT = "SELECT COUNT(*) FROM"
RIGHT: dict[str, tuple[str, ...]] = {
    "How many orders were not cancelled?": (f"{COUNT} orders WHERE status <> 'cancelled'",),
    "How many non-cancelled orders are there?": (f"{COUNT} orders WHERE status <> 'cancelled'",),
    "Number of orders that haven't been cancelled": (f"{COUNT} orders WHERE status <> 'cancelled'",),
    "How many orders were not cancelled in 2024?": (
        f"{COUNT} orders WHERE status <> 'cancelled' AND EXTRACT(YEAR FROM placed_on) = 2024",
    ),
    "Total revenue excluding refunded and cancelled orders": (
        "SELECT SUM(revenue) FROM orders WHERE status NOT IN ('refunded', 'cancelled')",
    ),
    "How many tickets were created this month?": (
        f"{COUNT} tickets WHERE created_at >= date_trunc('month', now())",
        f"{COUNT} tickets WHERE date_trunc('month', created_at) = date_trunc('month', now())",
        f"{COUNT} tickets WHERE created_at >= date_trunc('month', now()) AND created_at < now()",
    ),
    "Orders placed today": (
        "SELECT * FROM orders WHERE placed_at >= current_date",
        "SELECT * FROM orders WHERE placed_at::date = current_date",
    ),
    "Payments made yesterday": (
        "SELECT * FROM payments WHERE made_at >= current_date - 1 AND made_at < current_date",
        "SELECT * FROM payments WHERE made_at::date = current_date - interval '1 day'",
    ),
    "Payments in the last week": (
        "SELECT * FROM payments WHERE made_at >= current_date - 7",
        "SELECT * FROM payments WHERE made_at >= now() - interval '1 week'",
    ),
    "How many users signed up in the last 24 hours?": (f"{COUNT} users WHERE created_at > now() - interval '1 day'",),
    "Events in the next 7 days": (
        "SELECT * FROM events WHERE starts_at >= now() AND starts_at <= now() + interval '1 week'",
        "SELECT * FROM events WHERE starts_at BETWEEN now() AND now() + interval '7 days'",
    ),
    "Orders since the beginning of the year": (
        "SELECT * FROM orders WHERE created_at >= date_trunc('year', current_date)",
    ),
    "How many tickets were resolved within 24 hours?": (
        f"{COUNT} tickets WHERE resolved_at - created_at <= interval '24 hours'",
        f"{COUNT} tickets WHERE resolved_at < created_at + interval '1 day'",
        f"{COUNT} tickets WHERE created_at >= resolved_at - interval '24 hours'",
        f"{COUNT} tickets WHERE EXTRACT(EPOCH FROM resolved_at - created_at) / 3600 <= 24",
        f"{COUNT} tickets WHERE EXTRACT(EPOCH FROM resolved_at - created_at) <= 86400",
    ),
    "Orders shipped more than 3 days after they were placed": (
        "SELECT * FROM orders WHERE shipped_at > placed_at + interval '3 days'",
        "SELECT * FROM orders WHERE shipped_at - placed_at > interval '3 days'",
    ),
    "Which invoices are overdue by more than 30 days?": (
        "SELECT number FROM invoices WHERE due_date < current_date - interval '30 days'",
    ),
    "How many flights were delayed by more than an hour?": (f"{COUNT} flights WHERE delay_minutes > 60",),
    "Products with a discount of at least 20%": (
        "SELECT name FROM products WHERE discount >= 0.2",
        "SELECT name FROM products WHERE discount >= 20",
    ),
    "Which accounts haven't logged in for 90 days?": (
        "SELECT name FROM accounts WHERE last_login_at < now() - interval '90 days'",
    ),
    "Which customers have not ordered in the last 90 days?": (
        "SELECT c.name FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY c.id, c.name"
        " HAVING MAX(o.ordered_at) < now() - interval '90 days'",
        "SELECT c.name FROM customers c WHERE NOT EXISTS (SELECT 1 FROM orders o"
        " WHERE o.customer_id = c.id AND o.ordered_at >= now() - interval '90 days')",
    ),
    "Monthly revenue for 2025": (
        "SELECT date_trunc('month', paid_at) AS month, SUM(revenue) FROM payments"
        " WHERE paid_at >= '2025-01-01' AND paid_at < '2026-01-01' GROUP BY 1 ORDER BY 1",
    ),
    "Number of tickets per assignee": (
        "SELECT u.name, COUNT(*) FROM tickets t JOIN users u ON t.assignee_id = u.id GROUP BY u.name",
        "SELECT u.name, COUNT(*) FROM tickets t JOIN users u ON t.assigned_to = u.id GROUP BY u.name",
    ),
    "Which managers have more than 5 direct reports?": (
        "SELECT m.name FROM employees m JOIN employees e ON e.manager_id = m.id"
        " GROUP BY m.id, m.name HAVING COUNT(e.id) > 5",
    ),
}
WRONG: dict[str, tuple[str, ...]] = {
    "How many orders were not cancelled?": (f"{COUNT} orders WHERE status = 'cancelled'",),
    "How many non-cancelled orders are there?": (f"{COUNT} orders WHERE status = 'cancelled'",),
    "Number of orders that haven't been cancelled": (f"{COUNT} orders WHERE status = 'cancelled'",),
    "Which suppliers are not in Germany?": ("SELECT name FROM suppliers WHERE country = 'Germany'",),
    "Which suppliers are in Germany?": ("SELECT name FROM suppliers WHERE country <> 'Germany'",),
    "Total revenue excluding refunded and cancelled orders": (
        "SELECT SUM(revenue) FROM orders WHERE status IN ('refunded', 'cancelled')",
    ),
    "How many tickets were resolved within 24 hours?": (
        f"{COUNT} tickets WHERE resolved_at - created_at <= interval '48 hours'",
        f"{COUNT} tickets WHERE resolved_at > created_at + interval '24 hours'",
    ),
    "Payments in the last 7 days": ("SELECT * FROM payments WHERE made_at >= current_date - 14",),
    "Products with a discount of at least 20%": ("SELECT name FROM products WHERE discount >= 0.3",),
    "Total spend per customer": (
        "SELECT c.name, SUM(o.spend) FROM orders o JOIN customers c ON o.product_id = c.id GROUP BY c.name",
    ),
}
OF_DIALECTS = (
    ("mysql", "Orders placed this month", "YEAR(made) = YEAR(CURDATE()) AND MONTH(made) = MONTH(CURDATE())"),
    ("mysql", "Orders placed this month", "made >= DATE_FORMAT(CURDATE(), '%Y-%m-01')"),
    ("sqlite", "Orders placed this month", "strftime('%Y-%m', made) = strftime('%Y-%m', 'now')"),
    ("bigquery", "Orders placed this month", "DATE_TRUNC(made, MONTH) = DATE_TRUNC(CURRENT_DATE(), MONTH)"),
    ("tsql", "Orders placed this year", "YEAR(made) = YEAR(GETDATE())"),
    (
        "bigquery",
        "Orders placed last month",
        "made BETWEEN DATE_TRUNC(DATE_SUB(CURRENT_DATE(), INTERVAL 1 MONTH), MONTH)"
        " AND LAST_DAY(DATE_SUB(CURRENT_DATE(), INTERVAL 1 MONTH))",
    ),
    (
        "snowflake",
        "Orders placed last month",
        "DATE_TRUNC('month', made) = DATEADD('month', -1, DATE_TRUNC('month', NOW()))",
    ),
    ("snowflake", "Orders of the last 30 days", "made >= DATEADD(day, -30, CURRENT_DATE())"),
    ("mysql", "Orders that took more than 3 days", "TIMESTAMPDIFF(DAY, made, delivered) > 3"),
    ("bigquery", "Orders that took more than 3 days", "delivered > TIMESTAMP_ADD(made, INTERVAL 3 DAY)"),
    ("postgres", "Orders from the UK", "country = 'United Kingdom'"),
    ("postgres", "Orders from the UK", "country_code = 'GB'"),
)
"""Conditions on a table of orders."""
PLAUSIBLE = {
    "How many paid orders were not cancelled?": f"{COUNT} orders WHERE paid AND status <> 'cancelled'",
    "List orders that are not only cancelled": "SELECT * FROM orders WHERE status = 'cancelled'",
    "How many orders were not paid and cancelled?": f"{COUNT} orders WHERE paid_at IS NULL AND status = 'cancelled'",
    "What share of orders was not cancelled?": (
        "SELECT 1 - 1.0 * SUM(CASE WHEN status = 'cancelled' THEN 1 ELSE 0 END) / COUNT(*) FROM orders"
    ),
}
"""A negation does not turn each condition beside it."""


def examined(question: str, sql: str, dialect: str = "postgres") -> Case:
    event = decode_event({"question": question, "sql": sql, "dialect": dialect}, require_id=False)
    case = examine(event.query(), Rules())
    assert isinstance(case, Case)
    return case


def p_correct(question: str, sql: str) -> float:
    return JUDGE.judge(examined(question, sql)).p_correct


def pairs(answers: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(question, sql) for question, given in answers.items() for sql in given]


@pytest.mark.parametrize(("question", "sql"), pairs(RIGHT))
def test_a_right_answer_is_judged_right(question, sql):
    assert p_correct(question, sql) > 0.5


@pytest.mark.parametrize(("question", "sql"), pairs(WRONG))
def test_a_wrong_answer_is_judged_wrong(question, sql):
    assert p_correct(question, sql) < 0.5


@pytest.mark.parametrize(("dialect", "question", "condition"), OF_DIALECTS)
def test_a_condition_is_met_in_every_dialect_s_own_words(dialect, question, condition):
    found = examined(question, f"SELECT * FROM orders WHERE {condition}", dialect).filters
    assert found.matched
    assert not found.missing + found.mismatched + found.extra


@pytest.mark.parametrize(("question", "sql"), PLAUSIBLE.items())
def test_a_condition_beside_a_negation_stays_as_it_is(question, sql):
    assert not examined(question, sql).filters.mismatched


def test_an_old_order_does_not_show_that_there_is_no_newer_one():
    sql = (
        "SELECT DISTINCT c.name FROM customers c JOIN orders o ON o.customer_id = c.id"
        " WHERE o.ordered_at < now() - interval '90 days'"
    )
    assert examined("Which customers have not ordered in the last 90 days?", sql).filters.mismatched


def test_the_month_of_any_year_is_not_this_month():
    found = examined("Orders placed this month", "SELECT * FROM orders WHERE MONTH(made) = MONTH(CURDATE())", "mysql")
    assert found.filters.mismatched


def test_the_newest_row_of_each_is_found_by_distinct_on():
    sql = "SELECT DISTINCT ON (customer_id) * FROM orders ORDER BY customer_id, created_at DESC"
    assert "ORDER_FLIPPED" not in {
        each.code.name for each in JUDGE.judge(examined("Latest order of each customer", sql)).reasons
    }
