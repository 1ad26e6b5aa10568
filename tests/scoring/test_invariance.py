"""What must not move a score: how the SQL is written. What must not lower it: what the tenant excuses."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp, parse_one

from scoring.evaluation import conclude, examine
from scoring.judging.local import LocalJudge, load_weights
from scoring.query import Query
from scoring.rules import BenignFilter, Rules
from scoring.sql import read_predicate
from scoring.verdict import Case, Score
from service.judges.weights import packaged_weights

ANSWERS = [
    (
        "Which couriers delivered more than 100 parcels in Porto in 2023?",
        "SELECT c.name FROM couriers AS c JOIN parcels AS p ON c.id = p.courier_id "
        "WHERE p.city = 'Porto' AND p.delivered_at >= '2023-01-01' AND p.delivered_at < '2024-01-01' "
        "GROUP BY c.name HAVING COUNT(*) > 100",
    ),
    (
        "What is the average weight of insured parcels per city?",
        "SELECT p.city, AVG(p.weight) AS mean_weight FROM parcels AS p WHERE p.insured = 1 AND p.weight > 0 "
        "GROUP BY p.city ORDER BY AVG(p.weight) DESC LIMIT 5000",
    ),
    (
        "Who is the courier with the highest salary?",
        "SELECT k.name FROM couriers AS k WHERE k.salary = (SELECT MAX(m.salary) FROM couriers AS m) AND k.active = 1",
    ),
    (
        "List the cities that have no depot",
        "SELECT t.name FROM cities AS t WHERE t.country = 'Spain' AND NOT EXISTS "
        "(SELECT 1 FROM depots AS d WHERE d.city_id = t.id AND d.closed = 0)",
    ),
    (
        "What percentage of parcels sent by 'Marta' came late?",
        "WITH mine AS (SELECT q.id AS parcel, q.late AS late FROM parcels AS q "
        "WHERE q.sender = 'Marta' AND q.paid = 1) "
        "SELECT CAST(SUM(z.late) AS REAL) * 100 / COUNT(z.parcel) FROM mine AS z",
    ),
    (
        "Parcels from Lisbon or to Faro",
        "SELECT x.id FROM parcels AS x WHERE (x.origin = 'Lisbon' OR x.target = 'Faro') AND x.state <> 'lost'",
    ),
]
JUDGE = LocalJudge.of(load_weights(packaged_weights()))


def scored(question: str, sql: str, rules: Rules | None = None) -> Score:
    case = examine(Query(question=question, sql=sql), rules or Rules())
    assert isinstance(case, Case), case
    return conclude(case, JUDGE.judge(case))


def summary(score: Score) -> tuple[Any, ...]:
    case, reply = score.case, score.reply
    return (
        score.composite,
        case.filters.status,
        reply.p_correct,
        reply.verdict,
        [each.code for each in reply.reasons],
        len(case.filters.matched),
        len(case.filters.extra),
        {each.rule for each in case.normalizations},
    )


def renamed(sql: str) -> str:
    """Every table alias with another name."""
    tree = parse_one(sql)
    names = {each.alias: f"zz{place}" for place, each in enumerate(tree.find_all(exp.Table)) if each.alias}
    for table in tree.find_all(exp.Table):
        if table.alias:
            table.set("alias", exp.TableAlias(this=exp.to_identifier(names[table.alias])))
    for column in tree.find_all(exp.Column):
        if column.table in names:
            column.set("table", exp.to_identifier(names[column.table]))
    return tree.sql()


def reordered(sql: str, seed: int) -> str:
    """The terms of every AND in another order."""
    dice = random.Random(seed)

    def shuffle(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.And) and not isinstance(node.parent, exp.And):
            terms = list(node.flatten())
            dice.shuffle(terms)
            return exp.and_(*(term.copy() for term in terms))
        return node

    return parse_one(sql).transform(shuffle).sql()


def recased(sql: str, seed: int) -> str:
    """Every word outside quotes in small or capital letters, or with a capital first. A capital inside parts a name."""
    dice = random.Random(seed)
    parts = sql.split("'")
    for place in range(0, len(parts), 2):
        parts[place] = re.sub(
            r"\w+", lambda word: dice.choice((str.lower, str.upper, str.capitalize))(word[0]), parts[place]
        )
    return "'".join(parts)


def quoted(sql: str) -> str:
    """Every identifier quoted."""
    return parse_one(sql).sql(identify=True)


def spaced(sql: str) -> str:
    """Pretty-printed, with comments."""
    return "-- a comment\n" + parse_one(sql).sql(pretty=True) + "\n/* the end */;"


@pytest.mark.parametrize(("question", "sql"), ANSWERS)
@pytest.mark.parametrize("rewrite", [renamed, quoted, spaced])
def test_the_way_sql_is_written_moves_nothing(question: str, sql: str, rewrite: Any) -> None:
    other = rewrite(sql)
    assert other != sql
    assert summary(scored(question, other)) == summary(scored(question, sql))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(ANSWERS), st.integers(0, 10**6))
def test_the_order_of_and_terms_and_letter_case_move_nothing(answer: tuple[str, str], seed: int) -> None:
    question, sql = answer
    expected = summary(scored(question, sql))
    assert summary(scored(question, reordered(sql, seed))) == expected
    assert summary(scored(question, recased(sql, seed))) == expected


def with_condition(sql: str, predicate: str) -> str:
    tree = parse_one(sql)
    assert isinstance(tree, exp.Select)
    return tree.where(predicate).sql()


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(ANSWERS),
    st.sampled_from(["is_deleted = 0", "record_state = 'live'", "archived_at IS NULL", "region_code IN ('a', 'b')"]),
)
def test_a_benign_extra_never_lowers_the_score(answer: tuple[str, str], predicate: str) -> None:
    question, sql = answer
    terms = read_predicate(predicate, None)
    assert isinstance(terms, tuple)
    rules = Rules(benign_filters=(BenignFilter(text=predicate, terms=terms),))
    before, after = scored(question, sql, rules), scored(question, with_condition(sql, predicate), rules)
    assert after.composite.score >= before.composite.score
    assert after.reply.p_correct >= before.reply.p_correct


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(ANSWERS), st.sampled_from(["=", "<>", ">", "IN"]), st.integers(0, 99))
def test_an_ignored_filter_is_never_counted(answer: tuple[str, str], op: str, value: int) -> None:
    question, sql = answer
    rules = Rules(ignore_filters=frozenset({"portfolio_id"}))
    right = f"({value}, {value + 1})" if op == "IN" else str(value)
    before, after = (
        scored(question, sql, rules),
        scored(question, with_condition(sql, f"portfolio_id {op} {right}"), rules),
    )
    assert summary(after) == summary(before)
    assert len(after.case.filters.ignored) == len(before.case.filters.ignored) + 1


def test_the_same_event_scores_the_same_twice() -> None:
    for question, sql in ANSWERS:
        assert scored(question, sql) == scored(question, sql)
